//! Losses, and training steps with state, in the interpreter and on IREE's CPU.

#[path = "../common/programs.rs"]
mod programs;

mod adam;
mod losses;
mod net;
mod resume;
mod sessions;
mod steps;
