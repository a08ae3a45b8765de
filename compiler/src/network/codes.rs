//! The errors of this stage, with what `cnnc explain CODE` prints.

pub mod expansion;
pub mod names;
pub mod options;
pub mod shapes;
pub mod train;

use cnnc_grammar::diagnostics::{self, Code, syntax};

/// The tables of this crate's own front end and of the grammar.
const TABLES: &[&[Code]] = &[
    syntax::ALL,
    names::ALL,
    expansion::ALL,
    shapes::ALL,
    options::ALL,
    train::ALL,
];

/// Every code of the grammar and of this stage, in order.
pub fn all() -> impl Iterator<Item = &'static Code> {
    TABLES.iter().flat_map(|table| table.iter())
}

/// The text of `cnnc explain CODE` in Markdown, whatever the case of the letter;
/// None for an unknown code.
pub fn explain(code: &str) -> Option<String> {
    TABLES
        .iter()
        .find_map(|table| diagnostics::find(code, table))
        .map(Code::explanation)
}
