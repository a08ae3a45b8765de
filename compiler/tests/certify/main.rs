//! Certificates of the three nets: they hold, and they say what is wrong.

#[path = "../common/programs.rs"]
mod programs;

mod exact;
mod subjects;
