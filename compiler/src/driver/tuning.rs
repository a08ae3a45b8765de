//! The tuning of a target, by name.

use crate::iree::Target;
use crate::stablehlo::{Module, Result};
use crate::tune;

/// A pass of a tuning: its name, and what it does.
type Named = (&'static str, fn(&Module) -> Result<Module>);

/// The module in the forms that IREE compiles best for `target`.
///
/// # Errors
/// Only by a fault of a pass.
pub fn tune(module: &Module, target: Target) -> Result<Module> {
    tune::tune(module, target)
}

/// The passes that [`tune()`] runs, in order.
pub fn tuning_passes(target: Target) -> Vec<Named> {
    tune::passes(target)
        .iter()
        .map(|pass| (pass.name, pass.run))
        .collect()
}
