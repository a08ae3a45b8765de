//! Gradients of several batches as that of one.

use super::scaled;
use crate::stablehlo::{Builder, Direction, ElementType, Result, Value};

/// Sums of gradients over the examples of several batches.
///
/// Each call of the training step adds the gradient of its batch times the
/// number of its examples, so that batches may differ in size; the call that
/// ends a group divides by the number of all its examples.
#[derive(Debug, Clone, Copy)]
pub struct Accumulation {
    /// Whether this batch ends a group: i1.
    ends: Value,
    /// Examples of this batch.
    batch: i64,
    /// Examples of the group so far: f32.
    count: Value,
    /// Examples of the group for the next call: i32.
    examples: Value,
}

impl Accumulation {
    /// `update` is an i32 that is not 0 where this batch of `batch` examples
    /// ends a group, `examples` the number of examples of the group before it.
    ///
    /// # Errors
    /// If the two are not i32 scalars.
    pub fn new(b: &mut Builder, update: Value, examples: Value, batch: i64) -> Result<Self> {
        let zero = b.splat_like(0.0, update)?;
        let ends = b.compare(Direction::Ne, update, zero)?;
        let own = b.splat_like(batch as f64, examples)?;
        let sum = b.add(examples, own)?;
        let count = b.convert(sum, ElementType::F32)?;
        Ok(Accumulation {
            ends,
            batch,
            count,
            examples: b.select(ends, zero, sum)?,
        })
    }

    /// The number of examples to remember for the next call.
    pub fn examples(&self) -> Value {
        self.examples
    }

    /// From the gradient of this batch and the sum to the mean over the
    /// group so far, and the new sum.
    ///
    /// # Errors
    /// If the two have different types.
    pub fn add(&self, b: &mut Builder, gradient: Value, sum: Value) -> Result<(Value, Value)> {
        let own = scaled(b, gradient, self.batch as f64)?;
        let sum = b.add(sum, own)?;
        let shape = b.shape(sum);
        let count = b.broadcast(self.count, &[], &shape)?;
        Ok((b.divide(sum, count)?, sum))
    }

    /// `new` where the group ends, else `old`.
    ///
    /// # Errors
    /// If the two have different types.
    pub fn choose(&self, b: &mut Builder, new: Value, old: Value) -> Result<Value> {
        let shape = b.shape(old);
        let ends = b.broadcast(self.ends, &[], &shape)?;
        b.select(ends, new, old)
    }
}
