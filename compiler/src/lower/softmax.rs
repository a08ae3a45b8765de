//! Softmax.

use crate::stablehlo::{Builder, Reducer, Result, Value};

/// e^x over its sum along `dim`, by x shifted to a maximum of 0. The value does
/// not depend on the shift, so reverse mode holds it constant.
pub(super) fn softmax(b: &mut Builder, x: Value, dim: usize) -> Result<Value> {
    let shape = b.shape(x);
    let kept: Vec<usize> = (0..shape.len()).filter(|&d| d != dim).collect();
    let largest = b.reduce(Reducer::Max, x, &[dim])?;
    let largest = b.stop_gradient(largest);
    let largest = b.broadcast(largest, &kept, &shape)?;
    let shifted = b.subtract(x, largest)?;
    let exponentials = b.exponential(shifted)?;
    let sum = b.sum(exponentials, &[dim])?;
    let sum = b.broadcast(sum, &kept, &shape)?;
    b.divide(exponentials, sum)
}
