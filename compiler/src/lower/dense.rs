//! Dense layers.

use super::axes::add_channels;
use crate::stablehlo::{Builder, Result, Value};

/// x W + b along the last dimension of x, with W of shape [in, out].
pub(super) fn dense(
    b: &mut Builder,
    x: Value,
    weight: Value,
    bias: Option<Value>,
) -> Result<Value> {
    let last = b.ty(x).rank().saturating_sub(1);
    let y = b.dot(x, weight, &[last], &[0])?;
    match bias {
        Some(bias) => add_channels(b, y, bias),
        None => Ok(y),
    }
}
