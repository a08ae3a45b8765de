//! The training step and the evaluation, from the gradient and the loss.

use super::error::Result;
use super::point;
use super::random::Random;
use super::report::{Check, Verdict};
use super::subject::{LIMITS, Subject, Values, gradient_name};
use crate::lower::{CORRECT, LABEL, LOGITS, LOSS, WEIGHT};
use crate::optimizer::LR;
use crate::reference::{Exact, Prime, Tensor, run_observed};
use crate::stablehlo::TensorType;

/// Checks `@train_step` and `@evaluate`, where the module has them.
pub(super) fn check(
    subject: &Subject,
    elements: &Values<Exact>,
    emitted: &Values<Exact>,
    random: &mut Random,
) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    let correct = match subject.has("forward") {
        true => Some(correct(&subject.call("forward", elements)?, elements)),
        false => None,
    };
    if subject.has("train_step") {
        train_step(subject, elements, emitted, correct, random, &mut checks)?;
    }
    if subject.has("evaluate") {
        evaluate(subject, elements, emitted, correct, random, &mut checks)?;
    }
    Ok(checks)
}

fn train_step(
    subject: &Subject,
    elements: &Values<Exact>,
    emitted: &Values<Exact>,
    correct: Option<i64>,
    random: &mut Random,
    checks: &mut Vec<Check>,
) -> Result<()> {
    let lr = Exact::new(random.element(), 0.125);
    let mut values = elements.clone();
    values.insert(LR.to_owned(), point::scalar(lr)?);
    let name = "train_step";
    let statement = "parameters become w - lr gradient";
    if subject.optimizer() != Some("sgd") {
        let reason = "no formula is known here for the module's optimizer";
        let verdict = Verdict::of(false, || reason.to_owned());
        checks.push(Check::new(name, statement, verdict));
        return Ok(());
    }
    let results = subject.call(name, &values)?;
    let mut wrong = Vec::new();
    for parameter in subject.parameters() {
        let get = |values: &Values<Exact>, name: &str| {
            values.get(name).map(point::field).unwrap_or_default()
        };
        let before = get(elements, &parameter.name);
        let gradient = get(emitted, &gradient_name(&parameter.name));
        let after = get(&results, &parameter.name);
        let expected = before.iter().zip(&gradient);
        let expected = expected.map(|(&w, &g)| w - lr.element * g);
        if !after.iter().copied().eq(expected) {
            wrong.push(parameter.name.as_str());
        }
    }
    let verdict = Verdict::of(wrong.is_empty(), || format!("not so: {}", wrong.join(", ")));
    checks.push(Check::new(name, statement, verdict));
    let same = first(&results, LOSS).is_some() && first(&results, LOSS) == first(emitted, LOSS);
    let verdict = Verdict::of(same, || "it returns another value".to_owned());
    checks.push(Check::new(name, "returns the loss of @loss", verdict));
    checks.extend(counted(name, &results, correct));
    Ok(())
}

fn evaluate(
    subject: &Subject,
    elements: &Values<Exact>,
    emitted: &Values<Exact>,
    correct: Option<i64>,
    random: &mut Random,
    checks: &mut Vec<Check>,
) -> Result<()> {
    let name = "evaluate";
    let slots = subject.slots(subject.function(name)?)?;
    let Some((_, ty)) = slots.into_iter().find(|(name, _)| name == WEIGHT) else {
        return Ok(());
    };
    let Some(losses) = per_example(subject, elements, emitted, &ty)? else {
        return Ok(());
    };
    let weights: Vec<Exact> = losses
        .iter()
        .map(|_| Exact::new(random.element(), 1.0))
        .collect();
    let terms = losses.iter().zip(&weights).map(|(&l, w)| l * w.element);
    let total = terms.fold(Prime::ZERO, |sum, term| sum + term);
    let mut values = elements.clone();
    values.insert(WEIGHT.to_owned(), Tensor::numbers(ty, weights)?);
    let results = subject.call(name, &values)?;
    let verdict = Verdict::of(first(&results, LOSS) == Some(total), || {
        "it returns another value".to_owned()
    });
    let statement = "sums the losses of @loss times their weights";
    checks.push(Check::new(name, statement, verdict));
    checks.extend(counted(name, &results, correct));
    Ok(())
}

/// The losses of the examples: the last value of `@loss` with one element per
/// example whose mean is the loss.
fn per_example(
    subject: &Subject,
    elements: &Values<Exact>,
    emitted: &Values<Exact>,
    ty: &TensorType,
) -> Result<Option<Vec<Prime>>> {
    let function = subject.function(LOSS)?;
    let arguments = subject.arguments(function, elements)?;
    let total = first(emitted, LOSS).map(|mean| mean * Prime::from_integer(ty.elements().into()));
    let mut losses = None;
    run_observed(function, &arguments, LIMITS, |_, result| {
        if result.ty() == ty {
            let own = point::field(result);
            if total == Some(own.iter().fold(Prime::ZERO, |sum, &l| sum + l)) {
                losses = Some(own);
            }
        }
    })?;
    Ok(losses)
}

fn counted(name: &str, results: &Values<Exact>, correct: Option<i64>) -> Option<Check> {
    let correct = correct?;
    let found = results.get(CORRECT).and_then(|t| t.as_integers().first());
    let verdict = Verdict::of(found == Some(&correct), || match found {
        Some(found) => format!("it counts {found}, not {correct}"),
        None => "it returns no count".to_owned(),
    });
    let statement = "counts the examples whose first largest logit is the label's";
    Some(Check::new(name, statement, verdict))
}

/// The examples whose first largest logit is the label's.
fn correct(results: &Values<Exact>, elements: &Values<Exact>) -> i64 {
    let logits: Vec<f64> = results.get(LOGITS).map(Tensor::to_f64).unwrap_or_default();
    let labels = elements
        .get(LABEL)
        .map(Tensor::as_integers)
        .unwrap_or_default();
    let classes = logits.len() / labels.len().max(1);
    let right = logits
        .chunks(classes.max(1))
        .zip(labels)
        .filter(|(row, label)| {
            let mut largest = 0;
            for (class, logit) in row.iter().enumerate() {
                if *logit > row[largest] {
                    largest = class;
                }
            }
            i64::try_from(largest) == Ok(**label)
        });
    right.count() as i64
}

fn first(values: &Values<Exact>, name: &str) -> Option<Prime> {
    Some(values.get(name)?.as_numbers().first()?.element)
}
