//! What several test binaries share; each uses only a part.
#![allow(dead_code)]

pub mod adjoint;
pub mod cases;
pub mod language;
pub mod layers;
pub mod nets;
pub mod ops;
pub mod random;
pub mod rounding;
