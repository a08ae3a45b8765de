//! Adam, with weight decay in the gradient, as PyTorch's `Adam`.

use super::moments::moments;
use super::{Operands, Updated, decayed, descend};
use crate::network::Adam;
use crate::stablehlo::{Builder, Result};

/// g += decay w; w -= lr step
pub(super) fn update(b: &mut Builder, adam: &Adam, o: &Operands<'_>) -> Result<Updated> {
    let g = decayed(b, o, adam.weight_decay)?;
    let moments = moments(b, adam, o, g)?;
    Ok(Updated {
        parameter: descend(b, o.parameter, o.lr, moments.step)?,
        slots: moments.slots,
    })
}
