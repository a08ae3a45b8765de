//! A compiled program, loaded: its typed calls.

use std::fmt;

use eerie::runtime::{self as iree, Value};
use thiserror::Error;

use crate::cpu::missing_features;
use crate::device::{IreeError, Runtime};
use crate::manifest::{Manifest, ManifestError};
use crate::reflection::{MANIFEST_ATTRIBUTE, Reflection, ReflectionError, reflect};
use crate::state::{self, State, StateError};
use crate::tensor::NamedTensor;

/// A public function of the program contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// seed -> parameters, state
    Init,
    /// parameters, image -> logits
    Forward,
    /// parameters, image, label -> mean loss
    Loss,
    /// parameters, image, label -> mean loss, gradients
    Gradients,
    /// parameters, image, cotangent -> gradients
    Pullback,
    /// parameters, state, image, label, lr -> parameters, state, mean loss, number correct
    TrainStep,
    /// parameters, image, label, weight -> sum of losses, number correct
    Evaluate,
}

impl Entry {
    const ALL: [Entry; 7] = [
        Entry::Init,
        Entry::Forward,
        Entry::Loss,
        Entry::Gradients,
        Entry::Pullback,
        Entry::TrainStep,
        Entry::Evaluate,
    ];

    /// The function's name in the program.
    pub fn name(self) -> &'static str {
        match self {
            Entry::Init => "init",
            Entry::Forward => "forward",
            Entry::Loss => "loss",
            Entry::Gradients => "gradients",
            Entry::Pullback => "pullback",
            Entry::TrainStep => "train_step",
            Entry::Evaluate => "evaluate",
        }
    }

    /// Numbers of arguments and results with `p` parameters and `s` state tensors.
    fn arity(self, p: usize, s: usize) -> (usize, usize) {
        match self {
            Entry::Init => (1, p + s),
            Entry::Forward => (p + 1, 1),
            Entry::Loss => (p + 2, 1),
            Entry::Gradients => (p + 2, p + 1),
            Entry::Pullback => (p + 2, p),
            Entry::TrainStep => (p + s + 3, p + s + 2),
            Entry::Evaluate => (p + 3, 2),
        }
    }
}

/// Why a program cannot be loaded or called.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProgramError {
    /// The bytes are no compiled program.
    #[error(transparent)]
    Reflection(#[from] ReflectionError),
    /// The program carries no manifest.
    #[error("the program `{module}` carries no `{MANIFEST_ATTRIBUTE}`: it was not made by cnnc")]
    NoManifest {
        /// Name of its module.
        module: String,
    },
    /// The manifest is refused.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// Compiled for a CPU with instructions this machine lacks.
    #[error("the program was compiled for the CPU `{cpu}`; this machine lacks {}: compile the network again here", missing.join(", "))]
    Cpu {
        /// LLVM's name of the CPU.
        cpu: String,
        /// Instruction sets this machine lacks.
        missing: Vec<&'static str>,
    },
    /// Compiled for another kind of device.
    #[error("the program was compiled for `{target}`, the device is `{device}`")]
    Target {
        /// The manifest's target.
        target: String,
        /// Name of the open device.
        device: String,
    },
    /// A function does not have the signature of the contract.
    #[error("the program's `{function}` takes {found_arguments} values and gives {found_results}; its manifest calls for {arguments} and {results}")]
    Arity {
        /// The function.
        function: &'static str,
        /// As found.
        found_arguments: usize,
        /// As found.
        found_results: usize,
        /// As needed.
        arguments: usize,
        /// As needed.
        results: usize,
    },
    /// A function that was left out when the network was compiled.
    #[error("the program has no function `{function}`; it has {available}")]
    NoFunction {
        /// The function.
        function: &'static str,
        /// Those it has, comma-separated.
        available: String,
    },
    /// An argument does not have the number of values the program takes.
    #[error("`{argument}` has {found} values, the program takes {expected}")]
    Argument {
        /// `image`, `label`, `weight` or `cotangent`.
        argument: &'static str,
        /// As given.
        found: usize,
        /// As needed.
        expected: usize,
    },
    /// A function returned something else than the contract says.
    #[error("the program's `{function}` returned {found}, expected {expected}")]
    Result {
        /// The function.
        function: &'static str,
        /// What was needed.
        expected: &'static str,
        /// What came.
        found: String,
    },
    /// IREE failed.
    #[error(transparent)]
    Iree(#[from] IreeError),
    /// Parameters or state do not fit.
    #[error(transparent)]
    State(#[from] StateError),
}

/// What a training step reports.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepOutput {
    /// Mean loss over the batch, before the update.
    pub loss: f32,
    /// Number of examples classified correctly, before the update.
    pub correct: u64,
}

/// What `evaluate` reports of one batch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EvaluateOutput {
    /// Sum of the losses of the rows, each times its weight.
    pub loss: f32,
    /// Number of rows of weight 1 that are classified correctly.
    pub correct: u64,
}

/// Loss and gradients of one batch.
#[derive(Debug, Clone, PartialEq)]
pub struct Gradients {
    /// Mean loss over the batch.
    pub loss: f32,
    /// One gradient per parameter, in canonical layout.
    pub gradients: Vec<NamedTensor>,
}

/// A program loaded into a device.
pub struct Program {
    runtime: Runtime,
    manifest: Manifest,
    functions: [Option<iree::Function>; Entry::ALL.len()],
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program")
            .field("net", &self.manifest.net)
            .field("batch", &self.manifest.batch)
            .field("functions", &self.available())
            .finish()
    }
}

impl Program {
    /// Loads a program and checks that it can run here and is what its manifest says.
    ///
    /// # Errors
    /// A [`ProgramError`]: no program, no manifest, another device, another CPU, another signature.
    pub fn load(runtime: &Runtime, vmfb: &[u8]) -> Result<Self, ProgramError> {
        let reflection = reflect(vmfb)?;
        let Some(text) = &reflection.manifest else {
            return Err(ProgramError::NoManifest {
                module: reflection.module,
            });
        };
        let manifest = Manifest::parse(text)?;
        check_device(runtime, &manifest)?;
        check_signatures(&reflection, &manifest)?;
        let loaded = runtime.load(vmfb)?;
        let mut functions = [const { None }; Entry::ALL.len()];
        for (slot, entry) in functions.iter_mut().zip(Entry::ALL) {
            if reflection.function(entry.name()).is_some() {
                let name = format!("{}.{}", reflection.module, entry.name());
                let resolved = loaded.function(&name);
                *slot = Some(resolved.map_err(|error| IreeError::new("find a function", &error))?);
            }
        }
        Ok(Self {
            runtime: runtime.clone(),
            manifest,
            functions,
        })
    }

    /// What the program says of itself.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The device it is loaded into.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Whether the program has this function.
    pub fn has(&self, entry: Entry) -> bool {
        self.functions.get(entry as usize).is_some_and(Option::is_some)
    }

    /// Draws fresh parameters and state; the same seed gives the same values.
    ///
    /// # Errors
    /// [`ProgramError`] when there is no `init` or it fails.
    pub fn init(&self, seed: u64) -> Result<State, ProgramError> {
        let seed = self.runtime.buffer(&[], &[seed])?;
        let results = self.call(Entry::Init, vec![seed.into()])?;
        Ok(self.split_state(results).0)
    }

    /// Logits of one whole batch, row-major [batch, classes].
    ///
    /// `image` holds batch x channels x height x width values.
    ///
    /// # Errors
    /// [`ProgramError`] when there is no `forward`, `image` has another length, or IREE fails.
    pub fn forward(&self, state: &State, image: &[f32]) -> Result<Vec<f32>, ProgramError> {
        let mut arguments = state.parameters.clone();
        arguments.push(self.image(image)?);
        let logits = self.call_one(Entry::Forward, arguments)?;
        floats(Entry::Forward, "f32 logits", logits)
    }

    /// Mean loss of one whole batch, as it is differentiated.
    ///
    /// # Errors
    /// As [`Program::forward`].
    pub fn loss(&self, state: &State, image: &[f32], label: &[i32]) -> Result<f32, ProgramError> {
        let mut arguments = state.parameters.clone();
        arguments.extend([self.image(image)?, self.label(label)?]);
        scalar(Entry::Loss, self.call_one(Entry::Loss, arguments)?)
    }

    /// Mean loss of one whole batch and its gradients in canonical layout.
    ///
    /// # Errors
    /// As [`Program::forward`].
    pub fn gradients(
        &self,
        state: &State,
        image: &[f32],
        label: &[i32],
    ) -> Result<Gradients, ProgramError> {
        let mut arguments = state.parameters.clone();
        arguments.extend([self.image(image)?, self.label(label)?]);
        let mut results = self.call(Entry::Gradients, arguments)?;
        let gradients = results.split_off(1);
        let loss = scalar(Entry::Gradients, single(Entry::Gradients, results)?)?;
        Ok(Gradients {
            loss,
            gradients: self.canonical(&gradients)?,
        })
    }

    /// Gradients of the loss whose derivative at the logits is `cotangent` [batch, classes].
    ///
    /// # Errors
    /// As [`Program::forward`].
    pub fn pullback(
        &self,
        state: &State,
        image: &[f32],
        cotangent: &[f32],
    ) -> Result<Vec<NamedTensor>, ProgramError> {
        let shape = [self.manifest.batch, self.manifest.classes];
        check_length("cotangent", cotangent.len(), shape[0] * shape[1])?;
        let mut arguments = state.parameters.clone();
        arguments.push(self.image(image)?);
        arguments.push(self.runtime.buffer(&shape, cotangent)?.into());
        self.canonical(&self.call(Entry::Pullback, arguments)?)
    }

    /// One step of the optimizer; `state` becomes the updated one and never leaves the device.
    /// It is untouched where the call fails.
    ///
    /// # Errors
    /// As [`Program::forward`].
    pub fn train_step(
        &self,
        state: &mut State,
        image: &[f32],
        label: &[i32],
        lr: f32,
    ) -> Result<StepOutput, ProgramError> {
        let mut arguments = state.parameters.clone();
        arguments.extend(state.optimizer.iter().cloned());
        arguments.extend([self.image(image)?, self.label(label)?]);
        arguments.push(self.runtime.buffer(&[], &[lr])?.into());
        let results = self.call(Entry::TrainStep, arguments)?;
        let (updated, metrics) = self.split_state(results);
        // eerie waits for the call, so these eight bytes are ready: reading them stalls nothing.
        let [loss, correct] = pair(Entry::TrainStep, metrics)?;
        let output = StepOutput {
            loss: scalar(Entry::TrainStep, loss)?,
            correct: count(Entry::TrainStep, correct)?,
        };
        *state = updated;
        Ok(output)
    }

    /// Sum of losses and number correct of one whole batch; rows of weight 0 do not count.
    ///
    /// # Errors
    /// As [`Program::forward`].
    pub fn evaluate(
        &self,
        state: &State,
        image: &[f32],
        label: &[i32],
        weight: &[f32],
    ) -> Result<EvaluateOutput, ProgramError> {
        check_length("weight", weight.len(), self.manifest.batch)?;
        let mut arguments = state.parameters.clone();
        arguments.extend([self.image(image)?, self.label(label)?]);
        arguments.push(self.runtime.buffer(&[weight.len()], weight)?.into());
        let [loss, correct] = pair(Entry::Evaluate, self.call(Entry::Evaluate, arguments)?)?;
        Ok(EvaluateOutput {
            loss: scalar(Entry::Evaluate, loss)?,
            correct: count(Entry::Evaluate, correct)?,
        })
    }

    fn image(&self, values: &[f32]) -> Result<Value, ProgramError> {
        let [channels, height, width] = self.manifest.image_shape();
        let shape = [self.manifest.batch, channels, height, width];
        check_length("image", values.len(), shape.iter().product())?;
        Ok(self.runtime.buffer(&shape, values)?.into())
    }

    fn label(&self, values: &[i32]) -> Result<Value, ProgramError> {
        check_length("label", values.len(), self.manifest.batch)?;
        Ok(self.runtime.buffer(&[values.len()], values)?.into())
    }

    fn call(&self, entry: Entry, arguments: Vec<Value>) -> Result<Vec<Value>, ProgramError> {
        let Some(function) = self.functions.get(entry as usize).and_then(Option::as_ref) else {
            return Err(ProgramError::NoFunction {
                function: entry.name(),
                available: self.available(),
            });
        };
        Ok(function
            .invoke(arguments)
            .map_err(|error| IreeError::new("run the program", &error))?)
    }

    fn call_one(&self, entry: Entry, arguments: Vec<Value>) -> Result<Value, ProgramError> {
        single(entry, self.call(entry, arguments)?)
    }

    fn available(&self) -> String {
        let names = Entry::ALL.into_iter().filter(|entry| self.has(*entry));
        names.map(Entry::name).collect::<Vec<_>>().join(", ")
    }

    /// Splits parameters and state off the front of `results`, whose count was checked at load.
    fn split_state(&self, mut results: Vec<Value>) -> (State, Vec<Value>) {
        let parameters = self.manifest.parameters.len().min(results.len());
        let mut optimizer = results.split_off(parameters);
        let rest = optimizer.split_off(self.manifest.state.len().min(optimizer.len()));
        let state = State {
            parameters: results,
            optimizer,
        };
        (state, rest)
    }

    fn canonical(&self, values: &[Value]) -> Result<Vec<NamedTensor>, ProgramError> {
        Ok(state::download(
            "gradients",
            &self.manifest.parameters,
            values,
        )?)
    }
}

fn check_device(runtime: &Runtime, manifest: &Manifest) -> Result<(), ProgramError> {
    let device = runtime.name();
    if (manifest.target == "cpu") != device.is_cpu() {
        return Err(ProgramError::Target {
            target: manifest.target.clone(),
            device: device.to_string(),
        });
    }
    let cpu = match &manifest.cpu {
        Some(cpu) if device.is_cpu() => cpu,
        _ => return Ok(()),
    };
    let missing = missing_features(cpu);
    if missing.is_empty() {
        return Ok(());
    }
    Err(ProgramError::Cpu {
        cpu: cpu.clone(),
        missing,
    })
}

fn check_signatures(reflection: &Reflection, manifest: &Manifest) -> Result<(), ProgramError> {
    for entry in Entry::ALL {
        let Some(found) = reflection.function(entry.name()) else {
            continue;
        };
        let (arguments, results) = entry.arity(manifest.parameters.len(), manifest.state.len());
        if (found.arguments, found.results) != (arguments, results) {
            return Err(ProgramError::Arity {
                function: entry.name(),
                found_arguments: found.arguments,
                found_results: found.results,
                arguments,
                results,
            });
        }
    }
    Ok(())
}

fn check_length(
    argument: &'static str,
    found: usize,
    expected: usize,
) -> Result<(), ProgramError> {
    if found == expected {
        return Ok(());
    }
    Err(ProgramError::Argument {
        argument,
        found,
        expected,
    })
}

fn single(entry: Entry, results: Vec<Value>) -> Result<Value, ProgramError> {
    let count = results.len();
    let [value] = <[Value; 1]>::try_from(results)
        .map_err(|_| unexpected(entry, "one value", format!("{count} values")))?;
    Ok(value)
}

fn pair(entry: Entry, results: Vec<Value>) -> Result<[Value; 2], ProgramError> {
    let count = results.len();
    results
        .try_into()
        .map_err(|_| unexpected(entry, "two metrics", format!("{count} values")))
}

fn floats(entry: Entry, expected: &'static str, value: Value) -> Result<Vec<f32>, ProgramError> {
    let Value::F32(buffer) = value else {
        return Err(unexpected(entry, expected, format!("{value:?}")));
    };
    let read = buffer.read();
    Ok(read.map_err(|error| IreeError::new("read a result", &error))?)
}

fn scalar(entry: Entry, value: Value) -> Result<f32, ProgramError> {
    let values = floats(entry, "an f32 scalar", value)?;
    match *values {
        [value] => Ok(value),
        _ => Err(unexpected(entry, "an f32 scalar", format!("{} values", values.len()))),
    }
}

/// A number of examples, which programs may return as i32 or as f32.
fn count(entry: Entry, value: Value) -> Result<u64, ProgramError> {
    const EXPECTED: &str = "a count (i32 or f32 scalar)";
    let number = match value {
        Value::I32(buffer) => {
            let values = buffer.read();
            let values = values.map_err(|error| IreeError::new("read a result", &error))?;
            match *values {
                [value] => f64::from(value),
                _ => return Err(unexpected(entry, EXPECTED, format!("{} values", values.len()))),
            }
        }
        other => f64::from(scalar(entry, other)?),
    };
    if number >= 0.0 && number.fract() == 0.0 {
        // Exact: the value came from an i32 or an f32 and is a whole number.
        return Ok(number as u64);
    }
    Err(unexpected(entry, EXPECTED, number.to_string()))
}

fn unexpected(entry: Entry, expected: &'static str, found: String) -> ProgramError {
    ProgramError::Result {
        function: entry.name(),
        expected,
        found,
    }
}

#[cfg(test)]
#[path = "program_tests.rs"]
mod tests;
