//! Why a shape rule says no.

use crate::network::codes::shapes;
use crate::network::value::show_shape;
use cnnc_grammar::Span;
use cnnc_grammar::diagnostics::Code;

/// An error of a shape rule; who applies the op adds the places.
pub(in crate::network) struct Refusal {
    pub code: Code,
    pub message: String,
    /// What to say at the op.
    pub remark: String,
    /// The option at fault, where it is one.
    pub at: Option<Span>,
    pub hints: Vec<String>,
    pub notes: Vec<String>,
}

impl Refusal {
    pub fn new(code: Code, message: String, remark: String) -> Box<Self> {
        Box::new(Self {
            code,
            message,
            remark,
            at: None,
            hints: Vec::new(),
            notes: Vec::new(),
        })
    }

    pub fn hint(mut self: Box<Self>, hint: String) -> Box<Self> {
        self.hints.push(hint);
        self
    }

    pub fn note(mut self: Box<Self>, note: String) -> Box<Self> {
        self.notes.push(note);
        self
    }

    pub fn at(mut self: Box<Self>, span: Option<Span>) -> Box<Self> {
        self.at = span;
        self
    }

    /// `op` needs another rank than `shape` has; `needs` is the type it takes.
    pub fn rank(op: &str, rank: usize, shape: &[i64], needs: &str) -> Box<Self> {
        Self::new(
            shapes::RANK,
            format!(
                "`{op}` needs a rank-{rank} input, but this value has rank {}",
                shape.len() + 1
            ),
            format!("needs {needs}"),
        )
    }

    /// A size leaves 63 bits or the limit.
    pub fn too_large(what: &str, shape: &[i64]) -> Box<Self> {
        Self::new(
            shapes::TOO_LARGE,
            format!("{what} is too large"),
            match shape {
                [] => "too large".to_string(),
                shape => format!("would be {}", show_shape(shape)),
            },
        )
    }
}
