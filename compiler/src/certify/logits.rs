//! Where the logits stand: those that `@forward` returns, which are of
//! evaluation, and those that `@loss` computes, which are of training. Layers
//! with running statistics or random numbers tell them apart.

use super::error::Result;
use super::point;
use super::search::cut;
use super::subject::{LIMITS, Subject, Values};
use crate::lower::{LOGITS, LOSS, WEIGHT};
use crate::reference::{Exact, Number, Prime, Tensor, run, run_observed};
use crate::stablehlo::{Function, TensorType, Value};

/// The logits of one choice of elements.
pub(super) struct Logits {
    /// What `@forward` returns.
    pub evaluated: Tensor<Exact>,
    /// The value of `@loss` that is its logits, if one is found.
    pub own: Option<(Value, Tensor<Exact>)>,
    /// Whether training computes others than evaluation, as it may where there
    /// is model state.
    pub of_training: bool,
}

impl Logits {
    /// `None` if the module lacks a function to find them by.
    pub fn find(subject: &Subject, elements: &Values<Exact>) -> Result<Option<Self>> {
        if !subject.has("forward") {
            return Ok(None);
        }
        let results = subject.call("forward", elements)?;
        let Some(evaluated) = results.get(LOGITS).cloned() else {
            return Ok(None);
        };
        let function = subject.function(LOSS)?;
        let arguments = subject.arguments(function, elements)?;
        let candidates = values(function, &arguments, evaluated.ty())?;
        let same = equal_to(&evaluated);
        let found = candidates.iter().rfind(|(_, value)| same(value));
        if found.is_some() || !subject.has_model_state() {
            return Ok(Some(Logits {
                own: found.cloned(),
                evaluated,
                of_training: false,
            }));
        }
        if !subject.has("evaluate") {
            return Ok(None);
        }
        let loss = run(function, &arguments)?;
        let loss = loss.first().and_then(|l| l.as_numbers().first());
        let own = match loss {
            Some(loss) => by_head(subject, elements, &evaluated, candidates, loss.element)?,
            None => None,
        };
        Ok(Some(Logits {
            evaluated,
            own,
            of_training: true,
        }))
    }

    /// Those of the mode in which `@train_step` runs.
    pub fn trained(&self) -> &Tensor<Exact> {
        match (&self.own, self.of_training) {
            (Some((_, own)), true) => own,
            _ => &self.evaluated,
        }
    }
}

fn equal_to(expected: &Tensor<Exact>) -> impl Fn(&Tensor<Exact>) -> bool + use<> {
    let expected = point::field(expected);
    move |value| point::field(value) == expected
}

/// The floating-point values of a function that have this type, in order.
fn values(
    function: &Function,
    arguments: &[Tensor<Exact>],
    ty: &TensorType,
) -> Result<Vec<(Value, Tensor<Exact>)>> {
    let mut values = Vec::new();
    run_observed(function, arguments, LIMITS, |i, result| {
        if result.ty() == ty {
            values.push((i.result, result.clone()));
        }
    })?;
    Ok(values)
}

/// The first value from which `@evaluate` would compute this mean loss, with
/// all weights 1.
fn by_head(
    subject: &Subject,
    elements: &Values<Exact>,
    evaluated: &Tensor<Exact>,
    candidates: Vec<(Value, Tensor<Exact>)>,
    loss: Prime,
) -> Result<Option<(Value, Tensor<Exact>)>> {
    let function = subject.function("evaluate")?;
    let slots = subject.slots(function)?;
    let Some((_, ty)) = slots.into_iter().find(|(name, _)| name == WEIGHT) else {
        return Ok(None);
    };
    let total = loss * Prime::from_integer(ty.elements().into());
    let ones = vec![Exact::from_f64(1.0); ty.elements().max(0) as usize];
    let mut given = elements.clone();
    given.insert(WEIGHT.to_owned(), Tensor::numbers(ty, ones)?);
    let mut arguments = subject.arguments(function, &given)?;
    let same = equal_to(evaluated);
    let own = values(function, &arguments, evaluated.ty())?;
    let Some((at, _)) = own.iter().rfind(|(_, value)| same(value)) else {
        return Ok(None);
    };
    let head = cut(function, *at);
    for (at, candidate) in candidates {
        arguments.push(candidate.clone());
        let results = run(&head, &arguments)?;
        arguments.pop();
        let sum = results.first().and_then(|r| r.as_numbers().first());
        if sum.is_some_and(|sum| sum.element == total) {
            return Ok(Some((at, candidate)));
        }
    }
    Ok(None)
}
