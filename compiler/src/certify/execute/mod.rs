//! Compiled programs against the interpreter, bit for bit.
//!
//! A function of convolutions, products, relu and max-pools maps integers to
//! integers. Where the absolute values of the terms of every sum add up to
//! less than 2^24, f32 holds every partial sum exactly, whatever the order of
//! summation; a program that is right on any device returns the interpreter's
//! values, with no tolerance to hide in. Only the sign of a zero is free.

mod magnitude;

use super::error::Result;
use super::point::{self, Draw};
use super::random::Random;
use super::report::{Check, Verdict};
use super::subject::{LIMITS, Subject, Values};
use crate::program::COTANGENT;
use crate::reference::{Tensor, run_observed};
use crate::stablehlo::{Function, Instruction};
use magnitude::Magnitude;

/// f32 holds every integer below.
pub const LIMIT: f64 = 16_777_216.0;

/// The functions that map integers to integers.
pub const FUNCTIONS: [&str; 2] = ["forward", "pullback"];

/// Non-zero weights per output that the first draw aims at.
const TERMS: f64 = 96.0;
/// Draws that are tried, each with half as many terms.
const DRAWS: usize = 8;

/// Runs a function on integers; its results are exact in f32 in any order of
/// summation.
///
/// # Errors
/// [`Refused`](crate::reference::Error::Operation) naming the first operation
/// that leaves the integers below [`LIMIT`], else as
/// [`run`](crate::reference::run).
pub fn run_integers(function: &Function, arguments: &[Tensor<f64>]) -> Result<Vec<Tensor<f64>>> {
    let mut lifted = Values::new();
    for (index, argument) in arguments.iter().enumerate() {
        lifted.insert(format!("{index:08}"), argument.clone());
    }
    let lifted = point::map(&lifted, |_, value| Magnitude::new(value))?;
    let arguments: Vec<Tensor<Magnitude>> = lifted.into_values().collect();
    let mut refused = None;
    // What is computed in regions goes by unseen.
    let unseen = |i: &&Instruction| i.op.compound().is_some_and(|op| !op.regions().is_empty());
    if let Some(i) = function.body.iter().find(unseen) {
        let refused = crate::reference::Error::Operation {
            op: i.op.name(),
            message: "has regions, whose sums are not watched".to_owned(),
            location: i.location.clone(),
        };
        return Err(refused.into());
    }
    let results = run_observed(function, &arguments, LIMITS, |i, result| {
        let outside = result.as_numbers().iter().find(|n| !n.is_safe());
        if let (None, Some(number)) = (&refused, outside) {
            refused = Some(crate::reference::Error::Operation {
                op: i.op.name(),
                message: number.complaint(),
                location: i.location.clone(),
            });
        }
    })?;
    if let Some(refused) = refused {
        return Err(refused.into());
    }
    let values = results.into_iter().enumerate();
    let values: Values<Magnitude> = values.map(|(i, t)| (format!("{i:08}"), t)).collect();
    let values = point::map(&values, |_, number| number.value())?;
    Ok(values.into_values().collect())
}

/// Integer arguments of a module, and what its functions must return.
#[derive(Debug, Clone)]
pub struct Case {
    /// Parameters, image and cotangent, canonical.
    pub values: Values<f64>,
    /// For each of [`FUNCTIONS`] its results, canonical.
    pub expected: Vec<(&'static str, Values<f64>)>,
}

/// Draws a case for two modules that should compute the same, such as a
/// portable and a tuned one: the first says what is expected, and both stay
/// within the bound.
///
/// # Errors
/// If no draw stays within the bound: the first operation that leaves it, such
/// as one that divides.
pub fn case(portable: &Subject, compiled: &Subject, seed: u64) -> Result<Case> {
    let mut random = Random::new(seed);
    let mut terms = TERMS;
    for _ in 1..DRAWS {
        let values = integers(portable, terms, &mut random)?;
        match expected(portable, &values).and_then(|e| expected(compiled, &values).map(|_| e)) {
            Ok(expected) => return Ok(Case { values, expected }),
            Err(_) => terms /= 2.0,
        }
    }
    let values = integers(portable, terms, &mut random)?;
    let result = expected(portable, &values)?;
    expected(compiled, &values)?;
    Ok(Case {
        values,
        expected: result,
    })
}

fn expected(subject: &Subject, values: &Values<f64>) -> Result<Vec<(&'static str, Values<f64>)>> {
    let of = |name| {
        let function = subject.written(name)?;
        let results = run_integers(function, &subject.arguments(function, values)?)?;
        Ok((name, subject.named(function, results)?))
    };
    FUNCTIONS.into_iter().map(of).collect()
}

/// Small integers: about this many weights of each output are not zero.
fn integers(subject: &Subject, terms: f64, random: &mut Random) -> Result<Values<f64>> {
    let drawn = point::draw(subject, &FUNCTIONS, Draw::Ternary(1.0), random)?;
    let density = |name: &str| {
        let parameter = subject.parameters().iter().find(|p| p.name == name);
        match parameter {
            Some(p) if p.role == "weight" => (terms / p.fan_in.max(1) as f64).min(1.0),
            Some(_) => 1.0,
            None if name == COTANGENT => 0.5,
            None => 1.0,
        }
    };
    point::map(&drawn, |name, value| {
        let kept = random.ternary(density(name)) != 0.0;
        let value = if kept { value } else { 0.0 };
        let is_image = name != COTANGENT && subject.parameters().iter().all(|p| p.name != name);
        // Pixels are 0, 1 or 2; ties of windows are frequent.
        if is_image { value + 1.0 } else { value }
    })
}

/// What a program returned against what it must return.
pub fn compare(function: &str, expected: &Values<f64>, found: &Values<f32>) -> Check {
    let verdict = match expected.iter().find_map(|(name, tensor)| {
        let found = found.get(name).map(Tensor::as_numbers);
        difference(name, tensor.as_numbers(), found.unwrap_or_default())
    }) {
        None => Verdict::Exact,
        Some(difference) => Verdict::of(false, || difference),
    };
    let numbers = expected.values().flat_map(|t| t.as_numbers());
    let largest = numbers.fold(0.0f64, |m, n| m.max(n.abs()));
    let count: usize = expected.values().map(|t| t.as_numbers().len()).sum();
    let statement = format!("compiled returns the interpreter's {count} integers, up to {largest}");
    Check::new(function, statement, verdict)
}

/// The first value that differs, and how many do.
pub fn difference(name: &str, expected: &[f64], found: &[f32]) -> Option<String> {
    if expected.len() != found.len() {
        let (found, expected) = (found.len(), expected.len());
        return Some(format!("`{name}` has {found} values, not {expected}"));
    }
    let pairs = expected.iter().zip(found).enumerate();
    let same = |e: f64, f: f64| e == f || e.is_nan() && f.is_nan();
    let mut wrong = pairs.filter(|(_, (e, f))| !same(**e, f64::from(**f)));
    let (index, (expected, found)) = wrong.next()?;
    let more = wrong.count();
    Some(format!(
        "`{name}` is {found} at {index}, not {expected}, and differs at {more} more places"
    ))
}

/// The function with every number that it computes as a result, so that a
/// comparison tells the first operation that a program gets wrong; results
/// are in the order of the instructions.
pub fn exposed(function: &Function) -> Function {
    let mut exposed = function.clone();
    exposed.outputs.clear();
    for instruction in &function.body {
        if function.ty(instruction.result).element.is_float() {
            exposed.output(None, instruction.result);
        }
    }
    exposed
}
