//! A compiled program, loaded: its typed calls.

mod calls;
mod entry;
mod error;
mod results;

use std::fmt;

use eerie::runtime as iree;

pub use calls::{EvaluateOutput, Gradients, StepOutput};
pub use entry::Entry;
pub use error::ProgramError;

use crate::cpu::missing_features;
use crate::device::{IreeError, Runtime};
use crate::manifest::Manifest;
use crate::reflection::{Reflection, reflect};

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
        self.functions
            .get(entry as usize)
            .is_some_and(Option::is_some)
    }

    /// The function, which the program must have.
    pub(crate) fn require(&self, entry: Entry) -> Result<&iree::Function, ProgramError> {
        let function = self.functions.get(entry as usize).and_then(Option::as_ref);
        function.ok_or_else(|| ProgramError::NoFunction {
            function: entry.name(),
            available: self.available(),
        })
    }

    fn available(&self) -> String {
        let names = Entry::ALL.into_iter().filter(|entry| self.has(*entry));
        names.map(Entry::name).collect::<Vec<_>>().join(", ")
    }
}

fn check_device(runtime: &Runtime, manifest: &Manifest) -> Result<(), ProgramError> {
    let device = runtime.name();
    if manifest.target != device.target() {
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
        let (arguments, results) = entry.arity(manifest);
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

#[cfg(test)]
mod tests;
