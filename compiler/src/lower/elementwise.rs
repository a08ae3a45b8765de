//! Activations.

use crate::stablehlo::{Builder, Result, Value};

/// max(x, 0). NaN passes.
pub(super) fn relu(b: &mut Builder, x: Value) -> Result<Value> {
    let zero = b.splat_like(0.0, x)?;
    b.maximum(x, zero)
}
