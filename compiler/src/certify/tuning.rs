//! Two modules compute the same: translation validation.

use std::fmt;

use serde::Serialize;

use super::audit;
use super::degree::{self, Confidence};
use super::error::Result;
use super::exact::{TIES, parallel};
use super::point::{self, Draw};
use super::random::Random;
use super::report::{self, Check, Verdict};
use super::subject::{Subject, Values};
use crate::program::FUNCTIONS;
use crate::reference::{Bounded, Data, Exact, Tensor};

/// How to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// What the random numbers come from.
    pub seed: u64,
    /// Functions that are run side by side.
    pub threads: usize,
    /// The functions to compare; all that the first module has if empty.
    pub functions: Vec<&'static str>,
    /// What is stated of each.
    pub statement: &'static str,
    /// Whether to compare where decisions tie as well, which asks that both
    /// modules round alike: Winograd's form tells cells apart that are equal.
    pub ties: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            seed: 0,
            threads: 1,
            functions: Vec::new(),
            statement: "tuned equals portable",
            ties: true,
        }
    }
}

/// What a comparison found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// One statement per function.
    pub checks: Vec<Check>,
    /// How often a function was run where rounding may change a decision, and
    /// did change one: that says nothing of either module.
    pub set_aside: usize,
    /// How likely a function that differs is to be called the same: the bound
    /// for the function where it is largest. A difference that shows on one
    /// smooth piece only is met at the points on that piece alone.
    pub confidence: Confidence,
}

impl Comparison {
    /// Whether everything is the same.
    pub fn holds(&self) -> bool {
        self.checks.iter().all(|check| check.verdict.holds())
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        report::checks(f, &self.checks)?;
        if self.set_aside > 0 {
            writeln!(
                f,
                "{} runs were set aside: at their points a decision rests on rounding",
                self.set_aside
            )?;
        }
        writeln!(f, "\n{}", self.confidence)
    }
}

/// Compares each function of `tuned` with that of `portable` on canonical
/// values, exactly over the field: led by small integers, which f64 adds
/// without rounding in any order and which tie often, and once by real
/// numbers; by those alone without [`Options::ties`].
///
/// Behind a division, as in a batch norm, integers are no longer exact, and a
/// tie may be one up to rounding only, which is each module's own. Where the
/// results differ at such a point, and are the same at others, they count as
/// the same.
///
/// # Errors
/// If a function that `portable` has is missing in `tuned`, or cannot be run.
pub fn compare(portable: &Subject, tuned: &Subject, options: &Options) -> Result<Comparison> {
    let wanted = |name: &&str| match options.functions.is_empty() {
        true => portable.has(name),
        false => options.functions.contains(name),
    };
    let names: Vec<&str> = FUNCTIONS.into_iter().filter(wanted).collect();
    let mut random = Random::new(options.seed);
    let mut cases = Vec::new();
    let ties = TIES.into_iter().filter(|_| options.ties);
    for how in ties.map(Draw::Ternary).chain([Draw::Real]) {
        let values = point::draw(portable, &names, how, &mut random)?;
        cases.push(point::elements(&values, &mut random)?);
    }
    let found = parallel(options.threads, names.len() * cases.len(), |job| {
        let (name, values) = (names[job / cases.len()], &cases[job % cases.len()]);
        let expected = portable.call(name, values)?;
        let Some(difference) = difference(&expected, &tuned.call(name, values)?) else {
            return Ok(Finding::Same);
        };
        let either =
            rests_on_rounding(portable, name, values)? || rests_on_rounding(tuned, name, values)?;
        Ok(match either {
            true => Finding::Rounding(difference),
            false => Finding::Different(difference),
        })
    });
    let found = found.into_iter().collect::<Result<Vec<_>>>()?;
    let by_name = || found.chunks(cases.len().max(1));
    let verdicts = by_name().map(|findings| {
        let wrong = wrong(findings);
        Verdict::of(wrong.is_none(), || wrong.unwrap_or_default())
    });
    let aside = |findings: &[Finding]| match wrong(findings) {
        Some(_) => 0,
        None => findings.iter().filter(|&f| *f != Finding::Same).count(),
    };
    let set_aside: Vec<usize> = by_name().map(aside).collect();
    let rounds = cases.len() - set_aside.iter().copied().max().unwrap_or(0);
    let checks = names.iter().zip(verdicts);
    let checks = checks.map(|(name, verdict)| Check::new(name, options.statement, verdict));
    Ok(Comparison {
        checks: checks.collect(),
        set_aside: set_aside.iter().sum(),
        confidence: confidence([portable, tuned], &names, rounds)?,
    })
}

/// What a function of both modules gave at a point.
#[derive(Debug, PartialEq)]
enum Finding {
    Same,
    Different(String),
    /// Different, where rounding may change a decision.
    Rounding(String),
}

/// What is wrong by the findings at all points.
fn wrong(findings: &[Finding]) -> Option<String> {
    let different = findings.iter().find_map(|finding| match finding {
        Finding::Different(text) => Some(text.clone()),
        _ => None,
    });
    let nowhere = || match findings.first() {
        Some(Finding::Rounding(text)) if !findings.contains(&Finding::Same) => Some(format!(
            "{text}, and so at every point, if only where decisions rest on rounding"
        )),
        _ => None,
    };
    different.or_else(nowhere)
}

fn rests_on_rounding(subject: &Subject, name: &str, values: &Values<Exact>) -> Result<bool> {
    let values = point::map(values, |_, n| Bounded::new(n.element, n.shadow, 0.0))?;
    let function = subject.function(name)?;
    let arguments = subject.arguments(function, &values)?;
    Ok(audit::rests_on_rounding(function, &arguments)?)
}

/// The bound for the function where it is largest.
fn confidence(subjects: [&Subject; 2], names: &[&str], rounds: usize) -> Result<Confidence> {
    let mut worst = degree::of_results([], rounds);
    for name in names {
        let functions = [subjects[0].function(name)?, subjects[1].function(name)?];
        let own = degree::of_results(functions, rounds);
        if own.once > worst.once {
            worst = own;
        }
    }
    Ok(worst)
}

/// The first results that differ.
fn difference(expected: &Values<Exact>, found: &Values<Exact>) -> Option<String> {
    let names = |values: &Values<Exact>| values.keys().cloned().collect::<Vec<_>>().join(", ");
    if !expected.keys().eq(found.keys()) {
        return Some(format!(
            "it returns {} instead of {}",
            names(found),
            names(expected)
        ));
    }
    expected.iter().find_map(|(name, expected)| {
        let found = found.get(name)?;
        if expected.ty() != found.ty() {
            return Some(format!("`{name}` is {}, not {}", found.ty(), expected.ty()));
        }
        let differ = differ(expected, found);
        let first = differ.iter().position(|&d| d)?;
        let count = differ.iter().filter(|&&d| d).count();
        Some(format!(
            "`{name}` differs in {count} of {} elements, first at {:?}",
            differ.len(),
            index(&expected.ty().shape, first)
        ))
    })
}

fn differ(a: &Tensor<Exact>, b: &Tensor<Exact>) -> Vec<bool> {
    match (a.data(), b.data()) {
        (Data::Numbers(a), Data::Numbers(b)) => {
            let pairs = a.iter().zip(b);
            pairs.map(|(a, b)| a.element != b.element).collect()
        }
        (Data::Integers(a), Data::Integers(b)) => a.iter().zip(b).map(|(a, b)| a != b).collect(),
        _ => vec![true],
    }
}

/// The index of a row-major position.
fn index(shape: &[i64], position: usize) -> Vec<i64> {
    let mut rest = position as i64;
    let mut index = vec![0; shape.len()];
    for (place, &size) in index.iter_mut().zip(shape).rev() {
        *place = rest % size.max(1);
        rest /= size.max(1);
    }
    index
}
