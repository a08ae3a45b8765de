//! Optimizers: from gradients to new parameters, one file each. Whatever they
//! remember between steps is named state of the module.

mod sgd;

use crate::network::Optimizer;
use crate::stablehlo::{Builder, Result, Value};

/// Name of the scalar learning rate.
pub const LR: &str = "lr";

/// The new value of a parameter from its value, its gradient and the learning
/// rate.
///
/// # Errors
/// If the shapes do not fit, which would be a fault of the caller.
pub fn update(
    b: &mut Builder,
    optimizer: &Optimizer,
    parameter: Value,
    gradient: Value,
    lr: Value,
) -> Result<Value> {
    match optimizer {
        Optimizer::Sgd { .. } => sgd::update(b, parameter, gradient, lr),
    }
}
