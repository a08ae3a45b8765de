//! The training step and the evaluation, from the gradient and the loss.

use super::error::Result;
use super::logits::Logits;
use super::point;
use super::random::Random;
use super::report::{Check, Verdict};
use super::search::cut;
use super::subject::{LIMITS, Subject, Values, gradient_name};
use crate::lower::{CORRECT, LABEL, LOSS, WEIGHT};
use crate::optimizer::LR;
use crate::reference::{Exact, Prime, Tensor, run_observed};
use crate::stablehlo::TensorType;

/// Checks `@train_step` and `@evaluate`, where the module has them.
pub(super) fn check(
    subject: &Subject,
    elements: &Values<Exact>,
    emitted: &Values<Exact>,
    logits: Option<&Logits>,
    random: &mut Random,
) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    if subject.has("train_step") {
        let correct = logits.map(|logits| correct(logits.trained(), elements));
        train_step(subject, elements, emitted, correct, random, &mut checks)?;
    }
    if let (true, Some(logits)) = (subject.has("evaluate"), logits) {
        evaluate(subject, elements, emitted, logits, random, &mut checks)?;
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
    logits: &Logits,
    random: &mut Random,
    checks: &mut Vec<Check>,
) -> Result<()> {
    let name = "evaluate";
    let slots = subject.slots(subject.function(name)?)?;
    let Some((_, ty)) = slots.into_iter().find(|(name, _)| name == WEIGHT) else {
        return Ok(());
    };
    let Some(losses) = per_example(subject, elements, emitted, logits, &ty)? else {
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
    let statement = match logits.of_training {
        true => "sums the losses of @forward's logits times their weights",
        false => "sums the losses of @loss times their weights",
    };
    checks.push(Check::new(name, statement, verdict));
    let correct = correct(&logits.evaluated, elements);
    checks.extend(counted(name, &results, Some(correct)));
    Ok(())
}

/// The losses of the examples: the last value of `@loss` with one element per
/// example whose mean is the loss. Where training has other logits, `@loss` goes
/// on from those of `@forward`.
fn per_example(
    subject: &Subject,
    elements: &Values<Exact>,
    emitted: &Values<Exact>,
    logits: &Logits,
    ty: &TensorType,
) -> Result<Option<Vec<Prime>>> {
    let function = subject.function(LOSS)?;
    let mut arguments = subject.arguments(function, elements)?;
    let head = match (&logits.own, logits.of_training) {
        (Some((at, _)), true) => {
            arguments.push(logits.evaluated.clone());
            Some(cut(function, *at))
        }
        (None, true) => return Ok(None),
        (_, false) => None,
    };
    let mut candidates = Vec::new();
    let function = head.as_ref().unwrap_or(function);
    let results = run_observed(function, &arguments, LIMITS, |_, result| {
        if result.ty() == ty {
            candidates.push(point::field(result));
        }
    })?;
    let mean = match &head {
        Some(_) => results.first().and_then(|loss| Some(loss.as_numbers().first()?.element)),
        None => first(emitted, LOSS),
    };
    let total = mean.map(|mean| mean * Prime::from_integer(ty.elements().into()));
    let sum = |own: &Vec<Prime>| own.iter().fold(Prime::ZERO, |sum, &l| sum + l);
    Ok(candidates
        .into_iter()
        .rfind(|own| total == Some(sum(own))))
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
fn correct(logits: &Tensor<Exact>, elements: &Values<Exact>) -> i64 {
    let logits: Vec<f64> = logits.to_f64();
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
