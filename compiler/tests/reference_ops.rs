//! The interpreter and the derivative rules against PyTorch and JAX.

mod common;

#[path = "reference_ops/cases.rs"]
mod shared;

use cnnc::autodiff;
use cnnc::reference::{Tensor, run};
use cnnc::stablehlo::TensorType;
use common::layers;
use common::ops::{Array, Case, cases};

/// Relative error that f64 may leave after a few operations.
const TOLERANCE: f64 = 1e-14;

fn tensor(array: &Array) -> Tensor<f64> {
    Tensor::from_f64(TensorType::f32(array.shape.clone()), &array.data).expect("a tensor")
}

/// Whether two values agree: NaN with NaN, 0 with -0.
fn agree(case: &Case, expected: f64, found: f64) -> bool {
    let same = expected == found || expected.is_nan() && found.is_nan();
    let tolerance = TOLERANCE.max(case.tolerance);
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
    check_values(&cases(), 170);
}

#[test]
fn values_of_layers_are_those_of_pytorch() {
    check_values(&layers::cases(), 85);
}

fn check_values(cases: &[Case], least: usize) {
    let mut wrong = Vec::new();
    for case in cases {
        let inputs: Vec<Tensor<f64>> = case.inputs.iter().map(tensor).collect();
        match run(&case.function, &inputs) {
            Ok(outputs) => wrong.extend(mismatch(case, "value", &case.output, &outputs[0])),
            Err(error) => wrong.push(format!("{}: {error}", case.name)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases.len() >= least, "only {} cases", cases.len());
}

#[test]
fn gradients_are_those_of_pytorch_and_jax() {
    check_gradients(&cases(), 150);
}

#[test]
fn gradients_of_layers_are_those_of_pytorch() {
    check_gradients(&layers::cases(), 80);
}

fn check_gradients(cases: &[Case], least: usize) {
    let mut wrong = Vec::new();
    let mut count = 0;
    for case in cases {
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
    assert!(count >= least, "only {count} cases have gradients");
}
