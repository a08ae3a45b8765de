//! Running averages of parameters.

use super::scaled;
use crate::stablehlo::{Builder, Result, Value};

/// The average moved towards `value` by 1 - `keep` of the way; it stays where
/// it is once there.
///
/// # Errors
/// If the two have different types.
pub fn average(b: &mut Builder, keep: f64, average: Value, value: Value) -> Result<Value> {
    let way = b.subtract(value, average)?;
    let part = scaled(b, way, 1.0 - keep)?;
    b.add(average, part)
}
