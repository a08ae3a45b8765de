//! Why nothing can be certified.

use crate::reference;
use crate::stablehlo::{self, TensorType};

/// An error of the module or of the values it is checked at. A certificate
/// that does not hold is no error, but a finding.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// The module was not made by this compiler.
    #[error("not a module of cnnc: its `cnnc.manifest` has no {what}")]
    Manifest {
        /// What is missing; the whole manifest has no version.
        what: String,
    },
    /// A function is missing, or an operation is not what it should be.
    #[error(transparent)]
    Stablehlo(#[from] stablehlo::Error),
    /// A function cannot be interpreted.
    #[error(transparent)]
    Reference(#[from] reference::Error),
    /// The arguments or results of a function are not those of the ABI.
    #[error("`@{function}`: {message}")]
    Signature {
        /// Name without `@`.
        function: String,
        /// What is wrong, with the names and types.
        message: String,
    },
    /// The arguments of a function do not fit into memory.
    #[error(
        "`@{function}` takes `{name}`, {ty}: with it the arguments need {needed} bytes in a \
         certificate; the limit is {limit}"
    )]
    TooLarge {
        /// Name without `@`.
        function: String,
        /// Name of the argument.
        name: String,
        /// Its type.
        ty: TensorType,
        /// Bytes of this argument and those before it.
        needed: u64,
        /// Bytes granted.
        limit: u64,
    },
    /// A value that a function takes was not given.
    #[error("`@{function}` takes `{name}`, for which there is no value")]
    NoValue {
        /// Name without `@`.
        function: String,
        /// Name of the argument.
        name: String,
    },
}

/// Result of certifying.
pub type Result<T> = std::result::Result<T, Error>;
