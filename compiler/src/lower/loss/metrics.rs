//! Numbers that are reported and not minimised.

use super::target::label_dims;
use crate::network::Loss;
use crate::stablehlo::{Builder, Direction, ElementType, Reducer, Result, TensorType, Value};

/// 1 for each label that is predicted, else 0: i32 of the labels' shape.
///
/// The first largest output predicts; a single output of a loss whose targets
/// are 0 and 1 predicts 1 above the middle between them.
pub(in crate::lower) fn correct(
    b: &mut Builder,
    loss: Loss,
    logits: Value,
    label: Value,
) -> Result<Value> {
    let single = b.shape(logits).get(1) == Some(&1);
    let predicted = match loss {
        Loss::MeanSquaredError if single => above(b, logits, 0.5)?,
        Loss::BinaryCrossEntropy if single => above(b, logits, 0.0)?,
        _ => first_largest(b, logits)?,
    };
    let hit = b.compare(Direction::Eq, predicted, label)?;
    b.convert(hit, ElementType::I32)
}

fn first_largest(b: &mut Builder, logits: Value) -> Result<Value> {
    let shape = b.shape(logits);
    let classes = shape.get(1).copied().unwrap_or(1);
    let largest = b.reduce(Reducer::Max, logits, &[1])?;
    let largest = b.broadcast(largest, &label_dims(&shape), &shape)?;
    let is_largest = b.compare(Direction::Eq, logits, largest)?;
    let integers = TensorType::new(shape, ElementType::I32);
    let column = b.iota(1, integers.clone())?;
    let none = b.splat(classes as f64, integers)?;
    let candidates = b.select(is_largest, column, none)?;
    b.reduce(Reducer::Min, candidates, &[1])
}

/// Of a single output 1 above the bound, 0 up to it, and 2, no class, for NaN.
fn above(b: &mut Builder, outputs: Value, bound: f64) -> Result<Value> {
    let shape = b.shape(outputs);
    let bound = b.splat_like(bound, outputs)?;
    let above = b.compare(Direction::Gt, outputs, bound)?;
    let up_to = b.compare(Direction::Le, outputs, bound)?;
    let integers = TensorType::new(shape.clone(), ElementType::I32);
    let [zero, one, two] = [0.0, 1.0, 2.0].map(|class| b.splat(class, integers.clone()));
    let (zero, one, two) = (zero?, one?, two?);
    let class = b.select(up_to, zero, two)?;
    let class = b.select(above, one, class)?;
    let labels: Vec<i64> = label_dims(&shape).iter().map(|&dim| shape[dim]).collect();
    b.reshape(class, &labels)
}

/// Sum of weighted losses [N], and sum of `correct` where the weight is
/// positive.
pub(in crate::lower) fn weighted(
    b: &mut Builder,
    examples: Value,
    correct: Value,
    weight: Value,
) -> Result<(Value, Value)> {
    let zero = b.splat_like(0.0, weight)?;
    let counts = b.compare(Direction::Gt, weight, zero)?;
    let weighted = b.multiply(examples, weight)?;
    let weighted = b.select(counts, weighted, zero)?;
    let shape = b.shape(correct);
    let none = b.splat_like(0.0, correct)?;
    let counts = match shape.len() {
        1 => counts,
        _ => b.broadcast(counts, &[0], &shape)?,
    };
    let correct = b.select(counts, correct, none)?;
    let all: Vec<usize> = (0..shape.len()).collect();
    Ok((b.sum(weighted, &[0])?, b.sum(correct, &all)?))
}
