//! The training step, the loss and the evaluation, by formulas of their own.

mod formula;
mod head;
mod train;

use super::error::Result;
use super::logits::Logits;
use super::random::Random;
use super::report::{Check, Verdict};
use super::subject::{Subject, Values};
use crate::lower::{CORRECT, LABEL, LOSS, WEIGHT};
use crate::reference::{Exact, Number, Prime, Tensor};
use head::{Head, Outputs};

/// Checks `@train_step`, `@evaluate` and the loss at the end of `@loss`, where
/// the module has them; `emitted` are the results of `@gradients`.
pub(super) fn check(
    subject: &Subject,
    elements: &Values<Exact>,
    emitted: &Values<Exact>,
    logits: Option<&Logits>,
    random: &mut Random,
) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    let scores = |logits: &Tensor<Exact>| Scores::of(subject, elements, logits);
    // Without them it is open what training says of the labels.
    let known = logits.filter(|logits| !logits.of_training || logits.own.is_some());
    let trained = known.and_then(|logits| scores(logits.trained()));
    if let (Some(scores), Some(logits)) = (&trained, logits) {
        let verdict = Verdict::of(first(emitted, LOSS) == scores.mean(), || {
            "it is another value".to_owned()
        });
        let statement = match logits.of_training {
            true => "is the mean loss of its logits",
            false => "is the mean loss of @forward's logits",
        };
        checks.push(Check::new(LOSS, statement, verdict));
    }
    if subject.has("train_step") {
        let results = train::check(subject, elements, emitted, random, &mut checks)?;
        checks.extend(trained.map(|scores| counted("train_step", &results, scores.hits())));
    }
    let evaluated = logits.and_then(|logits| scores(&logits.evaluated));
    if let Some(scores) = evaluated.filter(|_| subject.has("evaluate")) {
        evaluate(subject, elements, &scores, random, &mut checks)?;
    }
    Ok(checks)
}

/// What the formulas say of logits.
struct Scores {
    /// The loss of each label.
    losses: Vec<Exact>,
    /// Whether each label is predicted.
    hits: Vec<bool>,
    labels_per_example: usize,
}

impl Scores {
    /// None where the module has a loss that is not known here.
    fn of(subject: &Subject, elements: &Values<Exact>, logits: &Tensor<Exact>) -> Option<Self> {
        let head = Head::of(subject)?;
        let outputs = Outputs {
            logits: logits.as_numbers(),
            labels: elements.get(LABEL)?.as_integers(),
            shape: &logits.ty().shape,
        };
        Some(Scores {
            losses: head.losses(outputs),
            hits: head.hits(outputs),
            labels_per_example: outputs.labels_per_example(),
        })
    }

    /// The loss of each example.
    fn examples(&self) -> Vec<Exact> {
        let count = Exact::from_integer(self.labels_per_example as i128);
        let losses = self.losses.chunks(self.labels_per_example);
        losses.map(|losses| sum(losses) / count).collect()
    }

    fn mean(&self) -> Option<Prime> {
        let examples = self.examples();
        let count = Exact::from_integer(examples.len() as i128);
        (!examples.is_empty()).then(|| (sum(&examples) / count).element)
    }

    fn hits(&self) -> i64 {
        self.hits.iter().filter(|&&hit| hit).count() as i64
    }
}

fn sum(numbers: &[Exact]) -> Exact {
    let zero = Exact::from_f64(0.0);
    numbers.iter().fold(zero, |sum, &number| sum + number)
}

fn evaluate(
    subject: &Subject,
    elements: &Values<Exact>,
    scores: &Scores,
    random: &mut Random,
    checks: &mut Vec<Check>,
) -> Result<()> {
    let name = "evaluate";
    let slots = subject.slots(subject.function(name)?)?;
    let Some((_, ty)) = slots.into_iter().find(|(name, _)| name == WEIGHT) else {
        return Ok(());
    };
    let losses = scores.examples();
    let weights: Vec<Exact> = losses
        .iter()
        .map(|_| Exact::new(random.element(), 1.0))
        .collect();
    let terms = losses.iter().zip(&weights);
    let terms: Vec<Exact> = terms.map(|(&loss, &weight)| loss * weight).collect();
    let total = sum(&terms).element;
    let mut values = elements.clone();
    values.insert(WEIGHT.to_owned(), Tensor::numbers(ty, weights)?);
    let results = subject.call(name, &values)?;
    let verdict = Verdict::of(first(&results, LOSS) == Some(total), || {
        "it returns another value".to_owned()
    });
    let statement = "sums the losses of @forward's logits times their weights";
    checks.push(Check::new(name, statement, verdict));
    checks.push(counted(name, &results, scores.hits()));
    Ok(())
}

fn counted(name: &str, results: &Values<Exact>, correct: i64) -> Check {
    let found = results.get(CORRECT).and_then(|t| t.as_integers().first());
    let verdict = Verdict::of(found == Some(&correct), || match found {
        Some(found) => format!("it counts {found}, not {correct}"),
        None => "it returns no count".to_owned(),
    });
    let statement = "counts the labels that the logits predict";
    Check::new(name, statement, verdict)
}

fn first(values: &Values<Exact>, name: &str) -> Option<Prime> {
    Some(values.get(name)?.as_numbers().first()?.element)
}
