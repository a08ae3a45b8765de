//! Errors as values, and how they are shown.

mod code;
mod nearest;
mod render;
mod source_text;
pub mod syntax;

pub use code::{Code, find};
pub use nearest::nearest;
pub use render::{render, render_in};
pub use source_text::{Position, position};

use crate::Span;

/// One error in a source text.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// What sort of error.
    pub code: Code,
    /// What is wrong, in lower case, without a final stop.
    pub message: String,
    /// Places it concerns; the first primary one gives the position.
    pub labels: Vec<Label>,
    /// What to do about it.
    pub hints: Vec<String>,
    /// Facts that explain it, such as the formula of a shape.
    pub notes: Vec<String>,
}

/// A place with a remark.
#[derive(Clone, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The remark; may be empty.
    pub text: String,
    /// Whether this is where the error is.
    pub primary: bool,
}

impl Diagnostic {
    /// An error at `span`, with a remark there.
    pub fn new(
        code: Code,
        message: impl Into<String>,
        span: Span,
        remark: impl Into<String>,
    ) -> Self {
        let mut diagnostic = Self::without_place(code, message);
        diagnostic.labels.push(Label {
            span,
            text: remark.into(),
            primary: true,
        });
        diagnostic
    }

    /// An error of no place in the source, such as one of the command line.
    pub fn without_place(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            labels: Vec::new(),
            hints: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The same with all places `offset` bytes further on.
    pub fn moved(mut self, offset: usize) -> Self {
        for label in &mut self.labels {
            label.span = label.span.moved(offset);
        }
        self
    }

    /// Adds another place the error concerns.
    pub fn with_place(mut self, span: Span, remark: impl Into<String>) -> Self {
        self.labels.push(Label {
            span,
            text: remark.into(),
            primary: false,
        });
        self
    }

    /// Adds what to do.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds a fact.
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Adds "did you mean" where one of `known` is near to `name`.
    pub fn with_nearest<'a>(self, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        match nearest(name, known) {
            Some(near) => self.with_hint(format!("did you mean `{near}`?")),
            None => self,
        }
    }

    /// Where the error is, if it has a place.
    pub fn span(&self) -> Option<Span> {
        self.labels
            .iter()
            .find(|label| label.primary)
            .map(|label| label.span)
    }
}
