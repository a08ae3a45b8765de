//! `@train_step` against the optimizer's formula, from the gradients.

use std::collections::BTreeMap;

use super::formula::{Before, Numbers, Rule};
use crate::certify::error::Result;
use crate::certify::point::{self, Draw};
use crate::certify::random::Random;
use crate::certify::report::{Check, Verdict};
use crate::certify::subject::{Subject, Values, gradient_name};
use crate::lower::LOSS;
use crate::optimizer::{AVERAGE, EXAMPLES, GRADIENT_NORM, LR, SUM, UPDATE, UPDATES};
use crate::reference::{Data, Exact, Number, Prime, Tensor};
use crate::stablehlo::mlir::attribute::Attribute;
use crate::stablehlo::{ElementType, TensorType};

const NAME: &str = "train_step";

/// Checks parameters, state and metrics of a training step; `emitted` are the
/// results of `@gradients`. Also gives the results of one step.
pub(super) fn check(
    subject: &Subject,
    elements: &Values<Exact>,
    emitted: &Values<Exact>,
    random: &mut Random,
    checks: &mut Vec<Check>,
) -> Result<Values<Exact>> {
    let values = arguments(subject, elements, random)?;
    let Some(rule) = subject.said("optimizer").map(Rule) else {
        let verdict = Verdict::of(false, || "the manifest names no optimizer".to_owned());
        checks.push(Check::new(NAME, "follows its optimizer", verdict));
        return subject.call(NAME, &values);
    };
    let accumulates = rule.maybe("accumulate").is_some();
    let cases: &[(i64, &str)] = match accumulates {
        true => &[
            (1, " where a group of batches ends"),
            (0, " while a group of batches goes on"),
        ],
        false => &[(1, "")],
    };
    let mut results = Values::new();
    for &(update, when) in cases {
        let mut values = values.clone();
        if accumulates {
            let ty = TensorType::scalar(ElementType::I32);
            values.insert(UPDATE.to_owned(), Tensor::integers(ty, vec![update])?);
        }
        results = subject.call(NAME, &values)?;
        let statement = match (rule.is_plain(), update) {
            (true, _) => "parameters become w - lr gradient".to_owned(),
            (false, 0) => format!("nothing but the sum of gradients moves{when}"),
            (false, _) => format!("parameters and state follow {}{when}", rule.name()),
        };
        let expected = Expected {
            subject,
            rule,
            values: &values,
            emitted,
            results: &results,
        };
        let verdict = match expected.of(update != 0) {
            Some(expected) => {
                let wrong = wrong(&expected, &results);
                Verdict::of(wrong.is_empty(), || format!("not so: {}", wrong.join(", ")))
            }
            None => Verdict::of(false, || {
                "no formula is known here for the module's optimizer".to_owned()
            }),
        };
        checks.push(Check::new(NAME, statement, verdict));
    }
    let own = scalar(&results, LOSS);
    let verdict = Verdict::of(own.is_some() && own == scalar(emitted, LOSS), || {
        "it returns another value".to_owned()
    });
    checks.push(Check::new(NAME, "returns the loss of @loss", verdict));
    Ok(results)
}

/// The given values, and random ones for what only a training step takes.
fn arguments(
    subject: &Subject,
    elements: &Values<Exact>,
    random: &mut Random,
) -> Result<Values<Exact>> {
    let drawn = point::draw(subject, &[NAME], Draw::Real, random)?;
    let mut values = point::elements(&drawn, random)?;
    values.extend(elements.clone());
    let lr = Exact::new(random.element(), 0.125);
    values.insert(LR.to_owned(), point::scalar(lr)?);
    Ok(values)
}

fn scalar(values: &Values<Exact>, name: &str) -> Option<Prime> {
    Some(values.get(name)?.as_numbers().first()?.element)
}

/// Names of the results that are not as expected.
fn wrong(expected: &BTreeMap<String, Vec<Prime>>, results: &Values<Exact>) -> Vec<String> {
    let found = |name: &String| results.get(name).map(elements_of);
    let differs = |(name, value): &(&String, &Vec<Prime>)| found(name).as_ref() != Some(value);
    let names = expected.iter().filter(differs);
    names.map(|(name, _)| name.clone()).collect()
}

/// Field elements; integers are their images.
fn elements_of(tensor: &Tensor<Exact>) -> Vec<Prime> {
    match tensor.data() {
        Data::Numbers(_) => point::field(tensor),
        Data::Integers(values) => {
            let values = values.iter();
            values.map(|&v| Prime::from_integer(v.into())).collect()
        }
    }
}

struct Expected<'a> {
    subject: &'a Subject,
    rule: Rule<'a>,
    values: &'a Values<Exact>,
    emitted: &'a Values<Exact>,
    results: &'a Values<Exact>,
}

impl Expected<'_> {
    /// Results by name: parameters, optimizer state, the norm of the gradients.
    fn of(&self, update: bool) -> Option<BTreeMap<String, Vec<Prime>>> {
        let mut new: BTreeMap<String, Numbers<Exact>> = BTreeMap::new();
        let gradients = self.gradients(update, &mut new);
        let (gradients, norm) = self.rule.clipped(gradients);
        if let Some(norm) = norm {
            new.insert(GRADIENT_NORM.to_owned(), vec![norm]);
        }
        let number = self.integer(UPDATES).map_or(0, |done| done + 1);
        let mut moved: BTreeMap<String, Numbers<Exact>> = BTreeMap::new();
        for (parameter, gradient) in self.subject.parameters().iter().zip(&gradients) {
            let name = &parameter.name;
            let of = |piece: &&super::super::Piece| piece.of.as_ref() == Some(name);
            let pieces = self.subject.state().iter().filter(of);
            let slots = pieces.map(|piece| (piece.role.clone(), self.numbers(&piece.name)));
            let weight = self.numbers(name);
            let decays = self.rule.text("decay") != Some("weights") || parameter.role == "weight";
            let after = self.rule.update(&Before {
                weight: &weight,
                gradient,
                slots: &slots.collect(),
                lr: self.numbers(LR).first().copied()?,
                update: Exact::from_integer(number.into()),
                decays,
            })?;
            for (role, slot) in after.slots {
                moved.insert(format!("{name}.{role}"), slot);
            }
            moved.insert(name.clone(), after.weight);
        }
        for piece in self.subject.state() {
            let Some(of) = piece.of.as_ref().filter(|_| piece.role == AVERAGE) else {
                continue;
            };
            // Running statistics are what the step itself says.
            let averaged = moved.get(of).cloned();
            let averaged = averaged.or_else(|| Some(self.results.get(of)?.as_numbers().to_vec()));
            let average = self.rule.average(&self.numbers(&piece.name), &averaged?);
            moved.insert(piece.name.clone(), average);
        }
        if self.integer(UPDATES).is_some() {
            moved.insert(UPDATES.to_owned(), vec![Exact::from_integer(number.into())]);
        }
        for (name, value) in moved {
            let value = if update { value } else { self.numbers(&name) };
            new.insert(name, value);
        }
        let elements = |numbers: Numbers<Exact>| numbers.iter().map(|n| n.element).collect();
        let new = new.into_iter();
        Some(new.map(|(name, value)| (name, elements(value))).collect())
    }

    /// The gradients of the group of batches so far; sums and counts that are
    /// kept for the next step go into `new`.
    fn gradients(
        &self,
        update: bool,
        new: &mut BTreeMap<String, Numbers<Exact>>,
    ) -> Vec<Numbers<Exact>> {
        let parameters = self.subject.parameters().iter();
        let own = parameters.map(|parameter| {
            let gradient = self.emitted.get(&gradient_name(&parameter.name));
            let numbers = gradient
                .map(|g| g.as_numbers().to_vec())
                .unwrap_or_default();
            (parameter.name.as_str(), numbers)
        });
        let Some(before) = self.integer(EXAMPLES) else {
            return own.map(|(_, gradient)| gradient).collect();
        };
        let batch = match self.subject.said("batch") {
            Some(&Attribute::Int(batch)) => batch,
            _ => 0,
        };
        let count = Exact::from_integer((before + batch).into());
        let batch = Exact::from_integer(batch.into());
        let kept = |sum: Numbers<Exact>| match update {
            true => vec![Exact::from_f64(0.0); sum.len()],
            false => sum,
        };
        new.insert(EXAMPLES.to_owned(), kept(vec![count]));
        let mut means = Vec::new();
        for (name, gradient) in own {
            let name = format!("{name}.{SUM}");
            let sums = self.numbers(&name).into_iter().zip(gradient);
            let sums: Numbers<Exact> = sums.map(|(sum, g)| sum + batch * g).collect();
            means.push(sums.iter().map(|&sum| sum / count).collect());
            new.insert(name, kept(sums));
        }
        means
    }

    fn numbers(&self, name: &str) -> Numbers<Exact> {
        match self.values.get(name).map(Tensor::data) {
            Some(Data::Numbers(numbers)) => numbers.clone(),
            Some(Data::Integers(integers)) => {
                let integers = integers.iter();
                integers.map(|&i| Exact::from_integer(i.into())).collect()
            }
            None => Vec::new(),
        }
    }

    fn integer(&self, name: &str) -> Option<i64> {
        self.values.get(name)?.as_integers().first().copied()
    }
}
