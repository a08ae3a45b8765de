//! The pullback is the transposed derivative of the logits, and gives the
//! gradients from the derivative of the loss by them.

use super::error::Result;
use super::exact::directions;
use super::point;
use super::random::Random;
use super::report::{Check, Verdict};
use super::search::cut;
use super::subject::{LIMITS, Subject, Values, gradient_name};
use crate::lower::{LOGITS, LOSS};
use crate::program::COTANGENT;
use crate::reference::{Dual, Exact, Number, Prime, Tensor, run, run_observed};
use crate::stablehlo::Value;

const NAME: &str = "pullback";

/// Checks `@pullback`, where the module has it and `@forward`.
pub(super) fn check(
    subject: &Subject,
    elements: &Values<Exact>,
    emitted: &Values<Exact>,
    random: &mut Random,
) -> Result<Vec<Check>> {
    if !subject.has(NAME) || !subject.has("forward") {
        return Ok(Vec::new());
    }
    let logits = subject.call("forward", elements)?;
    let Some(logits) = logits.get(LOGITS) else {
        return Ok(Vec::new());
    };
    let mut checks = vec![Check::new(
        NAME,
        "is the transposed derivative of @forward",
        transposed(subject, elements, logits, random)?,
    )];
    if let Some(slopes) = loss_by_logits(subject, elements, logits)? {
        let results = pulled(subject, elements, slopes)?;
        let wrong = differing(subject, &results, emitted);
        let verdict = Verdict::of(wrong.is_empty(), || format!("not so: {}", wrong.join(", ")));
        let statement = "of the loss's derivative by the logits returns the gradients";
        checks.push(Check::new(NAME, statement, verdict));
    }
    Ok(checks)
}

fn pulled(
    subject: &Subject,
    elements: &Values<Exact>,
    cotangent: Tensor<Exact>,
) -> Result<Values<Exact>> {
    let mut values = elements.clone();
    values.insert(COTANGENT.to_owned(), cotangent);
    subject.call(NAME, &values)
}

/// <J^T c, r> = <c, J r> for a random cotangent c and direction r of all
/// parameters; where that fails, of each.
fn transposed(
    subject: &Subject,
    elements: &Values<Exact>,
    logits: &Tensor<Exact>,
    random: &mut Random,
) -> Result<Verdict> {
    let cotangent: Tensor<Exact> = point::direction(logits.ty(), random)?;
    let results = pulled(subject, elements, cotangent.clone())?;
    let directions = directions(subject, elements, random)?;
    let backward = |name: &str| {
        let gradient = results.get(&gradient_name(name)).map(Tensor::as_numbers);
        let direction = directions.get(name).map(Tensor::as_numbers);
        point::inner(gradient.unwrap_or_default(), direction.unwrap_or_default()).element
    };
    let forward = |directions: &Values<Exact>| -> Result<Prime> {
        let moved = subject.call("forward", &point::along(elements, directions)?)?;
        let duals = moved.get(LOGITS).map(Tensor::as_numbers);
        let duals: &[Dual<Exact>] = duals.unwrap_or_default();
        let tangents: Vec<Exact> = duals.iter().map(|dual| dual.tangent).collect();
        Ok(point::inner(cotangent.as_numbers(), &tangents).element)
    };
    let names = || subject.parameters().iter().map(|p| p.name.as_str());
    let all = names().map(backward).fold(Prime::ZERO, |sum, s| sum + s);
    if all == forward(&directions)? {
        return Ok(Verdict::Exact);
    }
    let mut wrong = Vec::new();
    for name in names() {
        let own = directions.get_key_value(name);
        let own = own.map(|(name, d)| (name.clone(), d.clone()));
        if backward(name) != forward(&own.into_iter().collect())? {
            wrong.push(name);
        }
    }
    Ok(Verdict::of(false, || {
        format!("not so: {}", wrong.join(", "))
    }))
}

/// The derivative of the loss by each logit, by dual numbers; `None` if no
/// value of `@loss` equals the logits.
fn loss_by_logits(
    subject: &Subject,
    elements: &Values<Exact>,
    logits: &Tensor<Exact>,
) -> Result<Option<Tensor<Exact>>> {
    let function = subject.function(LOSS)?;
    let arguments = subject.arguments(function, elements)?;
    let expected = point::field(logits);
    let mut at: Option<Value> = None;
    run_observed(function, &arguments, LIMITS, |i, result| {
        if result.ty() == logits.ty() && point::field(result) == expected {
            at = Some(i.result);
        }
    })?;
    let Some(at) = at else {
        return Ok(None);
    };
    let tail = cut(function, at);
    let mut still = Vec::with_capacity(arguments.len() + 1);
    for argument in &arguments {
        still.push(point::move_tensor(argument, None)?);
    }
    let (zero, one) = (Exact::from_f64(0.0), Exact::from_f64(1.0));
    let mut slopes = Vec::with_capacity(expected.len());
    for index in 0..expected.len() {
        let mut unit = vec![zero; expected.len()];
        unit[index] = one;
        still.push(point::move_tensor(logits, Some(&unit))?);
        let results = run(&tail, &still)?;
        still.pop();
        let loss = results.first().and_then(|r| r.as_numbers().first());
        slopes.push(loss.map_or(zero, |dual| dual.tangent));
    }
    Ok(Some(Tensor::numbers(logits.ty().clone(), slopes)?))
}

/// Parameters whose gradients differ.
fn differing<'a>(subject: &'a Subject, a: &Values<Exact>, b: &Values<Exact>) -> Vec<&'a str> {
    let elements =
        |values: &Values<Exact>, name: &str| values.get(&gradient_name(name)).map(point::field);
    let names = subject.parameters().iter().map(|p| p.name.as_str());
    names
        .filter(|name| elements(a, name).is_none() || elements(a, name) != elements(b, name))
        .collect()
}
