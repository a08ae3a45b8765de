//! From a network file to programs on a device.

use std::num::NonZeroU32;

use clap::Args;
use cnnc::driver::{Backend, Error, Unit};
use cnnc::iree::Target;
use cnnc::stablehlo::Module;
use cnnc_runtime::device::{DeviceError, DeviceName, Runtime};
use cnnc_runtime::program::Program;
use cnnc_runtime::threads::Threads;

use super::backend::BackendArgs;
use super::console::Console;
use super::failure::Failure;
use super::net::failure;

/// Options of the verbs that run programs.
#[derive(Debug, Clone, Args)]
pub struct EngineArgs {
    /// Run on this device, such as cpu, vulkan or vulkan:1; `cnnc doctor` lists them
    #[arg(long, value_name = "NAME", default_value = "local-task")]
    pub device: String,
    /// Use at most this many threads for the network, on the CPU
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroU32>,
    #[command(flatten)]
    pub backend: BackendArgs,
}

/// A device, and the compiler for it.
#[derive(Debug)]
pub struct Engine<'a> {
    runtime: Runtime,
    threads: Threads,
    backend: Backend,
    console: &'a Console,
}

impl EngineArgs {
    /// Opens the device and loads the compiler.
    pub fn open<'a>(&self, console: &'a Console) -> Result<Engine<'a>, Failure> {
        let (device, target) = self.device()?;
        let threads = self.threads.map_or(Threads::PerCore, Threads::AtMost);
        let runtime = Runtime::open(&device, threads).map_err(no_device)?;
        let backend = self.backend.load(target, console)?;
        Ok(Engine {
            runtime,
            threads,
            backend,
            console,
        })
    }

    /// The device by name, and what is compiled for it.
    pub fn device(&self) -> Result<(DeviceName, Target), Failure> {
        let device: DeviceName = self.device.parse().map_err(no_device)?;
        let target = device.target().parse().map_err(Failure::new)?;
        Ok((device, target))
    }
}

/// An error with how to get what is missing.
fn no_device(error: DeviceError) -> Failure {
    let hint = remedy(&error);
    let failure = Failure::new(error);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// How to get what is missing, where it can be got.
pub fn remedy(error: &DeviceError) -> Option<&'static str> {
    match error {
        DeviceError::NoLoader { .. } => Some("Debian's package libvulkan1 has it"),
        DeviceError::NoDevice { .. } => Some(
            "the driver of the GPU brings one; Debian's package mesa-vulkan-drivers has several, \
             and one that runs on the CPU",
        ),
        _ => None,
    }
}

impl Engine<'_> {
    /// The device.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// How many threads the device may use.
    pub fn threads(&self) -> Threads {
        self.threads
    }

    /// The compiler for the device.
    pub fn backend(&self) -> &Backend {
        &self.backend
    }

    /// Compiles `functions` of the network for batches of `batch` examples and loads them.
    pub fn program(&self, unit: &Unit, batch: i64, functions: &[&str]) -> Result<Program, Failure> {
        self.load(&self.compile(unit, batch, functions, &[])?)
    }

    /// Compiles `functions` of the network, with further flags for IREE.
    pub fn compile(
        &self,
        unit: &Unit,
        batch: i64,
        functions: &[&str],
        flags: &[&str],
    ) -> Result<Vec<u8>, Failure> {
        let mut backend = self.backend.clone();
        let flags = flags.iter().map(|&flag| flag.to_owned());
        backend.flags.extra.extend(flags);
        compile(&backend, unit, batch, functions, self.console)
            .map_err(|error| failure(&error, &unit.sources, self.console))
    }

    /// Tunes, compiles and loads a module of the caller's making.
    pub fn module(&self, module: &Module) -> Result<Program, Failure> {
        let tuned = self.backend.tune(module).map_err(Failure::new)?;
        self.load(&self.backend.program(&tuned).map_err(Failure::new)?)
    }

    /// Loads a compiled program.
    pub fn load(&self, bytes: &[u8]) -> Result<Program, Failure> {
        Program::load(&self.runtime, bytes).map_err(Failure::new)
    }
}

fn compile(
    backend: &Backend,
    unit: &Unit,
    batch: i64,
    functions: &[&str],
    console: &Console,
) -> Result<Vec<u8>, Error> {
    let start = std::time::Instant::now();
    let module = backend.tuned(unit, batch, functions)?;
    let bytes = backend.program(&module)?;
    console.detail(&format!(
        "program of {} for batches of {batch}: {} kB, {:.1} s",
        functions.join(", "),
        bytes.len() / 1000,
        start.elapsed().as_secs_f64(),
    ));
    Ok(bytes)
}
