//! Why a program cannot be loaded or called.

use thiserror::Error;

use crate::device::IreeError;
use crate::manifest::ManifestError;
use crate::reflection::{MANIFEST_ATTRIBUTE, ReflectionError};
use crate::state::StateError;

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
    #[error(
        "the program's `{function}` takes {found_arguments} values and gives {found_results}; its manifest calls for {arguments} and {results}"
    )]
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
