//! The pullback is the transposed derivative of the logits, and gives the
//! gradients from the derivative of the loss by them.

use super::error::Result;
use super::exact::directions;
use super::logits::Logits;
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

/// Checks `@pullback`, where the module has it and `@forward`. It is the
/// pullback of training; where that has other logits than `@forward`, they
/// are those of `@loss`.
pub(super) fn check(
    subject: &Subject,
    elements: &Values<Exact>,
    emitted: &Values<Exact>,
    logits: Option<&Logits>,
    random: &mut Random,
) -> Result<Vec<Check>> {
    let (true, Some(logits)) = (subject.has(NAME), logits) else {
        return Ok(Vec::new());
    };
    let statement = match logits.of_training {
        true => "is the transposed derivative of the logits of @loss",
        false => "is the transposed derivative of @forward",
    };
    let verdict = transposed(subject, elements, logits, random)?;
    let mut checks = vec![Check::new(NAME, statement, verdict)];
    if let Some((at, own)) = &logits.own {
        let slopes = loss_by_logits(subject, elements, *at, own)?;
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
    logits: &Logits,
    random: &mut Random,
) -> Result<Verdict> {
    let cotangent: Tensor<Exact> = point::direction(logits.evaluated.ty(), random)?;
    let results = pulled(subject, elements, cotangent.clone())?;
    let directions = directions(subject, elements, random)?;
    let backward = |name: &str| {
        let gradient = results.get(&gradient_name(name)).map(Tensor::as_numbers);
        let direction = directions.get(name).map(Tensor::as_numbers);
        point::inner(gradient.unwrap_or_default(), direction.unwrap_or_default()).element
    };
    let forward = |directions: &Values<Exact>| -> Result<Prime> {
        let tangents = tangents(subject, logits, &point::along(elements, directions)?)?;
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

/// How the logits move.
fn tangents(subject: &Subject, logits: &Logits, moved: &Values<Dual<Exact>>) -> Result<Vec<Exact>> {
    let tangents = |duals: &Tensor<Dual<Exact>>| -> Vec<Exact> {
        duals.as_numbers().iter().map(|dual| dual.tangent).collect()
    };
    if !logits.of_training {
        let results = subject.call("forward", moved)?;
        return Ok(results.get(LOGITS).map(tangents).unwrap_or_default());
    }
    let function = subject.function(LOSS)?;
    let arguments = subject.arguments(function, moved)?;
    let at = logits.own.as_ref().map(|(at, _)| *at);
    let mut found = Vec::new();
    run_observed(function, &arguments, LIMITS, |i, result| {
        if Some(i.result) == at {
            found = tangents(result);
        }
    })?;
    Ok(found)
}

/// The derivative of the loss by each logit, by dual numbers.
fn loss_by_logits(
    subject: &Subject,
    elements: &Values<Exact>,
    at: Value,
    logits: &Tensor<Exact>,
) -> Result<Tensor<Exact>> {
    let function = subject.function(LOSS)?;
    let arguments = subject.arguments(function, elements)?;
    let head = cut(function, at);
    let count = logits.as_numbers().len();
    let mut still = Vec::with_capacity(arguments.len() + 1);
    for argument in &arguments {
        still.push(point::move_tensor(argument, None)?);
    }
    let (zero, one) = (Exact::from_f64(0.0), Exact::from_f64(1.0));
    let mut slopes = Vec::with_capacity(count);
    for index in 0..count {
        let mut unit = vec![zero; count];
        unit[index] = one;
        still.push(point::move_tensor(logits, Some(&unit))?);
        let results = run(&head, &still)?;
        still.pop();
        let loss = results.first().and_then(|r| r.as_numbers().first());
        slopes.push(loss.map_or(zero, |dual| dual.tangent));
    }
    Ok(Tensor::numbers(logits.ty().clone(), slopes)?)
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
