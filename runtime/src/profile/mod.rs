//! What a training step spends its time on: IREE's own records of each dispatch on the CPU.

mod raw;
mod records;
mod session;
mod sink;

use std::time::{Duration, Instant};

use eerie_sys::runtime as sys;
use thiserror::Error;

use crate::device::{DeviceError, IreeError, Runtime};
use crate::manifest::Manifest;
use crate::program::{Entry, Program, ProgramError};
use crate::reflection::{ReflectionError, reflect};
use crate::synthetic::Examples;
use crate::threads::Threads;
use raw::done;
use session::{Device, Loaded, View};
use sink::Sink;

/// Steps before the first one that is recorded.
const WARM_UP: usize = 2;

/// One run of a dispatch; times are in nanoseconds of one clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispatch {
    /// The function's name in its executable.
    pub function: String,
    /// When its first workgroup began.
    pub start: i64,
    /// When its last workgroup ended.
    pub end: i64,
    /// The time of all threads in it; 0 where it was not measured.
    pub busy: i64,
}

/// One training step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// From the batch on the host to the loss on the host.
    pub wall: Duration,
    /// Its dispatches in the order of the program.
    pub dispatches: Vec<Dispatch>,
}

/// Why a program cannot be profiled.
#[derive(Debug, Error)]
pub enum ProfileError {
    /// Only the devices of the CPU keep such records.
    #[error("device `{device}` cannot be profiled; the devices of the CPU can")]
    Device {
        /// The device.
        device: String,
    },
    /// The program is none for this device, or has no training step.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A second device could not be opened.
    #[error(transparent)]
    Open(#[from] DeviceError),
    /// IREE failed.
    #[error(transparent)]
    Iree(#[from] IreeError),
    /// More happened in a step than IREE keeps.
    #[error("a step has more dispatches than IREE's profiler keeps")]
    Incomplete,
}

impl From<ReflectionError> for ProfileError {
    fn from(error: ReflectionError) -> Self {
        ProfileError::Program(error.into())
    }
}

/// Runs training steps of a compiled program on a device like that of `runtime`, with IREE's
/// records on, and returns what was recorded of `steps` of them.
///
/// The program needs `init` and `train_step`. The records cost little, but a step without them is
/// what to quote. No other thread of the process may run programs meanwhile: IREE resets tables of
/// the whole process for a moment when a device is opened, and eerie cannot know of this one.
///
/// # Errors
/// [`ProfileError`].
pub fn train_steps(
    runtime: &Runtime,
    threads: Threads,
    vmfb: &[u8],
    examples: &[Examples],
    lr: f32,
    steps: usize,
) -> Result<Vec<Step>, ProfileError> {
    let name = runtime.name();
    if !name.is_cpu() {
        let device = name.to_string();
        return Err(ProfileError::Device { device });
    }
    // Everything that can be wrong with a program is found here.
    let program = Program::load(runtime, vmfb)?;
    for entry in [Entry::Init, Entry::TrainStep] {
        program.require(entry)?;
    }
    let device = Device::open(name, threads)?;
    let loaded = Loaded::load(&device, vmfb.to_vec())?;
    let manifest = program.manifest();
    let module = reflect(vmfb)?.module;
    let session = Session {
        device: &device,
        loaded: &loaded,
        manifest,
        step: format!("{module}.{}", Entry::TrainStep.name()),
    };
    let variables = manifest.parameters.len() + manifest.state.len();
    let seed = device.buffer(&[], &[0_u64])?;
    let mut state = loaded.call(&format!("{module}.init"), &[&seed], variables)?;
    let mut turns = examples.iter().cycle();
    for examples in turns.by_ref().take(WARM_UP) {
        session.step(&mut state, examples, lr)?;
    }
    let recording = Recording::begin(&device)?;
    let mut found = Vec::new();
    for examples in turns.take(steps) {
        let start = Instant::now();
        session.step(&mut state, examples, lr)?;
        let wall = start.elapsed();
        let dispatches = recording.flush()?;
        found.push(Step { wall, dispatches });
    }
    Ok(found)
}

struct Session<'a> {
    device: &'a Device,
    loaded: &'a Loaded,
    manifest: &'a Manifest,
    step: String,
}

impl Session<'_> {
    fn step(&self, state: &mut Vec<View>, examples: &Examples, lr: f32) -> Result<(), IreeError> {
        let device = self.device;
        let mut inputs = Vec::new();
        for input in &self.manifest.inputs {
            inputs.push(match input.name.as_str() {
                "label" => device.buffer(&input.shape, &examples.label)?,
                _ => device.buffer(&input.shape, &examples.image)?,
            });
        }
        inputs.push(device.buffer(&[], &[lr])?);
        if self.manifest.accumulate() > 1 {
            inputs.push(device.buffer(&[], &[1_i32])?);
        }
        let arguments: Vec<&View> = state.iter().chain(&inputs).collect();
        let results = state.len() + self.manifest.metrics.len();
        let mut updated = self.loaded.call(&self.step, &arguments, results)?;
        updated.truncate(state.len());
        *state = updated;
        Ok(())
    }
}

/// A profiling session of a device; it ends when this is dropped.
struct Recording<'a> {
    device: &'a Device,
    sink: Sink,
}

impl<'a> Recording<'a> {
    fn begin(device: &'a Device) -> Result<Self, IreeError> {
        use sys::iree_hal_device_profiling_data_family_bits_t_IREE_HAL_DEVICE_PROFILING_DATA_EXECUTABLE_METADATA as NAMES;
        use sys::iree_hal_device_profiling_data_family_bits_t_IREE_HAL_DEVICE_PROFILING_DATA_HOST_EXECUTION_EVENTS as EXECUTIONS;
        let sink = Sink::new();
        let options = sys::iree_hal_device_profiling_options_t {
            flags: 0,
            data_families: u64::from(EXECUTIONS | NAMES),
            sink: sink.raw(),
            // SAFETY: a structure of numbers and a text, which mean nothing to be left out when
            // they are 0.
            capture_filter: unsafe { std::mem::zeroed() },
            counter_set_count: 0,
            counter_sets: std::ptr::null(),
        };
        // SAFETY: the device is alive and idle; it keeps the sink by itself.
        let status = unsafe { sys::iree_hal_device_profiling_begin(device.raw(), &options) };
        done("begin to profile", status)?;
        Ok(Recording { device, sink })
    }

    /// What was recorded since the last call.
    fn flush(&self) -> Result<Vec<Dispatch>, ProfileError> {
        // SAFETY: the device is alive and idle, and is being profiled.
        let status = unsafe { sys::iree_hal_device_profiling_flush(self.device.raw()) };
        done("read the profile", status)?;
        let mut records = self.sink.records();
        match records.incomplete {
            true => Err(ProfileError::Incomplete),
            false => Ok(records.drain()),
        }
    }
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        // SAFETY: the device is alive and idle, and is being profiled.
        let status = unsafe { sys::iree_hal_device_profiling_end(self.device.raw()) };
        // What was recorded is read already.
        let _ = done("end the profile", status);
    }
}

#[cfg(test)]
mod tests;
