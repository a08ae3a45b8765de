//! Dense layers.

use super::convolution::add_channels;
use crate::stablehlo::{Builder, Result, Value};

/// x W + b, with W of shape [in, out].
pub(super) fn dense(b: &mut Builder, x: Value, weights: &[Value]) -> Result<Value> {
    let y = b.dot(x, weights[0], &[1], &[0])?;
    match weights.get(1) {
        Some(&bias) => add_channels(b, y, bias),
        None => Ok(y),
    }
}
