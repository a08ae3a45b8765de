//! Stochastic gradient descent.

use crate::stablehlo::{Builder, Result, Value};

/// w - lr g
pub(super) fn update(b: &mut Builder, w: Value, g: Value, lr: Value) -> Result<Value> {
    let shape = b.shape(w);
    let lr = b.broadcast(lr, &[], &shape)?;
    let step = b.multiply(lr, g)?;
    b.subtract(w, step)
}
