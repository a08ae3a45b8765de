//! Losses and metrics. Logits are [N, K], labels class indices [N].

use crate::network::{Loss, Network};
use crate::stablehlo::{Builder, Direction, ElementType, Reducer, Result, TensorType, Value};

/// The loss of each example, [N].
pub(super) fn per_example(
    b: &mut Builder,
    network: &Network,
    logits: Value,
    label: Value,
) -> Result<Value> {
    match network.train.loss {
        Loss::SoftmaxCrossEntropy => softmax_cross_entropy(b, logits, label),
    }
}

/// log(sum of e^z) - z[label], by logits shifted to a maximum of 0.
///
/// The derivative does not depend on the shift, so reverse mode holds the
/// maximum constant. The label's logit is chosen by select, not by a product
/// with a one-hot vector: 0 times an infinite logit would be NaN.
fn softmax_cross_entropy(b: &mut Builder, logits: Value, label: Value) -> Result<Value> {
    let shape = b.shape(logits);
    let largest = b.reduce(Reducer::Max, logits, &[1])?;
    let largest = b.stop_gradient(largest);
    let largest = b.broadcast(largest, &[0], &shape)?;
    let shifted = b.subtract(logits, largest)?;
    let exponentials = b.exponential(shifted)?;
    let sum = b.sum(exponentials, &[1])?;
    let log_sum = b.log(sum)?;
    let one_hot = one_hot(b, label, &shape)?;
    let zero = b.splat_like(0.0, shifted)?;
    let chosen = b.select(one_hot, shifted, zero)?;
    let chosen = b.sum(chosen, &[1])?;
    b.subtract(log_sum, chosen)
}

/// Whether column k is the label of row n.
fn one_hot(b: &mut Builder, label: Value, shape: &[i64]) -> Result<Value> {
    let column = b.iota(1, TensorType::new(shape, ElementType::I32))?;
    let label = b.broadcast(label, &[0], shape)?;
    b.compare(Direction::Eq, column, label)
}

/// The mean of [N] values.
pub(super) fn mean(b: &mut Builder, examples: Value) -> Result<Value> {
    let count = b.shape(examples).first().copied().unwrap_or(1);
    let sum = b.sum(examples, &[0])?;
    let count = b.splat_like(count as f64, sum)?;
    b.divide(sum, count)
}

/// 1 for each example whose first largest logit is the label's, else 0: i32[N].
pub(super) fn correct(b: &mut Builder, logits: Value, label: Value) -> Result<Value> {
    let shape = b.shape(logits);
    let classes = shape.get(1).copied().unwrap_or(1);
    let largest = b.reduce(Reducer::Max, logits, &[1])?;
    let largest = b.broadcast(largest, &[0], &shape)?;
    let is_largest = b.compare(Direction::Eq, logits, largest)?;
    let integers = TensorType::new(shape, ElementType::I32);
    let column = b.iota(1, integers.clone())?;
    let none = b.splat(classes as f64, integers)?;
    let candidates = b.select(is_largest, column, none)?;
    let predicted = b.reduce(Reducer::Min, candidates, &[1])?;
    let hit = b.compare(Direction::Eq, predicted, label)?;
    b.convert(hit, ElementType::I32)
}

/// Sum of weighted losses, and sum of `correct` where the weight is positive.
pub(super) fn weighted(
    b: &mut Builder,
    examples: Value,
    correct: Value,
    weight: Value,
) -> Result<(Value, Value)> {
    let zero = b.splat_like(0.0, weight)?;
    let counts = b.compare(Direction::Gt, weight, zero)?;
    let weighted = b.multiply(examples, weight)?;
    let weighted = b.select(counts, weighted, zero)?;
    let none = b.splat_like(0.0, correct)?;
    let correct = b.select(counts, correct, none)?;
    Ok((b.sum(weighted, &[0])?, b.sum(correct, &[0])?))
}
