//! The operation whose rule is wrong.
//!
//! The true cotangent of any value v of the loss along a random direction R
//! comes from dual numbers: the loss, cut at v, with v moving along R. The
//! emitted cotangent of v is right if some value of the gradient function has
//! that inner product with R. From a parameter whose gradient is wrong the
//! search climbs through wrong cotangents towards the loss. Where the next one
//! is right, the rule in between is wrong.

use std::fmt;

use serde::Serialize;

use super::error::Result;
use super::point;
use super::random::Random;
use super::subject::{LIMITS, Subject, Values};
use crate::lower::LOSS;
use crate::reference::{Dual, Exact, Prime, Tensor, run, run_observed};
use crate::simplify::drop_unused;
use crate::stablehlo::{Function, Instruction, Value};

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fault {
    /// The operation whose derivative is wrong, without the dialect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub op: Option<String>,
    /// Where it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// In words.
    pub detail: String,
    /// The relative error in f64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
}

impl Fault {
    /// A fault without a place.
    pub fn plain(detail: impl Into<String>) -> Self {
        Fault {
            op: None,
            location: None,
            detail: detail.into(),
            error: None,
        }
    }

    /// The fault with its size.
    pub fn with_error(mut self, error: f64) -> Self {
        self.error = Some(error);
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(op) = &self.op {
            write!(f, "at {op}")?;
            if let Some(location) = &self.location {
                write!(f, ", {location}")?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.detail)?;
        match self.error {
            Some(error) => write!(f, " (relative error {error:.1e})"),
            None => Ok(()),
        }
    }
}

/// Why the gradient of `parameter` is wrong at these elements; `None` if the
/// loss does not take it.
///
/// # Errors
/// As [`Subject::call`].
pub fn search(
    subject: &Subject,
    elements: &Values<Exact>,
    parameter: &str,
    random: &mut Random,
) -> Result<Option<Fault>> {
    let function = subject.written(LOSS)?;
    let named = |a: &&crate::stablehlo::Argument| a.name.as_deref() == Some(parameter);
    let Some(argument) = function.arguments.iter().find(named) else {
        return Ok(None);
    };
    let mut trace = Trace::new(subject, elements, random)?;
    let mut at = argument.value;
    loop {
        let users = trace.users(at);
        let mut wrong = None;
        for user in users.iter().rev() {
            if !trace.is_right(user.result)? {
                wrong = Some(user.result);
                break;
            }
        }
        match wrong {
            Some(value) => at = value,
            None => return Ok(Some(verdict(&users))),
        }
    }
}

/// The cotangents of the results of these instructions are right, that of
/// their operand is not.
fn verdict(users: &[&Instruction]) -> Fault {
    let detail = match users {
        [] => "nothing but zero is its derivative: it does not reach the loss".to_owned(),
        [_] => "the cotangent of its result is right, that of its operand is not".to_owned(),
        users => {
            let names: Vec<String> = users
                .iter()
                .map(|user| format!("{} at {}", user.op.name(), user.location))
                .collect();
            format!(
                "its operand is used {} times ({}); the cotangents of these are right, their sum \
                 is not",
                users.len(),
                names.join(", ")
            )
        }
    };
    let first = users.first();
    Fault {
        op: first.map(|user| user.op.name().to_owned()),
        location: first
            .filter(|user| user.location.place.is_some())
            .map(|user| user.location.to_string()),
        detail,
        error: None,
    }
}

/// All values of the loss and of its emitted gradient.
struct Trace<'a> {
    /// The loss as it is written.
    written: &'a Function,
    /// The loss as it is interpreted; values of the other have their numbers.
    function: &'a Function,
    arguments: Vec<Tensor<Exact>>,
    values: Vec<Option<Tensor<Exact>>>,
    emitted: Vec<Vec<Prime>>,
    random: &'a mut Random,
}

impl<'a> Trace<'a> {
    fn new(subject: &'a Subject, elements: &Values<Exact>, random: &'a mut Random) -> Result<Self> {
        let function = subject.function(LOSS)?;
        let arguments = subject.arguments(function, elements)?;
        let mut values: Vec<Option<Tensor<Exact>>> = vec![None; function.value_count()];
        run_observed(function, &arguments, LIMITS, |instruction, result| {
            values[instruction.result.index()] = Some(result.clone());
        })?;
        // A right value that nothing uses proves nothing.
        let gradients = drop_unused(subject.function("gradients")?);
        let given = subject.arguments(&gradients, elements)?;
        let mut emitted = Vec::new();
        run_observed(&gradients, &given, LIMITS, |_, result| {
            if result.ty().element.is_float() {
                emitted.push(point::field(result));
            }
        })?;
        Ok(Trace {
            written: subject.written(LOSS)?,
            function,
            arguments,
            values,
            emitted,
            random,
        })
    }

    /// The instructions through which a value reaches the loss.
    fn users(&self, value: Value) -> Vec<&'a Instruction> {
        let uses = |i: &&Instruction| {
            i.operands.contains(&value)
                && !i.stop_gradient
                && self.written.ty(i.result).element.is_float()
        };
        self.written.body.iter().filter(uses).collect()
    }

    /// Whether a value of the gradient is the cotangent of `value`. Zero needs
    /// none, and the loss has the cotangent 1.
    fn is_right(&mut self, value: Value) -> Result<bool> {
        let Some(tensor) = self.values.get(value.index()).and_then(Option::as_ref) else {
            return Ok(false);
        };
        let direction: Tensor<Exact> = point::direction(tensor.ty(), self.random)?;
        let along = point::field(&direction);
        let tail = cut(self.function, value);
        let mut arguments = Vec::with_capacity(self.arguments.len() + 1);
        for argument in &self.arguments {
            arguments.push(moved(argument, None)?);
        }
        arguments.push(moved(tensor, Some(&direction))?);
        let results = run(&tail, &arguments)?;
        let loss = results.first().and_then(|r| r.as_numbers().first());
        let slope = loss.map_or(Prime::ZERO, |dual| dual.tangent.element);
        if slope == Prime::ZERO || self.function.outputs.iter().any(|o| o.value == value) {
            return Ok(true);
        }
        let inner = |elements: &Vec<Prime>| {
            let terms = elements.iter().zip(&along).map(|(&e, &d)| e * d);
            terms.fold(Prime::ZERO, |sum, term| sum + term)
        };
        let fits = |elements: &&Vec<Prime>| elements.len() == along.len();
        let mut candidates = self.emitted.iter().filter(fits);
        Ok(candidates.any(|elements| inner(elements) == slope))
    }
}

/// A value as a dual number, along a direction where one is given.
fn moved(value: &Tensor<Exact>, direction: Option<&Tensor<Exact>>) -> Result<Tensor<Dual<Exact>>> {
    point::move_tensor(value, direction.map(Tensor::as_numbers))
}

/// The function with one more argument that takes the place of `value`.
pub(super) fn cut(function: &Function, value: Value) -> Function {
    let mut tail = function.clone();
    let given = tail.argument(None, function.ty(value).clone());
    let operands = tail.body.iter_mut().flat_map(|i| &mut i.operands);
    let outputs = tail.outputs.iter_mut().map(|o| &mut o.value);
    for place in operands.chain(outputs).filter(|place| **place == value) {
        *place = given;
    }
    drop_unused(&tail)
}
