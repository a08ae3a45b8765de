//! From the AST to a typed graph: names, shapes and parameters. No MLIR.

pub mod graph;

pub use graph::*;
