//! Compiled programs of the examples.

use std::path::{Path, PathBuf};

use cnnc::driver::{self, Backend, Unit};
use cnnc::iree::{Flags, Iree, Target};
use cnnc::network::Options;
use cnnc_runtime::device::Runtime;
use cnnc_runtime::program::Program;
use cnnc_runtime::threads::Threads;

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A file of the test data.
pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(name)
}

/// An example, read and found right.
pub fn example(name: &str) -> Unit {
    let file = format!("{name}.net");
    let text = std::fs::read_to_string(root().join("examples").join(&file)).unwrap();
    driver::read(&file, &text, &Options::default()).unwrap()
}

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
