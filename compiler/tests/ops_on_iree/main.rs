//! Every operation, forward and backward, on IREE's CPU as a user's net runs
//! it: simplified, tuned, compiled.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/examples.rs"]
mod examples;
// Parts of these are used by other tests.
#[allow(dead_code)]
#[path = "../common/iree.rs"]
mod iree;
#[allow(dead_code)]
#[path = "../common/programs.rs"]
mod programs;

mod accuracy;
mod checks;
mod elementwise;
mod goldens;
mod init;
mod large;
mod nets;
mod others;
mod random;
mod random_nets;
mod stateful;
mod tails;
mod vulkan;
