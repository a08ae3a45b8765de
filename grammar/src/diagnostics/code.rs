//! What `cnnc explain CODE` prints.

use std::fmt;

/// A sort of error. Each crate keeps its own in a table of constants.
///
/// The examples are whole files that the tests run: `example` gives the
/// error, `instead` does not.
#[derive(Clone, Copy)]
pub struct Code {
    /// `E0301`
    pub name: &'static str,
    /// One line.
    pub title: &'static str,
    /// What the error means.
    pub meaning: &'static str,
    /// Why it is an error.
    pub why: &'static str,
    /// A file that has it.
    pub example: &'static str,
    /// The file put right.
    pub instead: &'static str,
}

impl Code {
    /// The text of `cnnc explain`, in Markdown.
    pub fn explanation(&self) -> String {
        let Code {
            name,
            title,
            meaning,
            why,
            ..
        } = self;
        let example = block(self.example);
        let instead = block(self.instead);
        format!(
            "# {name}: {title}\n\n## What it means\n{meaning}\n\n## Why it is an error\n{why}\n\n\
             ## Example\n{example}\n## Use instead\n{instead}"
        )
    }
}

fn block(text: &str) -> String {
    format!("```\n{}\n```\n", text.trim_matches('\n'))
}

impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Code {}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

/// The code called `name` in `table`, whatever the case of its letter.
pub fn find<'a>(name: &str, table: &'a [Code]) -> Option<&'a Code> {
    table
        .iter()
        .find(|code| code.name.eq_ignore_ascii_case(name.trim()))
}
