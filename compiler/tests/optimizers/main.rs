//! The optimizers' updates, in the interpreter and on IREE's CPU.

// Not every device is used here.
#[path = "../common/iree.rs"]
mod iree;

mod cases;
mod goldens;
mod update;
