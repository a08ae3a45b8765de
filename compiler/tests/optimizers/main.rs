//! The optimizers' updates, in the interpreter and on IREE's CPU.

#[path = "../common/iree.rs"]
mod iree;

mod cases;
mod goldens;
mod update;
