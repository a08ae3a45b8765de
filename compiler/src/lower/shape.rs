//! Layers that only move elements.

use crate::stablehlo::{Builder, Result, Value};

/// [N, ...] to [N, features], in C, H, W order.
pub(super) fn flatten(b: &mut Builder, x: Value) -> Result<Value> {
    let shape = b.shape(x);
    let batch = shape.first().copied().unwrap_or(1);
    let features = shape.iter().skip(1).product();
    b.reshape(x, &[batch, features])
}
