//! LAMB (You et al., "Large batch optimization for deep learning", 2020):
//! Adam's step, made as long as the parameter.

use super::moments::moments;
use super::norm::norm;
use super::{Operands, Updated, descend, scaled, scaled_by};
use crate::network::Adam;
use crate::stablehlo::{Builder, Direction, Result};

/// u = step + decay w; w -= lr u |w| / |u|, where the ratio is 1 if either
/// norm is 0.
pub(super) fn update(b: &mut Builder, adam: &Adam, o: &Operands<'_>) -> Result<Updated> {
    let moments = moments(b, adam, o, o.gradient)?;
    let mut u = moments.step;
    if adam.weight_decay != 0.0 && o.decays {
        let decay = scaled(b, o.parameter, adam.weight_decay)?;
        u = b.add(u, decay)?;
    }
    let (long, short) = (norm(b, &[o.parameter])?, norm(b, &[u])?);
    let (one, zero) = (b.splat_like(1.0, long)?, b.splat_like(0.0, long)?);
    let ratio = b.divide(long, short)?;
    let has_length = b.compare(Direction::Gt, long, zero)?;
    let step_has_length = b.compare(Direction::Gt, short, zero)?;
    let both = b.and(has_length, step_has_length)?;
    let ratio = b.select(both, ratio, one)?;
    let step = scaled_by(b, u, ratio)?;
    Ok(Updated {
        parameter: descend(b, o.parameter, o.lr, step)?,
        slots: moments.slots,
    })
}
