//! RMSProp, as PyTorch's: eps outside the root, and momentum on the scaled
//! gradient.

use super::{Operands, Updated, decayed, descend, running_mean, scaled};
use crate::network::RmsProp;
use crate::stablehlo::{Builder, Result};

pub(super) fn slots(rmsprop: &RmsProp) -> Vec<&'static str> {
    let mut slots = vec!["square"];
    if rmsprop.centered {
        slots.push("mean");
    }
    if rmsprop.momentum != 0.0 {
        slots.push("momentum");
    }
    slots
}

/// g += decay w; s = a s + (1 - a) g^2; the step is g / (sqrt(s) + eps), or
/// with momentum v = mu v + that. Centered, the square of the running mean of
/// g is taken from s before the root.
pub(super) fn update(b: &mut Builder, rmsprop: &RmsProp, o: &Operands<'_>) -> Result<Updated> {
    let g = decayed(b, o, rmsprop.weight_decay)?;
    let square = b.multiply(g, g)?;
    let s = o.slot(b, 0)?;
    let s = running_mean(b, rmsprop.alpha, s, square)?;
    let mut slots = vec![s];
    let mut variance = s;
    if rmsprop.centered {
        let mean = o.slot(b, slots.len())?;
        let mean = running_mean(b, rmsprop.alpha, mean, g)?;
        slots.push(mean);
        let square = b.multiply(mean, mean)?;
        variance = b.subtract(s, square)?;
        // Rounding can leave less than nothing.
        let zero = b.splat_like(0.0, variance)?;
        variance = b.maximum(variance, zero)?;
    }
    let root = b.sqrt(variance)?;
    let eps = b.splat_like(rmsprop.eps, root)?;
    let divisor = b.add(root, eps)?;
    let mut step = b.divide(g, divisor)?;
    if rmsprop.momentum != 0.0 {
        let v = o.slot(b, slots.len())?;
        let kept = scaled(b, v, rmsprop.momentum)?;
        step = b.add(kept, step)?;
        slots.push(step);
    }
    Ok(Updated {
        parameter: descend(b, o.parameter, o.lr, step)?,
        slots,
    })
}
