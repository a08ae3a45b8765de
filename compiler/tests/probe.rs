//! `cnnc probe`, run as a user runs it.

#[path = "probe/pool_twins.rs"]
mod pool_twins;
#[path = "cli/run.rs"]
#[allow(dead_code)]
mod run;
