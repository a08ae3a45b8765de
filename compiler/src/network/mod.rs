//! From the AST to a typed graph: names, shapes and parameters. No MLIR.
//!
//! [`Files::load`] parses a file and what it imports, and [`build`] expands one of
//! its nets. Names are checked first, in all blocks at once (`check.rs`); then the
//! net is evaluated with its blocks (`expander.rs`), which grows the graph; names
//! are made at the end (`naming.rs`). Ops are rows of the table in `ops.rs`: name,
//! options with types and defaults, shape rule.

mod apply;
mod arithmetic;
mod bind;
mod block;
mod body;
mod build;
mod check;
mod choice;
pub mod codes;
mod control;
mod convert;
mod definitions;
mod expander;
mod files;
mod frame;
pub mod graph;
mod input;
mod instance;
mod layer_op;
mod lets;
mod lookup;
mod naming;
mod ops;
mod overrides;
mod param;
mod pipe;
mod print;
mod setting_text;
mod signature;
mod size;
mod statistics;
mod summary;
mod train;
mod value;
mod waiting;
mod window;

#[cfg(test)]
mod tests;

pub use build::{Options, build};
pub use codes::explain;
pub use files::{Files, Resolve, SourceErrors};
pub use graph::*;
pub use print::print;
pub use summary::{Row, Totals, summary, totals};
