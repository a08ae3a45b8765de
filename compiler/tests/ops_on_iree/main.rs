//! Every operation, forward and backward, on IREE's CPU as a user's net runs
//! it: simplified, tuned, compiled.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/iree.rs"]
mod iree;

mod dev;
mod goldens;
