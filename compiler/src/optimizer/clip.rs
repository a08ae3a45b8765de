//! Clipping of gradients by their norm.

use super::norm::norm;
use super::scaled_by;
use crate::stablehlo::{Builder, Direction, Result, Value};

/// Scales all gradients by `most` / norm where their norm, taken over all of
/// them together, is larger than `most`; also gives the norm before that.
///
/// A norm that is infinite or NaN scales nothing, so that what made it so
/// stays to be seen: `most` / infinity would make finite gradients 0.
///
/// # Errors
/// If a gradient is not floating-point.
pub fn clip(b: &mut Builder, gradients: &[Value], most: f64) -> Result<(Vec<Value>, Value)> {
    let norm = norm(b, gradients)?;
    let (most, one) = (b.splat_like(most, norm)?, b.splat_like(1.0, norm)?);
    let infinite = b.splat_like(f64::INFINITY, norm)?;
    let longer = b.compare(Direction::Gt, norm, most)?;
    let finite = b.compare(Direction::Lt, norm, infinite)?;
    let clips = b.and(longer, finite)?;
    let ratio = b.divide(most, norm)?;
    let scale = b.select(clips, ratio, one)?;
    let clipped = gradients
        .iter()
        .map(|&gradient| scaled_by(b, gradient, scale))
        .collect::<Result<_>>()?;
    Ok((clipped, norm))
}
