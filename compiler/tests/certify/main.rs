//! Certificates of the three nets: they hold, and they say what is wrong.

#[path = "../common/examples.rs"]
mod examples;
// These tests load modules that are tuned already.
#[path = "../common/iree.rs"]
mod iree;
#[path = "../common/language.rs"]
mod language;
#[path = "../common/tunings.rs"]
mod tunings;

mod bad_input;
mod cli;
mod exact;
mod execute;
mod failing;
mod ops;
mod optimizers;
mod regions;
mod subjects;
mod tie_choices;
mod ties;
mod tuning;
