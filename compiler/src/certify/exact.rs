//! The emitted gradient is the derivative of the emitted loss.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::error::Result;
use super::logits::Logits;
use super::point::Draw;
use super::random::Random;
use super::report::{Certificate, Check, Gradient, Verdict};
use super::search::{self, Fault};
use super::subject::{Subject, Values, gradient_name};
use super::{degree, numeric, point, pullback, step};
use crate::lower::LOSS;
use crate::reference::{Dual, Exact, Prime, Tensor};
use crate::stablehlo::{BinaryOp, Function, Op, UnaryOp};

/// Largest relative error of a numeric certificate.
pub const TOLERANCE: f64 = 1e-9;

/// How likely an entry is not zero where ties are wanted: the fewer, the
/// smaller the sums, and the more of them are equal.
pub(super) const TIES: [f64; 3] = [0.5, 0.25, 0.125];

/// How to certify.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// How often everything is checked, each time with new field elements and
    /// new directions.
    pub directions: usize,
    /// What the random numbers come from.
    pub seed: u64,
    /// Move all parameters at once, and one by one only if that fails. The
    /// statement is the same, its chance of being wrong, too; it is faster by
    /// the number of parameters.
    pub joint: bool,
    /// Derivatives that are computed side by side.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            directions: 2,
            seed: 0,
            joint: false,
            threads: 1,
        }
    }
}

/// Certifies a module at a data point: real values for every argument of
/// `@loss`.
///
/// # Errors
/// If a function cannot be run on these values; a wrong gradient is a finding.
pub fn certify(subject: &Subject, values: &Values<f64>, options: &Options) -> Result<Certificate> {
    let mut random = Random::new(options.seed);
    let mut wrong: BTreeSet<usize> = BTreeSet::new();
    let mut loss = true;
    let mut last = None;
    for _ in 0..options.directions.max(1) {
        let elements = point::elements(values, &mut random)?;
        let round = Round::new(subject, &elements, &mut random)?;
        let found = round.run(options)?;
        loss &= found.loss;
        wrong.extend(&found.wrong);
        last = Some((elements, found));
    }
    let mut checks = vec![Check::new(
        "gradients",
        "returns the loss of @loss",
        Verdict::of(loss, || "it returns another value".to_owned()),
    )];
    if let Some((elements, found)) = &last {
        let logits = Logits::find(subject, elements)?;
        let logits = logits.as_ref();
        let emitted = &found.emitted;
        checks.extend(step::check(
            subject,
            elements,
            emitted,
            logits,
            &mut random,
        )?);
        checks.extend(pullback::check(
            subject,
            elements,
            emitted,
            logits,
            &mut random,
        )?);
    }
    checks.push(Check::new(
        "gradients",
        "is right where decisions tie, too",
        tied(subject, options, &mut random)?,
    ));
    let mut gradients = Vec::new();
    for (index, parameter) in subject.parameters().iter().enumerate() {
        let verdict = match (wrong.contains(&index), &last) {
            (true, Some((elements, _))) => {
                refuted(subject, values, elements, &parameter.name, &mut random)?
            }
            _ => Verdict::Exact,
        };
        gradients.push(Gradient {
            parameter: parameter.name.clone(),
            shape: parameter.shape.clone(),
            verdict,
        });
    }
    Ok(Certificate {
        gradients,
        checks,
        confidence: degree::of_derivatives(compared(subject), options.directions.max(1)),
    })
}

/// Whether the gradients follow the language where decisions tie: no relu moves
/// at 0, two variables share evenly, and the first maximal cell of a window
/// takes all. Small integers tie often, and where all is symmetric the cells of a
/// window beside its diagonal do.
fn tied(subject: &Subject, options: &Options, random: &mut Random) -> Result<Verdict> {
    let mut verdict = Verdict::Exact;
    let draws = TIES.into_iter().map(Draw::Ternary);
    for draw in draws.chain([Draw::Symmetric(0.5), Draw::Symmetric(0.25)]) {
        match tied_at(subject, draw, options, random)? {
            Verdict::Exact => {}
            Verdict::Failed(fault) => return Ok(Verdict::Failed(fault)),
            numeric => verdict = numeric,
        }
    }
    Ok(verdict)
}

fn tied_at(
    subject: &Subject,
    draw: Draw,
    options: &Options,
    random: &mut Random,
) -> Result<Verdict> {
    let values = point::draw(subject, &[LOSS], draw, random)?;
    let elements = point::elements(&values, random)?;
    let options = Options {
        joint: true,
        ..options.clone()
    };
    let found = Round::new(subject, &elements, random)?.run(&options)?;
    let mut verdict = Verdict::Exact;
    for parameter in found
        .wrong
        .iter()
        .filter_map(|&i| subject.parameters().get(i))
    {
        let name = &parameter.name;
        verdict = match refuted(subject, &values, &elements, name, random)? {
            Verdict::Failed(fault) => {
                let detail = format!("{name}: {}", fault.detail);
                return Ok(Verdict::Failed(Fault { detail, ..fault }));
            }
            other => other,
        };
    }
    Ok(verdict)
}

/// The functions that certificates run.
fn compared(subject: &Subject) -> impl Iterator<Item = &Function> {
    let functions = subject.functions().iter();
    functions.filter(|function| function.name != "init")
}

/// What a gradient is that is not exact: numeric where the field has no laws
/// for an operation, else wrong.
fn refuted(
    subject: &Subject,
    values: &Values<f64>,
    elements: &Values<Exact>,
    parameter: &str,
    random: &mut Random,
) -> Result<Verdict> {
    let error = numeric::relative_error(subject, values, parameter, random)?;
    let because = lawless(subject)?;
    if error <= TOLERANCE && !because.is_empty() {
        return Ok(Verdict::Numeric { error, because });
    }
    let fault = search::search(subject, elements, parameter, random)?;
    let fault = fault.unwrap_or_else(|| Fault::plain("its gradient is not the derivative"));
    Ok(Verdict::Failed(fault.with_error(error)))
}

/// The operations of `@loss` whose stand-ins in the field obey fewer laws than
/// the real functions: a root squared is not the number, sine and cosine do
/// not lie on a circle, a power of a power is no power.
fn lawless(subject: &Subject) -> Result<Vec<String>> {
    let body = &subject.written(LOSS)?.body;
    let names = body.iter().filter_map(|instruction| match &instruction.op {
        Op::Unary(
            UnaryOp::Cbrt
            | UnaryOp::Cosine
            | UnaryOp::Rsqrt
            | UnaryOp::Sine
            | UnaryOp::Sqrt
            | UnaryOp::Tan,
        )
        | Op::Binary(BinaryOp::Atan2 | BinaryOp::Power) => Some(instruction.op.name().to_owned()),
        _ => None,
    });
    let names: BTreeSet<String> = names.collect();
    Ok(names.into_iter().collect())
}

/// One choice of elements and directions.
struct Round<'a> {
    subject: &'a Subject,
    elements: &'a Values<Exact>,
    directions: Values<Exact>,
}

/// What one round finds.
struct Found {
    emitted: Values<Exact>,
    loss: bool,
    wrong: Vec<usize>,
}

/// A result of one of the runs of a round.
enum Part {
    Emitted(Values<Exact>),
    Derivative(Dual<Exact>),
}

impl<'a> Round<'a> {
    fn new(subject: &'a Subject, elements: &'a Values<Exact>, random: &mut Random) -> Result<Self> {
        Ok(Round {
            directions: directions(subject, elements, random)?,
            subject,
            elements,
        })
    }

    fn run(&self, options: &Options) -> Result<Found> {
        let names: Vec<&str> = self
            .subject
            .parameters()
            .iter()
            .map(|p| p.name.as_str())
            .collect();
        let single: Vec<Vec<&str>> = names.iter().map(|&name| vec![name]).collect();
        let together = vec![names.clone()];
        let groups = if options.joint { &together } else { &single };
        // The gradient is the longest run; it comes first.
        let parts = parallel(options.threads, groups.len() + 1, |job| -> Result<Part> {
            match job {
                0 => {
                    let emitted = self.subject.call("gradients", self.elements)?;
                    Ok(Part::Emitted(emitted))
                }
                _ => Ok(Part::Derivative(self.derivative(&groups[job - 1])?)),
            }
        });
        let mut emitted = Values::new();
        let mut derivatives = Vec::new();
        for part in parts {
            match part? {
                Part::Emitted(values) => emitted = values,
                Part::Derivative(dual) => derivatives.push(dual),
            }
        }
        let value = emitted.get(LOSS).and_then(|t| t.as_numbers().first());
        let same = |dual: &Dual<Exact>| value.is_some_and(|v| v.element == dual.value.element);
        let loss = derivatives.iter().all(same);
        let right = |group: &[&str], dual: &Dual<Exact>| {
            let terms = group.iter().map(|name| self.along(&emitted, name));
            terms.fold(Prime::ZERO, |sum, term| sum + term) == dual.tangent.element
        };
        let mut wrong = Vec::new();
        if options.joint {
            if !groups.iter().zip(&derivatives).all(|(g, d)| right(g, d)) {
                for (index, group) in single.iter().enumerate() {
                    if !right(group, &self.derivative(group)?) {
                        wrong.push(index);
                    }
                }
            }
        } else {
            let pairs = groups.iter().zip(&derivatives).enumerate();
            wrong = pairs
                .filter(|(_, (group, dual))| !right(group, dual))
                .map(|(index, _)| index)
                .collect();
        }
        Ok(Found {
            emitted,
            loss,
            wrong,
        })
    }

    /// The emitted gradient of a parameter along its direction.
    fn along(&self, emitted: &Values<Exact>, name: &str) -> Prime {
        let numbers = |values: &Values<Exact>, name: &str| {
            values.get(name).map(point::field).unwrap_or_default()
        };
        let gradient = numbers(emitted, &gradient_name(name));
        let direction = numbers(&self.directions, name);
        let terms = gradient.iter().zip(&direction).map(|(&g, &d)| g * d);
        terms.fold(Prime::ZERO, |sum, term| sum + term)
    }

    /// The loss along the directions of these parameters.
    fn derivative(&self, names: &[&str]) -> Result<Dual<Exact>> {
        let directions: Values<Exact> = self
            .directions
            .iter()
            .filter(|(name, _)| names.contains(&name.as_str()))
            .map(|(name, tensor)| (name.clone(), tensor.clone()))
            .collect();
        let moved = point::along(self.elements, &directions)?;
        let results = self.subject.call(LOSS, &moved)?;
        let first = results.values().next().map(Tensor::as_numbers);
        let missing = Dual::constant(Exact::new(Prime::ZERO, f64::NAN));
        Ok(first.and_then(|n| n.first()).copied().unwrap_or(missing))
    }
}

/// A random direction for every parameter.
pub(super) fn directions(
    subject: &Subject,
    elements: &Values<Exact>,
    random: &mut Random,
) -> Result<Values<Exact>> {
    let mut directions = Values::new();
    for parameter in subject.parameters() {
        if let Some(tensor) = elements.get(&parameter.name) {
            let direction = point::direction(tensor.ty(), random)?;
            directions.insert(parameter.name.clone(), direction);
        }
    }
    Ok(directions)
}

/// The results of `count` jobs, in order, at most `threads` at a time.
pub(super) fn parallel<T: Send>(
    threads: usize,
    count: usize,
    job: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::with_capacity(count));
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return;
            }
            let result = job(index);
            match done.lock() {
                Ok(mut done) => done.push((index, result)),
                Err(poisoned) => poisoned.into_inner().push((index, result)),
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(count) {
            scope.spawn(work);
        }
        work();
    });
    let mut done = match done.into_inner() {
        Ok(done) => done,
        Err(poisoned) => poisoned.into_inner(),
    };
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}
