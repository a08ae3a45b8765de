//! The reference interpreter: StableHLO functions run over any [`Number`].
//!
//! Over f64 it gives the values of the real function that a function of f32
//! computes; over f32 it is faithful to the bit where IEEE is; over [`Dual`]
//! numbers it gives derivatives; over [`Exact`] numbers (a prime field, led by
//! f64 shadows) equalities hold without a tolerance. Semantics are those of the
//! [StableHLO specification](https://openxla.org/stablehlo/spec); where that
//! leaves a choice, the function that makes it says which.
//!
//! It is meant to be read and trusted first, and fast second: everything is a
//! plain loop, but convolutions and products run along contiguous rows.

mod compound;
mod error;
mod integer;
mod interpreter;
pub mod number;
mod ops;
mod sort;
mod tensor;
#[cfg(test)]
mod tests;
mod walk;

pub use error::Error;
pub use interpreter::{Limits, Options, Step, run, run_observed, run_traced, run_with};
pub(crate) use number::MOST_POWER;
pub use number::{Bounded, Dual, Exact, Number, Prime};
pub use ops::Ties;
pub(crate) use ops::Windows;
pub use tensor::{Data, Tensor};

/// Result of interpreting a function.
pub type Result<T> = std::result::Result<T, Error>;
