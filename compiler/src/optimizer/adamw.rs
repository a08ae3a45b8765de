//! AdamW: Adam, with weight decay of the parameter itself, as PyTorch's
//! `AdamW`.

use super::moments::moments;
use super::{Operands, Updated, descend, scaled, scaled_by};
use crate::network::Adam;
use crate::stablehlo::{Builder, Result};

/// w *= 1 - lr decay; w -= lr step
pub(super) fn update(b: &mut Builder, adam: &Adam, o: &Operands<'_>) -> Result<Updated> {
    let moments = moments(b, adam, o, o.gradient)?;
    let mut w = o.parameter;
    if adam.weight_decay != 0.0 && o.decays {
        let lost = scaled(b, o.lr, adam.weight_decay)?;
        let one = b.splat_like(1.0, lost)?;
        let kept = b.subtract(one, lost)?;
        w = scaled_by(b, w, kept)?;
    }
    Ok(Updated {
        parameter: descend(b, w, o.lr, moments.step)?,
        slots: moments.slots,
    })
}
