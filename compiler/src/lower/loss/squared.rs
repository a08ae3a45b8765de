//! Mean squared error.

use super::mean_over;
use super::target::is_one;
use crate::stablehlo::{Builder, Result, Value};

/// The mean over outputs of (output - target)^2; targets are 0 and 1.
pub(super) fn mean_squared_error(b: &mut Builder, outputs: Value, label: Value) -> Result<Value> {
    let shape = b.shape(outputs);
    let is_one = is_one(b, label, &shape)?;
    let (one, zero) = (b.splat_like(1.0, outputs)?, b.splat_like(0.0, outputs)?);
    let target = b.select(is_one, one, zero)?;
    let error = b.subtract(outputs, target)?;
    let square = b.multiply(error, error)?;
    mean_over(b, square, &[1])
}
