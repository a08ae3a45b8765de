//! The `.net` language: text in, values out. No files, no tensors.
//!
//! [`parse`] gives the [`ast`], [`format()`](format()) the canonical text, and
//! [`diagnostics::render`] shows errors with their lines.

pub mod ast;
pub mod diagnostics;
mod format;
mod lexer;
mod parse;
mod sources;
mod span;

pub use diagnostics::Diagnostic;
pub use format::format;
pub use parse::{KEYWORDS, parse, parse_at, parse_expression};
pub use sources::{SourceFile, Sources};
pub use span::Span;
