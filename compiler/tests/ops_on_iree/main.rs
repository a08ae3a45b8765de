//! Every operation, forward and backward, on IREE's CPU as a user's net runs
//! it: simplified, tuned, compiled.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/iree.rs"]
mod iree;
#[path = "../common/programs.rs"]
mod programs;

mod checks;
mod convolutions;
mod goldens;
mod init;
mod nets;
mod others;
mod pools;
mod random;
mod vulkan;
