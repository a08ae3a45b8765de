//! The interpreter and the derivative rules against PyTorch and JAX.

mod common;

use cnnc::autodiff;
use cnnc::reference::{Tensor, run};
use cnnc::stablehlo::TensorType;
use common::ops::{Array, Case, cases};

/// Relative error that f64 may leave after a few operations.
const TOLERANCE: f64 = 1e-14;
/// The same where constants were rounded to f32.
const ROUNDED: f64 = 4.0 / (1u64 << 24) as f64;

fn tensor(array: &Array) -> Tensor<f64> {
    Tensor::from_f64(TensorType::f32(array.shape.clone()), &array.data).expect("a tensor")
}

/// Whether two values agree: NaN with NaN, 0 with -0.
fn agree(case: &Case, expected: f64, found: f64) -> bool {
    let same = expected == found || expected.is_nan() && found.is_nan();
    let tolerance = if case.rounded { ROUNDED } else { TOLERANCE };
    let near = || (expected - found).abs() <= tolerance * expected.abs().max(1.0);
    same || !case.exact && near()
}

/// What is wrong with `found`, if anything.
fn mismatch(case: &Case, what: &str, expected: &Array, found: &Tensor<f64>) -> Option<String> {
    let values = found.to_f64();
    let fits = found.ty().shape == expected.shape
        && expected
            .data
            .iter()
            .zip(&values)
            .all(|(&e, &f)| agree(case, e, f));
    (!fits).then(|| {
        format!(
            "{}: {what}: expected {:?} {:?}, found {:?} {values:?}",
            case.name,
            expected.shape,
            expected.data,
            found.ty().shape
        )
    })
}

#[test]
fn values_are_those_of_pytorch_and_jax() {
    let mut wrong = Vec::new();
    let cases = cases();
    for case in &cases {
        let inputs: Vec<Tensor<f64>> = case.inputs.iter().map(tensor).collect();
        match run(&case.function, &inputs) {
            Ok(outputs) => wrong.extend(mismatch(case, "value", &case.output, &outputs[0])),
            Err(error) => wrong.push(format!("{}: {error}", case.name)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases.len() >= 170, "only {} cases", cases.len());
}

#[test]
fn gradients_are_those_of_pytorch_and_jax() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for case in &cases() {
        let Some(cotangent) = &case.cotangent else {
            continue;
        };
        let arguments: Vec<usize> = (0..case.inputs.len()).collect();
        let result = autodiff::pullback(&case.function, &arguments, "pullback", "cotangent")
            .map_err(|error| error.to_string())
            .and_then(|pullback| {
                let inputs: Vec<Tensor<f64>> =
                    case.inputs.iter().chain([cotangent]).map(tensor).collect();
                run(&pullback, &inputs).map_err(|error| error.to_string())
            });
        match result {
            Ok(gradients) => {
                assert_eq!(gradients.len(), case.gradients.len(), "{}", case.name);
                for (i, (expected, found)) in case.gradients.iter().zip(&gradients).enumerate() {
                    wrong.extend(mismatch(case, &format!("gradient {i}"), expected, found));
                }
                count += 1;
            }
            Err(error) => wrong.push(format!("{}: {error}", case.name)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 150, "only {count} cases have gradients");
}
