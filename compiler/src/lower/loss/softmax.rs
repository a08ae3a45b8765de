//! Softmax cross-entropy.

use super::mean_over;
use super::target::{label_dims, one_hot};
use crate::stablehlo::{Builder, Reducer, Result, Value};

/// log(sum of e^z) - sum of target * z, by logits shifted to a maximum of 0;
/// the target is (1 - s) one-hot + s / K for the smoothing s.
///
/// The derivative does not depend on the shift, so reverse mode holds the
/// maximum constant. The label's logit is chosen by select, not by a product
/// with a one-hot vector: 0 times an infinite logit would be NaN.
pub(super) fn cross_entropy(
    b: &mut Builder,
    logits: Value,
    label: Value,
    smoothing: f64,
) -> Result<Value> {
    let shape = b.shape(logits);
    let largest = b.reduce(Reducer::Max, logits, &[1])?;
    let largest = b.stop_gradient(largest);
    let largest = b.broadcast(largest, &label_dims(&shape), &shape)?;
    let shifted = b.subtract(logits, largest)?;
    let exponentials = b.exponential(shifted)?;
    let sum = b.sum(exponentials, &[1])?;
    let log_sum = b.log(sum)?;
    let one_hot = one_hot(b, label, &shape)?;
    let zero = b.splat_like(0.0, shifted)?;
    let chosen = b.select(one_hot, shifted, zero)?;
    let chosen = b.sum(chosen, &[1])?;
    if smoothing == 0.0 {
        return b.subtract(log_sum, chosen);
    }
    // The weights of both are exactly 1 together, else the shift would matter.
    let smoothing = b.splat_like(smoothing, chosen)?;
    let one = b.splat_like(1.0, chosen)?;
    let kept = b.subtract(one, smoothing)?;
    let chosen = b.multiply(kept, chosen)?;
    let all = mean_over(b, shifted, &[1])?;
    let all = b.multiply(smoothing, all)?;
    let expected = b.add(chosen, all)?;
    b.subtract(log_sum, expected)
}
