//! StableHLO in typed form: one [`Op`] variant and one builder method per
//! operation, by family, with result types computed in one place ([`infer`]).
//!
//! StableHLO is not registered in the MLIR that melior links, so there MLIR
//! neither types nor verifies it. A function is therefore held as plain data
//! ([`Function`]: a list of single-assignment instructions) and crosses into
//! MLIR and back in [`mlir`], the only room that spells an attribute. Passes
//! are functions from [`Function`] to [`Function`].

pub mod build;
pub mod error;
pub mod function;
pub mod infer;
pub mod literal;
pub mod mlir;
mod multiply_adds;
pub mod op;
pub mod types;

pub use build::Builder;
pub use error::Error;
pub use function::{Argument, Function, Instruction, Location, Module, Output, Value};
pub use literal::{Literal, Scalar};
pub use multiply_adds::multiply_adds;
pub use op::{
    BinaryOp, Compound, Convolution, ConvolutionDims, Direction, DotGeneral, Gather, Op, Reducer,
    Region, Scatter, UnaryOp, Window, kept,
};
pub use types::{ElementType, TensorType};

/// Result of building or reading StableHLO.
pub type Result<T> = std::result::Result<T, Error>;
