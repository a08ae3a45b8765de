//! Compiled programs.
//! Test binaries share it; each uses a part.
#![allow(dead_code)]

#[path = "devices.rs"]
mod devices;

use cnnc::driver::{Backend, Unit};
use cnnc::iree::{Flags, Iree, Target};
use cnnc::stablehlo::Module;
use cnnc_runtime::device::Runtime;
use cnnc_runtime::program::Program;
use cnnc_runtime::threads::Threads;

/// IREE's compiler for this machine.
pub fn backend(target: Target) -> Backend {
    Backend {
        iree: Iree::find().expect("IREE's compiler is missing: make deps"),
        cache: None,
        flags: Flags::of(target),
        cpu: "host".to_owned(),
        tuning: Default::default(),
    }
}

/// The CPU.
pub fn runtime() -> Runtime {
    open("cpu")
}

/// The first Vulkan device; none where there is none, which is told in the name of `test`.
pub fn vulkan(test: &str) -> Option<Runtime> {
    devices::vulkan(test).then(|| open("vulkan"))
}

fn open(device: &str) -> Runtime {
    Runtime::open(&device.parse().unwrap(), Threads::PerCore).unwrap()
}

/// Some functions of a net, tuned, compiled and loaded.
pub fn program(runtime: &Runtime, unit: &Unit, batch: i64, functions: &[&str]) -> Program {
    let target: Target = runtime.name().target().parse().unwrap();
    load(runtime, &unit.tuned(batch, functions, target).unwrap())
}

/// A tuned module, compiled and loaded.
pub fn load(runtime: &Runtime, tuned: &Module) -> Program {
    let target: Target = runtime.name().target().parse().unwrap();
    let vmfb = backend(target).program(tuned).unwrap();
    Program::load(runtime, &vmfb).unwrap()
}
