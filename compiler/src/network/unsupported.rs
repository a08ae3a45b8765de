//! Refuses by name what the language has and this version lacks, each use once.
//!
//! This looks at names only, so that uses are found whose shapes cannot be known.
//! Evaluation passes over what is reported here in silence.

use super::codes::names::NOT_YET;
use super::expander::{Definition, Expander};
use super::{ops, walk};
use cnnc_grammar::ast::{Body, Expr, ExprKind, File, Item, Statement};
use cnnc_grammar::{Diagnostic, Span};

impl Expander {
    /// Refuses the imports of a file.
    pub(super) fn refuse_imports(&mut self, file: &File) {
        for item in &file.items {
            if let Item::Import(import) = item {
                self.refuse("`import`", import.span);
            }
        }
    }

    /// Refuses what is in the body of the chosen net.
    pub(super) fn refuse_unsupported(&mut self, body: &Body) {
        self.refuse_statements(body);
        let params: Vec<&str> = body
            .statements
            .iter()
            .filter_map(|statement| match statement {
                Statement::Param(param) => Some(param.name.text.as_str()),
                _ => None,
            })
            .collect();
        let mut found: Vec<&Expr> = Vec::new();
        let mut words: Vec<Span> = Vec::new();
        walk::body(body, &mut |expr| {
            found.push(expr);
            if let ExprKind::Call(call) = &expr.kind {
                // An option may be a word that is also an op: `gelu(approximate=tanh)`.
                let named = call
                    .arguments
                    .iter()
                    .filter(|argument| argument.name.is_some());
                words.extend(named.map(|argument| argument.value.span));
            }
            true
        });
        for expr in found {
            match &expr.kind {
                ExprKind::If(choice) => {
                    self.refuse("`if`", keyword(expr.span, "if"));
                    for (_, body) in &choice.branches {
                        self.refuse_statements(body);
                    }
                    if let Some(body) = &choice.otherwise {
                        self.refuse_statements(body);
                    }
                }
                ExprKind::Repeat(repeat) => {
                    self.refuse("`repeat`", keyword(expr.span, "repeat"));
                    self.refuse_statements(&repeat.body);
                }
                ExprKind::Name(name)
                    if !words.contains(&expr.span) && !params.contains(&name.as_str()) =>
                {
                    self.refuse_op(name, expr.span);
                }
                ExprKind::Call(call) => self.refuse_op(&call.callee.text, call.callee.span),
                _ => {}
            }
        }
    }

    fn refuse_statements(&mut self, body: &Body) {
        for statement in &body.statements {
            if let Statement::Param(param) = statement {
                self.refuse("`param`", param.span);
            }
        }
    }

    fn refuse_op(&mut self, name: &str, span: Span) {
        if let Some(Definition::Block(defined)) = self.definitions.get(name) {
            let error = Diagnostic::new(
                NOT_YET,
                format!("`{name}` is a block, and blocks are not supported yet"),
                span,
                "this version cannot expand it",
            );
            let error = error.with_place(*defined, "defined here");
            self.report(error);
        } else if ops::find(name).is_some_and(|op| op.rule.is_none()) {
            self.refuse(&format!("`{name}`"), span);
        }
    }

    fn refuse(&mut self, what: &str, span: Span) {
        self.report(Diagnostic::new(
            NOT_YET,
            format!("{what} is not supported yet"),
            span,
            "this version cannot compile it",
        ));
    }
}

/// The keyword an expression starts with.
fn keyword(span: Span, word: &str) -> Span {
    Span::new(span.start, span.start + word.len())
}
