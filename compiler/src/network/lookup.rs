//! Saying what a name does not stand for.

use super::choice::INITIALIZERS;
use super::codes::names;
use super::convert;
use super::definitions::Definitions;
use super::input::BATCH;
use super::ops;
use super::signature::PADDING_WORDS;
use cnnc_grammar::diagnostics::nearest;
use cnnc_grammar::{Diagnostic, Span};

/// A name that nothing has.
pub(super) struct Unknown<'n> {
    pub name: &'n str,
    pub span: Span,
    /// Where it is made further down.
    pub later: Option<Span>,
}

impl Unknown<'_> {
    /// The error, and the name that it offers; None where the name may be in a
    /// file that could not be imported. `locals` are in sight.
    pub fn diagnostic<'k>(
        &self,
        locals: impl Iterator<Item = &'k str>,
        definitions: &Definitions<'k>,
        file: usize,
    ) -> (Option<Diagnostic>, Option<String>) {
        if definitions.incomplete(file) {
            return (None, None);
        }
        let name = self.name;
        let error = Diagnostic::new(
            names::UNKNOWN_NAME,
            format!("nothing is called `{name}`"),
            self.span,
            "unknown name",
        );
        let hinted = |hint: String| (Some(error.clone().with_hint(hint)), None);
        if let Some(later) = self.later {
            let error = error
                .with_place(later, "made here")
                .with_hint("a name is used below where it is made");
            return (Some(error), None);
        }
        if name == BATCH {
            return hinted("`N` is the batch size, which is no part of the net".to_string());
        }
        if let Some(ours) = ops::foreign(name) {
            return hinted(format!("this is called `{ours}` here"));
        }
        if matches!(name, "True" | "False") {
            return hinted(format!("write `{}`", name.to_ascii_lowercase()));
        }
        let known = locals
            .chain(definitions.names(file))
            .chain(ops::OPS.iter().map(|op| op.signature.name));
        match nearest(name, known) {
            Some(near) => {
                let error = error.with_hint(format!("did you mean `{near}`?"));
                (Some(error), Some(near.to_string()))
            }
            None => (Some(error), None),
        }
    }
}

/// Whether `name` has a meaning as the value of some option.
pub(super) fn is_word(name: &str) -> bool {
    PADDING_WORDS.contains(&name)
        || INITIALIZERS
            .iter()
            .any(|choice| choice.signature.name == name)
        || ops::OPS
            .iter()
            .flat_map(|op| op.signature.options)
            .any(|option| convert::words(option.kind).contains(&name))
}
