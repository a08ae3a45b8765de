//! Why a function cannot be interpreted.

use crate::stablehlo::{Location, TensorType};

/// An error of the interpreter. Functions are checked before they run, so a
/// value that is computed at all is computed by the specification.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// The number of arguments is wrong.
    #[error("`@{function}` takes {expected} arguments, {found} were given")]
    ArgumentCount {
        /// Name without `@`.
        function: String,
        /// How many it takes.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// An argument has the wrong type.
    #[error("argument {index} of `@{function}` is {expected}, {found} was given")]
    ArgumentType {
        /// Name without `@`.
        function: String,
        /// Position, from 0.
        index: usize,
        /// Type in the function.
        expected: TensorType,
        /// Type that was given.
        found: TensorType,
    },
    /// An operation cannot be applied.
    #[error("{location}: `stablehlo.{op}`: {message}")]
    Operation {
        /// Name without the dialect prefix.
        op: &'static str,
        /// Why, with the offending values.
        message: String,
        /// Where the operation comes from.
        location: Location,
    },
    /// A result does not fit into the memory that was granted.
    #[error(
        "{location}: `stablehlo.{op}`: {ty} needs {needed} bytes beside the {live} in use; the limit is {limit}"
    )]
    TooLarge {
        /// Name without the dialect prefix.
        op: &'static str,
        /// Type of the result.
        ty: TensorType,
        /// Bytes of the result.
        needed: u64,
        /// Bytes in use.
        live: u64,
        /// Bytes granted.
        limit: u64,
        /// Where the operation comes from.
        location: Location,
    },
    /// The function uses a value before it defines it, or returns none such.
    #[error("`@{function}` uses value {value}, which is not defined there")]
    Undefined {
        /// Name without `@`.
        function: String,
        /// Position in the function's table of values.
        value: usize,
    },
    /// The elements do not make a tensor of the type.
    #[error("{found} {kind} elements do not make a {ty}")]
    Elements {
        /// The type.
        ty: TensorType,
        /// `floating-point` or `integer`.
        kind: &'static str,
        /// How many elements were given.
        found: usize,
    },
}
