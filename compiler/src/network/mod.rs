//! From the AST to a typed graph: names, shapes and parameters. No MLIR.
//!
//! [`build`] expands one net of a file. Ops are rows of the table in `ops.rs`:
//! name, options with types and defaults, shape rule. Everything of the language
//! that has no rule yet is refused by name, each use once.

mod apply;
mod arithmetic;
mod bind;
mod body;
mod build;
mod choice;
pub mod codes;
mod convert;
mod expander;
pub mod graph;
mod input;
mod layer_op;
mod lets;
mod lookup;
mod names;
mod ops;
mod overrides;
mod pipe;
mod print;
mod setting_text;
mod signature;
mod size;
mod summary;
mod train;
mod unsupported;
mod value;
mod walk;
mod window;

#[cfg(test)]
mod tests;

pub use build::{Options, build};
pub use codes::explain;
pub use graph::*;
pub use print::print;
pub use summary::{Row, Totals, summary, totals};
