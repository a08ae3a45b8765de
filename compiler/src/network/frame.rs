//! Where the expansion stands: the net, and the blocks it is inside of.

use super::expander::Expander;
use super::instance::{IdentityId, InstanceId, Site};
use super::value::{Operand, Value};
use cnnc_grammar::{Diagnostic, Span};
use std::collections::{BTreeMap, VecDeque};

/// Uses of blocks around an error that it shows.
const MOST_USES: usize = 4;

/// A net or block that is being expanded.
pub(super) struct Frame {
    /// Index of the file whose names it sees.
    pub file: usize,
    /// Where the names of its layers go.
    pub instance: InstanceId,
    /// What it is called.
    pub name: String,
    /// Where it is used; None for the net.
    pub used: Option<Span>,
    /// What its inputs are fed, in order; None for the net.
    pub fed: Option<VecDeque<Operand>>,
    /// The names in sight.
    pub scope: BTreeMap<String, Entry>,
    /// Which round of each `repeat` around the place it is.
    pub rounds: Vec<u32>,
}

/// What a name stands for; None where its value was refused.
#[derive(Clone)]
pub(super) struct Entry {
    pub value: Option<Value>,
    pub span: Span,
}

impl Expander<'_> {
    /// The innermost frame.
    pub(super) fn frame(&self) -> Option<&Frame> {
        self.frames.last()
    }

    /// What `name` stands for among the names in sight.
    pub(super) fn local(&self, name: &str) -> Option<&Entry> {
        self.frame()?.scope.get(name)
    }

    /// Whether names belong to the net itself, not to a block.
    pub(super) fn in_net(&self) -> bool {
        self.frames.len() == 1
    }

    /// Whether the place is inside a `repeat`.
    pub(super) fn in_repeat(&self) -> bool {
        self.frame().is_some_and(|frame| !frame.rounds.is_empty())
    }

    /// The instance whose names are made, and the site of `span` in it.
    pub(super) fn site(&self, span: Span) -> (InstanceId, Site) {
        match self.frame() {
            Some(frame) => (frame.instance, (span, frame.rounds.clone())),
            None => (super::instance::NET, (span, Vec::new())),
        }
    }

    /// The identity of the op or block `what` at `span`.
    pub(super) fn identity(&mut self, span: Span, what: &str) -> IdentityId {
        let (owner, site) = self.site(span);
        self.instances.at(owner, site, what)
    }

    /// The error with the uses of the blocks it is in.
    pub(super) fn with_uses(&self, mut error: Diagnostic) -> Diagnostic {
        let uses = self
            .frames
            .iter()
            .rev()
            .filter_map(|frame| Some((frame.used?, frame.name.as_str())));
        let mut left_out = 0;
        for (index, (span, name)) in uses.enumerate() {
            if index < MOST_USES {
                error = error.with_place(span, format!("`{name}` is used here"));
            } else {
                left_out += 1;
            }
        }
        match left_out {
            0 => error,
            n => error.with_note(format!("inside {n} more blocks")),
        }
    }
}
