//! Runs cases: forward and backward, many compiled as one module.

use super::common::ops::{Array, Case};
use super::iree::{Loaded, Machine};
use cnnc::autodiff;
use cnnc::reference::Tensor;
use cnnc::simplify::simplify;
use cnnc::stablehlo::{Function, TensorType};

/// Largest error of a case that is not exact, relative to 1 or the largest
/// magnitude of the tensor: eight units in the last place of f32.
const TOLERANCE: f64 = 8.0 / (1u64 << 23) as f64;

/// IREE's compiler takes a quarter of a second for any module, so that many
/// cases share one.
const CHUNK: usize = 20;

pub fn tensor(array: &Array) -> Tensor<f32> {
    Tensor::from_f64(TensorType::f32(array.shape.clone()), &array.data).expect("a tensor")
}

fn forward_name(case: &Case) -> String {
    format!("{}_forward", case.name)
}

fn pullback_name(case: &Case) -> String {
    format!("{}_pullback", case.name)
}

/// The functions of a case: itself and, if a cotangent is known, its pullback.
pub fn functions(case: &Case) -> Vec<Function> {
    let mut forward = case.function.clone();
    forward.name = forward_name(case);
    let arguments: Vec<usize> = (0..case.inputs.len()).collect();
    let pullback = case.cotangent.as_ref().map(|_| {
        let name = pullback_name(case);
        autodiff::pullback(&case.function, &arguments, &name, "cotangent").expect("a pullback")
    });
    [Some(forward), pullback]
        .into_iter()
        .flatten()
        .map(|f| simplify(&f).expect("simplified"))
        .collect()
}

/// What is wrong with `found`, if anything. Zeros may have either sign.
fn mismatch(case: &Case, what: &str, expected: &Array, found: &Tensor<f32>) -> Option<String> {
    let values = found.to_f64();
    let finite = expected.data.iter().filter(|v| v.is_finite());
    let largest = finite.fold(0.0f64, |max, v| max.max(v.abs()));
    let bound = if case.exact {
        0.0
    } else {
        TOLERANCE * largest.max(1.0)
    };
    let agree = |e: f64, f: f64| e == f || e.is_nan() && f.is_nan() || (e - f).abs() <= bound;
    let fits = found.ty().shape == expected.shape
        && expected
            .data
            .iter()
            .zip(&values)
            .all(|(&e, &f)| agree(e, f));
    (!fits).then(|| {
        format!(
            "{}: {what} of {:?}: expected {:?} {:?}, found {:?} {values:?}",
            case.name,
            case.function.body,
            expected.shape,
            expected.data,
            found.ty().shape
        )
    })
}

fn check(machine: &Machine, loaded: &Loaded, case: &Case) -> Result<Vec<String>, String> {
    let mut wrong = Vec::new();
    let inputs: Vec<Tensor<f32>> = case.inputs.iter().map(tensor).collect();
    let outputs = machine.call(loaded, &forward_name(case), &inputs)?;
    assert_eq!(outputs.len(), 1, "{}", case.name);
    wrong.extend(mismatch(case, "value", &case.output, &outputs[0]));
    if let Some(cotangent) = &case.cotangent {
        let arguments: Vec<Tensor<f32>> = inputs.into_iter().chain([tensor(cotangent)]).collect();
        let gradients = machine.call(loaded, &pullback_name(case), &arguments)?;
        assert_eq!(gradients.len(), case.gradients.len(), "{}", case.name);
        for (i, (expected, found)) in case.gradients.iter().zip(&gradients).enumerate() {
            wrong.extend(mismatch(case, &format!("gradient {i}"), expected, found));
        }
    }
    Ok(wrong)
}

/// What is wrong with some cases, compiled as one module. If that fails, the
/// halves are tried, to find which case it is.
fn faults(machine: &Machine, cases: &[Case]) -> Vec<String> {
    match machine.load(cases.iter().flat_map(functions).collect()) {
        Ok(loaded) => cases
            .iter()
            .flat_map(|case| {
                let result = check(machine, &loaded, case);
                result.unwrap_or_else(|error| vec![format!("{}: {error}", case.name)])
            })
            .collect(),
        Err(error) if cases.len() < 2 => {
            let case = |case: &Case| format!("{} {:?}: {error}", case.name, case.function.body);
            cases.iter().map(case).collect()
        }
        Err(_) => {
            let (left, right) = cases.split_at(cases.len() / 2);
            [faults(machine, left), faults(machine, right)].concat()
        }
    }
}

/// Runs at least `least` cases on the CPU.
pub fn run(least: usize, chosen: &[Case]) {
    run_on(&Machine::new(), least, chosen);
}

/// Runs at least `least` cases.
pub fn run_on(machine: &Machine, least: usize, chosen: &[Case]) {
    assert!(chosen.len() >= least, "only {} cases", chosen.len());
    let wrong: Vec<String> = chosen
        .chunks(CHUNK)
        .flat_map(|chunk| faults(machine, chunk))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs one function.
pub fn run_function(
    machine: &Machine,
    function: Function,
    arguments: &[Tensor<f32>],
) -> Vec<Tensor<f32>> {
    let name = function.name.clone();
    let loaded = machine.load(vec![function]).expect("compiled");
    machine.call(&loaded, &name, arguments).expect("results")
}
