//! Compiled programs.

use cnnc::driver::{Backend, Unit};
use cnnc::iree::{Flags, Iree, Target};
use cnnc_runtime::device::Runtime;
use cnnc_runtime::program::Program;
use cnnc_runtime::threads::Threads;

/// IREE's compiler for this machine.
pub fn backend() -> Backend {
    Backend {
        iree: Iree::find().expect("IREE's compiler is missing: make deps"),
        cache: None,
        flags: Flags::default(),
        cpu: "host".to_owned(),
    }
}

/// The device of the tests.
pub fn runtime() -> Runtime {
    Runtime::open(&"local-task".parse().unwrap(), Threads::PerCore).unwrap()
}

/// Some functions of a net, tuned, compiled and loaded.
pub fn program(runtime: &Runtime, unit: &Unit, batch: i64, functions: &[&str]) -> Program {
    let tuned = unit.tuned(batch, functions, Target::Cpu).unwrap();
    let vmfb = backend().program(&tuned).unwrap();
    Program::load(runtime, &vmfb).unwrap()
}
