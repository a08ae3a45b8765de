//! What can be wrong with a StableHLO function.

use super::function::Location;

/// An error of building, checking or reading StableHLO.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// An operation breaks a constraint of the StableHLO specification.
    #[error("{location}: `stablehlo.{op}`: {message}")]
    Constraint {
        /// Name without the dialect prefix.
        op: &'static str,
        /// The constraint and the offending values.
        message: String,
        /// Where the operation comes from.
        location: Location,
    },
    /// The text is not MLIR, or not MLIR of the kind expected here.
    #[error("{location}: {message}")]
    Syntax {
        /// What was found and what was expected.
        message: String,
        /// Where.
        location: Location,
    },
    /// An operation that this compiler does not know.
    #[error("{location}: unknown operation `{op}`")]
    UnknownOp {
        /// Full name, with the dialect.
        op: String,
        /// Where.
        location: Location,
    },
    /// A pass met something that it cannot handle.
    #[error("{location}: {pass}: {message}")]
    Pass {
        /// Name of the pass.
        pass: &'static str,
        /// Why it refused.
        message: String,
        /// Where.
        location: Location,
    },
    /// A function that was asked for by name does not exist.
    #[error("the module has no function `@{name}`; it has {available}")]
    NoFunction {
        /// Name without `@`.
        name: String,
        /// What is there.
        available: String,
    },
}

impl Error {
    /// The place the error points at, if it has one.
    pub fn location(&self) -> Option<&Location> {
        match self {
            Error::Constraint { location, .. }
            | Error::Syntax { location, .. }
            | Error::UnknownOp { location, .. }
            | Error::Pass { location, .. } => Some(location),
            Error::NoFunction { .. } => None,
        }
    }
}
