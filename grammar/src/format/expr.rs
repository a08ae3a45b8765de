//! The canonical text of expressions.

use super::INDENT;
use super::writer::Writer;
use crate::ast::{Argument, Expr, ExprKind, If, Pipe};

/// Columns a chain of `|>` is deeper than its statement.
const CHAIN: usize = 2;

impl Writer<'_> {
    pub(super) fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Integer(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Text(_)
            | ExprKind::Name(_) => self.token(),
            ExprKind::Call(call) => {
                self.token();
                self.list(&call.arguments, Self::argument);
            }
            ExprKind::Tuple(items) => self.tuple(items),
            ExprKind::List(items) => self.list(items, Self::expr),
            ExprKind::Parens(inner) => self.list(std::slice::from_ref(&**inner), Self::expr),
            ExprKind::Field(base, _) => {
                self.expr(base);
                self.token();
                self.token();
            }
            ExprKind::Unary(_, inner) => {
                self.token();
                self.expr(inner);
            }
            ExprKind::Binary(binary) => {
                self.expr(&binary.left);
                self.gap();
                self.token();
                self.gap();
                self.expr(&binary.right);
            }
            ExprKind::Pipe(pipe) => self.pipe(pipe),
            ExprKind::If(choice) => self.if_else(choice),
            ExprKind::Repeat(repeat) => {
                self.token();
                self.space();
                self.expr(&repeat.count);
                self.space();
                self.body(&repeat.body, false);
            }
        }
    }

    fn argument(&mut self, argument: &Argument) {
        if argument.name.is_some() {
            self.token();
            self.token();
        }
        self.expr(&argument.value);
    }

    /// A tuple keeps the comma that tells `(3,)` from `(3)`.
    fn tuple(&mut self, items: &[Expr]) {
        if let [only] = items {
            self.token();
            self.expr(only);
            self.token();
            self.token();
        } else {
            self.list(items, Self::expr);
        }
    }

    fn pipe(&mut self, pipe: &Pipe) {
        self.expr(&pipe.first);
        let column = if self.broken_here() {
            self.indent() + CHAIN
        } else {
            self.column() + 1
        };
        self.at_indent(column, |writer| {
            for stage in &pipe.stages {
                if writer.broken_here() {
                    writer.new_line(false);
                } else {
                    writer.space();
                }
                writer.token();
                writer.space();
                writer.expr(stage);
            }
        });
    }

    fn if_else(&mut self, choice: &If) {
        let column = self.column();
        for (index, (condition, body)) in choice.branches.iter().enumerate() {
            if index > 0 {
                self.else_word(column);
            }
            self.token();
            self.space();
            self.expr(condition);
            self.space();
            self.body(body, false);
        }
        if let Some(body) = &choice.otherwise {
            self.else_word(column);
            self.body(body, false);
        }
    }

    /// `else`, which goes below its `if` where the author gave it a line.
    fn else_word(&mut self, column: usize) {
        self.at_indent(column, |writer| {
            writer.gap();
            writer.token();
        });
        self.space();
    }

    /// Brackets around items with commas; a comma behind the last is dropped.
    pub(super) fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        let before = self.indent();
        self.token();
        self.at_indent(before + INDENT, |writer| {
            let mut broken = writer.broken_here();
            for (index, item) in items.iter().enumerate() {
                if broken {
                    writer.new_line(false);
                } else if index > 0 {
                    writer.space();
                }
                write(writer, item);
                if index + 1 < items.len() {
                    writer.token();
                    broken = writer.broken_here();
                }
            }
            if writer.next_is(",") {
                writer.skip();
            }
            writer.comments_before_closer();
        });
        self.at_indent(before, |writer| {
            if (writer.broken_here() && !items.is_empty()) || writer.after_comment() {
                writer.new_line(false);
            }
            writer.token();
        });
    }
}
