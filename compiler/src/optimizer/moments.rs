//! Running means of gradient and squared gradient, corrected for their start
//! at 0, for the optimizers of Adam's family.

use super::{Operands, missing, running_mean};
use crate::network::Adam;
use crate::stablehlo::{Builder, Result, Value};

/// Names of the two running means.
pub(super) const SLOTS: [&str; 2] = ["m", "v"];

/// Adam's step, and the running means after it.
pub(super) struct Moments {
    pub step: Value,
    pub slots: Vec<Value>,
}

/// m = b1 m + (1 - b1) g, v = b2 v + (1 - b2) g^2; the step is
/// (m / c1) / (sqrt(v / c2) + eps), where c = 1 - b^t.
pub(super) fn moments(
    b: &mut Builder,
    adam: &Adam,
    o: &Operands<'_>,
    gradient: Value,
) -> Result<Moments> {
    let [first, second] = adam.betas;
    let update = o.update.ok_or_else(|| missing(b, "number"))?;
    let (m, v) = (o.slot(b, 0)?, o.slot(b, 1)?);
    let m = running_mean(b, first, m, gradient)?;
    let square = b.multiply(gradient, gradient)?;
    let v = running_mean(b, second, v, square)?;
    let mean = corrected(b, m, first, update)?;
    let mean_square = corrected(b, v, second, update)?;
    let root = b.sqrt(mean_square)?;
    let eps = b.splat_like(adam.eps, root)?;
    let divisor = b.add(root, eps)?;
    Ok(Moments {
        step: b.divide(mean, divisor)?,
        slots: vec![m, v],
    })
}

/// x / (1 - beta^t)
fn corrected(b: &mut Builder, x: Value, beta: f64, update: Value) -> Result<Value> {
    if beta == 0.0 {
        return Ok(x);
    }
    let weight = weight_of_updates(b, beta, update)?;
    let shape = b.shape(x);
    let weight = b.broadcast(weight, &[], &shape)?;
    b.divide(x, weight)
}

/// 1 - beta^t, as -(e^(t ln beta) - 1): for small t the difference from 1
/// would lose most digits of f32.
fn weight_of_updates(b: &mut Builder, beta: f64, update: Value) -> Result<Value> {
    let rate = b.splat_like(beta.ln(), update)?;
    let exponent = b.multiply(update, rate)?;
    let grown = b.exponential_minus_one(exponent)?;
    b.negate(grown)
}
