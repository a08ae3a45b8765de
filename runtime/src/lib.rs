//! From a compiled program (`.vmfb`) and data to a trained model.
//!
//! The crate knows neither the network language nor the compiler: a program carries a
//! [`Manifest`](manifest::Manifest) that names its parameters, state and inputs.
//!
//! - [`Runtime`](device::Runtime) is a device; [`Program`](program::Program)s are loaded into it
//!   and share its buffers.
//! - [`State`](state::State) holds parameters and optimizer state on the device between steps.
//! - [`data`] reads data sets and prepares batches on another thread.
//! - [`train`](train::train), [`evaluate`](evaluate::evaluate) and [`predict`] run programs over
//!   data; [`checkpoint`] and [`metrics`] keep what they find.
//! - [`synthetic`] makes examples to measure on, [`profile`] says what a step spends its time on,
//!   [`piece`] times parts of one.
//!
//! Nothing here prints, exits or reads the environment.

#![warn(missing_docs)]
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::print_stdout,
        clippy::print_stderr
    )
)]

pub mod atomic;
pub mod checkpoint;
pub mod cpu;
pub mod data;
pub mod device;
pub mod evaluate;
pub mod layout;
pub mod manifest;
pub mod memory;
pub mod metrics;
pub mod nearest;
pub mod piece;
pub mod predict;
pub mod profile;
pub mod program;
pub mod reflection;
pub mod state;
pub mod synthetic;
pub mod tensor;
pub mod threads;
pub mod train;

#[cfg(test)]
mod fixture;
