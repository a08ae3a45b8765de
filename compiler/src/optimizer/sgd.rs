//! Stochastic gradient descent, as PyTorch's `SGD` with dampening 0.

use super::{Operands, Updated, decayed, descend, scaled};
use crate::network::Sgd;
use crate::stablehlo::{Builder, Result};

pub(super) fn slots(sgd: &Sgd) -> Vec<&'static str> {
    match sgd.momentum == 0.0 {
        true => Vec::new(),
        false => vec!["momentum"],
    }
}

/// g += decay w; v = mu v + g; the step is v, for Nesterov g + mu v.
pub(super) fn update(b: &mut Builder, sgd: &Sgd, o: &Operands<'_>) -> Result<Updated> {
    let g = decayed(b, o, sgd.weight_decay)?;
    if sgd.momentum == 0.0 {
        return Ok(Updated {
            parameter: descend(b, o.parameter, o.lr, g)?,
            slots: Vec::new(),
        });
    }
    let v = o.slot(b, 0)?;
    let kept = scaled(b, v, sgd.momentum)?;
    let v = b.add(kept, g)?;
    let step = match sgd.nesterov {
        true => {
            let ahead = scaled(b, v, sgd.momentum)?;
            b.add(g, ahead)?
        }
        false => v,
    };
    Ok(Updated {
        parameter: descend(b, o.parameter, o.lr, step)?,
        slots: vec![v],
    })
}
