//! `if` and `repeat`, decided while the net is expanded.

use super::codes::{expansion, names, options};
use super::expander::Expander;
use super::value::{LayerId, Value};
use super::waiting::What;
use cnnc_grammar::ast::{Body, Expr, If, Repeat};
use cnnc_grammar::{Diagnostic, Span};

/// Rounds of one `repeat`.
const MOST_ROUNDS: i64 = 4096;

/// What an `if` comes to.
enum Taken<'b> {
    Body(&'b Body),
    /// No condition holds, and there is no `else`.
    Nothing,
}

impl Expander<'_> {
    /// The value of the branch of which the condition holds.
    pub(super) fn eval_if(&mut self, choice: &If, span: Span) -> Option<Value> {
        match self.taken(choice)? {
            Taken::Body(body) => self.inner_body(body),
            Taken::Nothing => {
                let word = Span::new(span.start, span.start + "if".len());
                let error = Diagnostic::new(
                    expansion::NO_BRANCH,
                    "this `if` has no value",
                    word,
                    "no condition holds",
                );
                self.report(error.with_hint("add `else { ... }`"));
                None
            }
        }
    }

    fn taken<'b>(&mut self, choice: &'b If) -> Option<Taken<'b>> {
        for (condition, body) in &choice.branches {
            match self.eval(condition)? {
                Value::Bool(true) => return Some(Taken::Body(body)),
                Value::Bool(false) => {}
                other => {
                    let error = Diagnostic::new(
                        options::WRONG_TYPE,
                        format!("the condition of `if` cannot be {}", other.describe()),
                        condition.span,
                        "expected `true` or `false`",
                    );
                    self.report(match other {
                        Value::Integer(value) => {
                            error.with_hint(format!("compare it, as in `{value} != 0`"))
                        }
                        _ => error,
                    });
                    return None;
                }
            }
        }
        let otherwise = choice.otherwise.as_ref();
        Some(otherwise.map_or(Taken::Nothing, Taken::Body))
    }

    /// The layers of an `if` behind `|>`.
    pub(super) fn if_layers(&mut self, choice: &If) -> Option<Vec<(LayerId, Span)>> {
        match self.taken(choice)? {
            Taken::Body(body) => self.body_layers(body),
            Taken::Nothing => Some(Vec::new()),
        }
    }

    /// The layers of a `repeat`: those of its braces, made anew in each round.
    pub(super) fn repeat_layers(&mut self, repeat: &Repeat) -> Option<Vec<(LayerId, Span)>> {
        let count = self.rounds(&repeat.count)?;
        let mut layers = Vec::new();
        for round in 0..count {
            self.step(repeat.count.span)?;
            self.push_round(round);
            let made = self.body_layers(&repeat.body);
            self.pop_round();
            layers.extend(made?);
        }
        Some(layers)
    }

    fn push_round(&mut self, round: u32) {
        if let Some(frame) = self.frames.last_mut() {
            frame.rounds.push(round);
        }
    }

    fn pop_round(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.rounds.pop();
        }
    }

    fn rounds(&mut self, count: &Expr) -> Option<u32> {
        let value = self.eval(count)?;
        let (code, expected) = match &value {
            Value::Integer(rounds @ 0..=MOST_ROUNDS) => return u32::try_from(*rounds).ok(),
            Value::Integer(_) => (
                options::OUT_OF_RANGE,
                format!("expected an integer from 0 to {MOST_ROUNDS}"),
            ),
            _ => (options::WRONG_TYPE, "expected an integer".to_string()),
        };
        self.report(Diagnostic::new(
            code,
            format!("the count of `repeat` cannot be {}", value.describe()),
            count.span,
            expected,
        ));
        None
    }

    /// The layers that braces behind `|>` give.
    fn body_layers(&mut self, body: &Body) -> Option<Vec<(LayerId, Span)>> {
        let value = self.inner_body(body)?;
        let span = body.result.as_ref().map_or(body.span, |result| result.span);
        self.layers_of(&value, span)
    }

    /// The layers of a value behind `|>`: those of a chain, or the one.
    pub(super) fn layers_of(&mut self, value: &Value, span: Span) -> Option<Vec<(LayerId, Span)>> {
        let Value::Layer(id) = value else {
            let error = Diagnostic::new(
                names::WRONG_SORT,
                format!(
                    "`|>` needs an op on its right, but this is {}",
                    value.describe()
                ),
                span,
                "expected an op",
            );
            self.report(error);
            return None;
        };
        let waiting = self.waiting.get(id.0)?;
        Some(match &waiting.what {
            What::Chain(elements) if waiting.operands.is_empty() => {
                let elements = elements.clone();
                self.instances.apply(waiting.identity);
                elements
            }
            _ => vec![(*id, span)],
        })
    }
}
