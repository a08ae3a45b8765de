//! Certificates of the three nets: they hold, and they say what is wrong.

#[path = "../common/examples.rs"]
mod examples;

mod exact;
mod subjects;
