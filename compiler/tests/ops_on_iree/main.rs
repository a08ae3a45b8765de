//! Every operation, forward and backward, on IREE's CPU as a user's net runs
//! it: simplified, tuned, compiled.

// Machines and programs both ask for devices.
#![allow(clippy::duplicate_mod)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/examples.rs"]
mod examples;
#[path = "../common/iree.rs"]
mod iree;
#[path = "../common/programs.rs"]
mod programs;
#[path = "../common/tunings.rs"]
mod tunings;

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
mod ties;
mod vulkan;
mod winograd;
