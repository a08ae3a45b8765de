//! Names made and left unused.

use super::{Checker, Local, Made, Sort};
use crate::network::codes::{expansion, names};
use crate::network::input::BATCH;
use crate::network::ops;
use crate::network::signature::PADDING_WORDS;
use cnnc_grammar::ast::{Body, Name};
use cnnc_grammar::{Diagnostic, Span};

impl<'a> Checker<'a, '_> {
    /// Makes a name known; whether it was not.
    pub(super) fn declare(&mut self, name: &'a Name, made: Made) -> bool {
        let text = name.text.as_str();
        if let Some(first) = self.scope.get(text) {
            self.errors.push(
                Diagnostic::new(
                    names::DUPLICATE_NAME,
                    format!("`{text}` is made twice"),
                    name.span,
                    "made again",
                )
                .with_place(first.span, "made first")
                .with_hint("take another name"),
            );
            return false;
        }
        let block = self.definitions.find(self.file, text);
        let is_block = block
            .and_then(|id| self.definitions.get(id))
            .is_some_and(|defined| !defined.is_net);
        let taken = if ops::find(text).is_some() && made != Made::Param {
            Some("an op")
        } else if is_block {
            Some("a block")
        } else if text == BATCH || PADDING_WORDS.contains(&text) {
            Some("a word of the language")
        } else {
            None
        };
        if let Some(what) = taken {
            self.errors.push(Diagnostic::new(
                names::DUPLICATE_NAME,
                format!("`{text}` is {what} already"),
                name.span,
                "take another name",
            ));
        }
        let local = Local {
            span: name.span,
            mentioned: false,
            must_be_used: made != Made::Hyper,
        };
        self.scope.insert(text, local);
        true
    }

    pub(super) fn report_no_input(&mut self, sort: Sort) {
        let Some(defined) = self.definitions.get(self.here) else {
            return;
        };
        let name = &defined.ast.name;
        let (what, hint) = match sort {
            Sort::Net => ("net", "`input image: f32[N, 1, 28, 28];`"),
            _ => ("block", "`input x;`"),
        };
        self.errors.push(
            Diagnostic::new(
                expansion::NO_INPUT,
                format!("the {what} `{}` has no input", name.text),
                name.span,
                "nothing can be fed to it",
            )
            .with_hint(format!("write {hint} first")),
        );
    }

    pub(super) fn report_no_result(&mut self, body: &Body, sort: Sort) {
        let (message, hint) = match sort {
            Sort::Net => (
                "the net has no value",
                "the last expression, without `;`, is what the net computes",
            ),
            Sort::Block => (
                "the block has no value",
                "the last expression, without `;`, is what the block gives",
            ),
            Sort::Inner => (
                "these braces have no value",
                "the last expression in them, without `;`, is their value",
            ),
        };
        let end = Span::new(body.span.end.saturating_sub(1), body.span.end);
        let remark = "expected an expression before this";
        let error = Diagnostic::new(names::NO_RESULT, message, end, remark);
        self.errors.push(error.with_hint(hint));
    }

    /// Reports each of these names that nothing mentions.
    pub(super) fn report_unused(&mut self, declared: &[&'a Name]) {
        for name in declared {
            let Some(local) = self.scope.get(name.text.as_str()) else {
                continue;
            };
            // A misspelt use of it has its own error.
            let suggested = self.suggested.contains(&name.text);
            if local.must_be_used && !local.mentioned && !suggested {
                self.errors.push(
                    Diagnostic::new(
                        names::UNUSED_NAME,
                        format!("`{}` is never used", name.text),
                        name.span,
                        "does not reach the value of the net",
                    )
                    .with_hint("use it, or leave it out"),
                );
            }
        }
    }
}
