//! Binary cross-entropy from logits.

use super::mean_over;
use super::target::is_one;
use crate::stablehlo::{Builder, Direction, Result, Value};

/// The mean over outputs of log(1 + e^u), where u is the logit if the target
/// is 0 and its negative if it is 1: `max(u, 0) + log(1 + e^-|u|)`.
///
/// Maximum and absolute value are written as one select each, so that their
/// derivatives at 0 are those of the same side and add up to 1/2.
pub(super) fn cross_entropy(b: &mut Builder, logits: Value, label: Value) -> Result<Value> {
    let shape = b.shape(logits);
    let is_one = is_one(b, label, &shape)?;
    let negated = b.negate(logits)?;
    let u = b.select(is_one, negated, logits)?;
    let zero = b.splat_like(0.0, u)?;
    let positive = b.compare(Direction::Gt, u, zero)?;
    let opposite = b.negate(u)?;
    let decreasing = b.select(positive, opposite, u)?;
    let straight = b.select(positive, u, zero)?;
    let exponential = b.exponential(decreasing)?;
    let log = b.log_plus_one(exponential)?;
    let losses = b.add(straight, log)?;
    mean_over(b, losses, &[1])
}
