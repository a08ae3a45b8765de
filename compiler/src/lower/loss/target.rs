//! What a loss compares outputs with.

use crate::stablehlo::{Builder, Direction, ElementType, Result, TensorType, Value};

/// The dimensions of [N, K, ...] that labels [N, ...] have.
pub(super) fn label_dims(shape: &[i64]) -> Vec<usize> {
    (0..shape.len()).filter(|&dim| dim != 1).collect()
}

/// Whether output k of an example is the one of its label.
pub(super) fn one_hot(b: &mut Builder, label: Value, shape: &[i64]) -> Result<Value> {
    let column = b.iota(1, TensorType::new(shape, ElementType::I32))?;
    let label = b.broadcast(label, &label_dims(shape), shape)?;
    b.compare(Direction::Eq, column, label)
}

/// Whether the target of an output is 1: one-hot, or of a single output the
/// label itself.
pub(super) fn is_one(b: &mut Builder, label: Value, shape: &[i64]) -> Result<Value> {
    if shape.get(1) != Some(&1) {
        return one_hot(b, label, shape);
    }
    let label = b.broadcast(label, &label_dims(shape), shape)?;
    let one = b.splat_like(1.0, label)?;
    b.compare(Direction::Eq, label, one)
}
