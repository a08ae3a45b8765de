//! Decisions between two values: relu, maximum, comparison.

use super::site::{Fault, Form, Outcome, Site, Tally};
use crate::reference::{Bounded, Number, Step};
use crate::stablehlo::{BinaryOp, Op, UnaryOp};

/// How two values compare.
pub(super) fn outcome<const W: usize>(a: Bounded<W>, b: Bounded<W>) -> Outcome {
    if a.element() == b.element() {
        Outcome::Same
    } else if a.undecided(b) {
        Outcome::Undecided
    } else if a.shadow() == b.shadow() {
        Outcome::Tied
    } else {
        Outcome::Apart
    }
}

/// Each element of the first operand against that of the second.
pub(super) fn of_two<const W: usize>(step: &Step<'_, Bounded<W>>, examples: usize) -> Option<Site> {
    let [a, b] = step.operands else { return None };
    let (a, b) = (a.as_numbers(), b.as_numbers());
    if a.is_empty() {
        return None;
    }
    let zero = |x: &[Bounded<W>]| x.iter().all(|&x| x == Bounded::from_f64(0.0));
    let form = match zero(a) || zero(b) {
        true => Form::Threshold,
        false => Form::Pair,
    };
    Some(site(
        step,
        form,
        examples,
        a.iter().copied().zip(b.iter().copied()),
    ))
}

/// Each element against 0.
pub(super) fn with_zero<const W: usize>(
    step: &Step<'_, Bounded<W>>,
    examples: usize,
) -> Option<Site> {
    let x = step.operands.first()?.as_numbers();
    let zero = Bounded::from_f64(0.0);
    let pairs = x.iter().map(|&x| (x, zero));
    Some(site(step, Form::Threshold, examples, pairs))
}

/// Each element against the nearest place where its rounding jumps.
pub(super) fn with_jump<const W: usize>(
    step: &Step<'_, Bounded<W>>,
    op: UnaryOp,
    examples: usize,
) -> Option<Site> {
    let x = step.operands.first()?.as_numbers();
    let jump = |x: f64| match op {
        UnaryOp::Ceil | UnaryOp::Floor => x.round(),
        _ => x.floor() + 0.5,
    };
    let pairs = x.iter().map(|&x| (x, Bounded::from_f64(jump(x.shadow()))));
    Some(site(step, Form::Pair, examples, pairs))
}

/// Each element against the nearer of its two bounds.
pub(super) fn with_bound<const W: usize>(
    step: &Step<'_, Bounded<W>>,
    examples: usize,
) -> Option<Site> {
    let [min, x, max] = step.operands else {
        return None;
    };
    let [min, x, max] = [min, x, max].map(|tensor| tensor.as_numbers());
    let each = |bound: &[Bounded<W>], at: usize| bound.get(at).or(bound.first()).copied();
    let pairs = x.iter().enumerate().filter_map(|(at, &x)| {
        let (min, max) = (each(min, at)?, each(max, at)?);
        let distance = |bound: Bounded<W>| (x.shadow() - bound.shadow()).abs();
        let nearer = if distance(min) <= distance(max) {
            min
        } else {
            max
        };
        Some((x, nearer))
    });
    Some(site(step, Form::Pair, examples, pairs))
}

fn site<const W: usize>(
    step: &Step<'_, Bounded<W>>,
    form: Form,
    examples: usize,
    pairs: impl Iterator<Item = (Bounded<W>, Bounded<W>)>,
) -> Site {
    let op = match (form, &step.instruction.op) {
        (Form::Threshold, Op::Binary(BinaryOp::Maximum)) => "relu",
        (_, op) => op.name(),
    };
    let mut site = begin(step, op, form, examples);
    let shape = step.result.extents();
    let by_example = site.examples.len();
    let each = (shape.iter().product::<usize>() / by_example).max(1);
    for (at, (a, b)) in pairs.enumerate() {
        let outcome = outcome(a, b);
        let gap = (a.shadow() - b.shadow()).abs();
        if let Some(tally) = site.examples.get_mut(at / each) {
            tally.count(outcome, gap);
        }
        if matches!(outcome, Outcome::Tied | Outcome::Undecided) {
            site.fault(|| fault(outcome, index(&shape, at), a, b), outcome);
        }
    }
    site
}

/// A site without decisions, with a tally per example where the result's first
/// dimension is that of the batch.
pub(super) fn begin<const W: usize>(
    step: &Step<'_, Bounded<W>>,
    op: &str,
    form: Form,
    examples: usize,
) -> Site {
    let first = step.result.extents().first().copied();
    let count = if first == Some(examples) { examples } else { 1 };
    Site {
        op: op.to_owned(),
        location: step.instruction.location.to_string(),
        form,
        examples: vec![Tally::default(); count.max(1)],
        faults: Vec::new(),
        structural: None,
    }
}

pub(super) fn fault<const W: usize>(
    outcome: Outcome,
    index: Vec<usize>,
    a: Bounded<W>,
    b: Bounded<W>,
) -> Fault {
    Fault {
        outcome,
        index,
        values: [a.shadow(), b.shadow()],
        bound: a.error() + b.error(),
    }
}

/// The index of a row-major offset.
pub(super) fn index(shape: &[usize], at: usize) -> Vec<usize> {
    let mut rest = at;
    let mut index: Vec<usize> = shape
        .iter()
        .rev()
        .map(|&size| {
            let size = size.max(1);
            let own = rest % size;
            rest /= size;
            own
        })
        .collect();
    index.reverse();
    index
}
