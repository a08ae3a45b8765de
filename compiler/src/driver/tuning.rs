//! The tuning of a target, by name.

use crate::iree::Target;
use crate::stablehlo::{Module, Result};

/// A pass of a tuning: its name, and what it does.
type Named = (&'static str, fn(&Module) -> Result<Module>);

/// The module in the forms that IREE compiles best for `target`.
///
/// # Errors
/// Only by a fault of a pass.
pub fn tune(module: &Module, target: Target) -> Result<Module> {
    let Target::Cpu = target;
    Ok(module.clone())
}

/// The passes that [`tune`] runs, in order.
pub fn tuning_passes(target: Target) -> Vec<Named> {
    let Target::Cpu = target;
    Vec::new()
}
