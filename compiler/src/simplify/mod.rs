//! Algebraic rewrites that hold exactly, over the reals as over a field: the
//! only ones allowed here. One file per family, one `Pattern:` line and one
//! test of the same name per rewrite.
//!
//! [`simplify`] applies them until nothing changes, then merges equal
//! instructions and drops unused ones.

mod arithmetic;
mod clean;
mod driver;
mod movement;
#[cfg(test)]
pub(crate) mod tests;

pub use clean::{drop_unused, merge_equal};
pub use driver::{Matcher, Pattern, Rewrite, rewrite, rewrite_once};

use crate::stablehlo::{Function, Result};

/// Every rewrite of this room.
pub fn all() -> Vec<Rewrite<'static>> {
    [arithmetic::REWRITES, movement::REWRITES].concat()
}

/// Simplifies a function.
///
/// # Errors
/// If a rewrite builds something ill-typed, which would be its fault.
pub fn simplify(function: &Function) -> Result<Function> {
    let merged = merge_equal(function);
    let rewritten = rewrite(&merged, &all())?;
    Ok(drop_unused(&merge_equal(&rewritten)))
}
