//! Runs cases: forward and backward, many compiled as one module.
//!
//! Each runs at its own numbers, which PyTorch and JAX have the answers to,
//! and at random real numbers, for which the interpreter has. What is not
//! exact may be off by [`UNITS`] spreads: see [`Rounded`].

use super::common::ops::{Array, Case};
use super::common::random::Random;
use super::common::rounding::{ROUNDOFF, Rounded, run_rounded};
use super::iree::{Loaded, Machine};
use cnnc::autodiff;
use cnnc::reference::Tensor;
use cnnc::simplify::simplify;
use cnnc::stablehlo::{Function, TensorType};
use std::collections::BTreeMap;

/// How far f32 on IREE may be from the real numbers, in spreads.
const UNITS: f64 = 4.0;

/// What is further off: functions that IREE approximates, and layers in which
/// the error of one mean is in every cell, so that errors are not independent.
const FURTHER: [(&str, f64); 6] = [
    ("atan2", 128.0),
    ("cbrt", 32.0),
    ("tanh", 8.0),
    ("batch_norm", 16.0),
    ("group_norm", 16.0),
    ("layer_norm", 16.0),
];

/// How far the results of an operation may be off.
fn allowed(op: &str) -> f64 {
    let own = FURTHER.iter().find(|(name, _)| *name == op);
    own.map_or(UNITS, |(_, units)| *units)
}

/// IREE's compiler takes a quarter of a second for any module, so that many
/// cases share one.
const CHUNK: usize = 20;

pub fn tensor(array: &Array) -> Tensor<f32> {
    Tensor::from_f64(TensorType::f32(array.shape.clone()), &array.data).expect("a tensor")
}

fn real(array: &Array) -> Tensor<f64> {
    Tensor::from_f64(TensorType::f32(array.shape.clone()), &array.data).expect("a tensor")
}

fn forward_name(case: &Case) -> String {
    format!("{}_forward", case.name)
}

fn pullback_name(case: &Case) -> String {
    format!("{}_pullback", case.name)
}

fn pullback(case: &Case) -> Option<Function> {
    case.cotangent.as_ref()?;
    let arguments: Vec<usize> = (0..case.inputs.len()).collect();
    let name = pullback_name(case);
    Some(autodiff::pullback(&case.function, &arguments, &name, "cotangent").expect("a pullback"))
}

/// The functions of a case: itself and, if a cotangent is known, its pullback.
pub fn functions(case: &Case) -> Vec<Function> {
    let mut forward = case.function.clone();
    forward.name = forward_name(case);
    [Some(forward), pullback(case)]
        .into_iter()
        .flatten()
        .map(|f| simplify(&f).expect("simplified"))
        .collect()
}

/// What was found.
#[derive(Default)]
struct Findings {
    wrong: Vec<String>,
    /// By operation the worst error, in spreads.
    worst: BTreeMap<String, f64>,
}

impl Findings {
    fn merge(mut self, other: Findings) -> Self {
        self.wrong.extend(other.wrong);
        for (op, units) in other.worst {
            self.note(&op, units);
        }
        self
    }

    fn note(&mut self, op: &str, units: f64) {
        let worst = self.worst.entry(op.to_owned()).or_default();
        *worst = worst.max(units);
    }

    fn fault(case: &Case, error: &str) -> Self {
        Findings {
            wrong: vec![format!("{}: {error}", case.name)],
            ..Findings::default()
        }
    }

    /// Compares a result. Zeros may have either sign.
    fn compare(
        &mut self,
        case: &Case,
        (what, exact): (&str, bool),
        expected: &[Rounded],
        found: &Tensor<f32>,
    ) {
        let values = found.to_f64();
        let units = expected.iter().zip(&values).map(|(e, &f)| e.units(f));
        let units = units.fold(0.0, f64::max);
        let most = if exact { 0.0 } else { allowed(&case.op) };
        self.note(&case.op, units);
        if units > most || expected.len() != values.len() {
            let expected: Vec<f64> = expected.iter().map(|e| e.value).collect();
            self.wrong.push(format!(
                "{}: {what} of {:?} is {units:.2} spreads off, {most} are allowed: expected {expected:?}, \
                 found {values:?}",
                case.name, case.function.body
            ));
        }
    }
}

/// Values and gradients of a case, with their spreads, at some inputs; without
/// gradients if it has no cotangent.
fn spreads(case: &Case, inputs: &[Array]) -> Vec<Tensor<Rounded>> {
    let arguments: Vec<Tensor<f64>> = inputs.iter().map(real).collect();
    let count = case.inputs.len();
    let forward = run_rounded(&case.function, &arguments[..count]).expect("values");
    let gradients = pullback(case).map(|f| run_rounded(&f, &arguments).expect("gradients"));
    forward
        .into_iter()
        .chain(gradients.into_iter().flatten())
        .collect()
}

/// The case at its own numbers.
fn golden(case: &Case) -> (Vec<Array>, Vec<Vec<Rounded>>) {
    let inputs: Vec<Array> = case.inputs.iter().chain(&case.cotangent).cloned().collect();
    let results = [&case.output].into_iter().chain(&case.gradients);
    let spreads = spreads(case, &inputs);
    assert_eq!(spreads.len(), 1 + case.gradients.len(), "{}", case.name);
    let expected = results.zip(&spreads).map(|(array, own)| {
        assert_eq!(array.shape, own.ty().shape, "{}", case.name);
        let pairs = array.data.iter().zip(own.as_numbers());
        // What the layer leaves by itself counts as one spread.
        let spread = |(&value, own): (&f64, &Rounded)| Rounded {
            value,
            spread: own
                .spread
                .hypot(case.tolerance * value.abs().max(1.0) / ROUNDOFF),
        };
        pairs.map(spread).collect()
    });
    (inputs, expected.collect())
}

/// The case at random numbers from `low` to 2; none if it has no answer there.
fn drawn(case: &Case, low: f64) -> Option<(Vec<Array>, Vec<Vec<Rounded>>)> {
    let mut random = Random::new(case.name.len() as u64);
    let like = case.inputs.iter().chain(&case.cotangent);
    let inputs: Vec<Array> = like
        .map(|array| Array {
            shape: array.shape.clone(),
            data: array
                .data
                .iter()
                .map(|_| f64::from(random.real(low, 2.0) as f32))
                .collect(),
        })
        .collect();
    let results = spreads(case, &inputs);
    let expected: Vec<Vec<Rounded>> = results.iter().map(|t| t.as_numbers().to_vec()).collect();
    let finite = expected.iter().flatten().all(|e| e.spread.is_finite());
    finite.then_some((inputs, expected))
}

fn check(machine: &Machine, loaded: &Loaded, case: &Case) -> Result<Findings, String> {
    let mut findings = Findings::default();
    let trials = [
        Some(("", case.exact, golden(case))),
        drawn(case, 0.5).map(|trial| (" at random positive numbers", false, trial)),
        drawn(case, -2.0).map(|trial| (" at random numbers", false, trial)),
    ];
    for (place, exact, (inputs, expected)) in trials.into_iter().flatten() {
        let arguments: Vec<Tensor<f32>> = inputs.iter().map(tensor).collect();
        let count = case.inputs.len();
        let mut found = machine.call(loaded, &forward_name(case), &arguments[..count])?;
        if case.cotangent.is_some() {
            found.extend(machine.call(loaded, &pullback_name(case), &arguments)?);
        }
        assert_eq!(found.len(), expected.len(), "{}", case.name);
        for (i, (expected, found)) in expected.iter().zip(&found).enumerate() {
            let what = match i {
                0 => format!("value{place}"),
                i => format!("gradient {}{place}", i - 1),
            };
            findings.compare(case, (&what, exact), expected, found);
        }
    }
    Ok(findings)
}

/// What is wrong with some cases, compiled as one module. If that fails, the
/// halves are tried, to find which case it is.
fn findings(machine: &Machine, cases: &[Case]) -> Findings {
    match machine.load(cases.iter().flat_map(functions).collect()) {
        Ok(loaded) => cases
            .iter()
            .map(|case| {
                let result = check(machine, &loaded, case);
                result.unwrap_or_else(|error| Findings::fault(case, &error))
            })
            .fold(Findings::default(), Findings::merge),
        Err(error) if cases.len() < 2 => {
            let fault = |case| Findings::fault(case, &error);
            let faults = cases.iter().map(fault);
            faults.fold(Findings::default(), Findings::merge)
        }
        Err(_) => {
            let (left, right) = cases.split_at(cases.len() / 2);
            findings(machine, left).merge(findings(machine, right))
        }
    }
}

/// Runs at least `least` cases on the CPU, and prints how far each operation
/// was off.
pub fn run(least: usize, chosen: &[Case]) {
    run_on(&Machine::new(), least, chosen);
}

/// Runs at least `least` cases.
pub fn run_on(machine: &Machine, least: usize, chosen: &[Case]) {
    assert!(chosen.len() >= least, "only {} cases", chosen.len());
    let found = chosen
        .chunks(CHUNK)
        .map(|chunk| findings(machine, chunk))
        .fold(Findings::default(), Findings::merge);
    for (op, units) in &found.worst {
        println!("{op:24} {units:5.2} spreads, of {}", allowed(op));
    }
    assert!(found.wrong.is_empty(), "{}", found.wrong.join("\n"));
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
