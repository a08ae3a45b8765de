//! Chains of `|>`.

use super::codes::names;
use super::expander::Expander;
use super::ops;
use super::value::{LayerId, Operand, Value};
use super::waiting::{Waiting, What};
use cnnc_grammar::ast::{Expr, ExprKind, Pipe};
use cnnc_grammar::{Diagnostic, Span};

/// What has come of a chain so far.
enum State {
    Fed(Operand),
    /// It starts with an op, and is one itself.
    Waiting(Vec<(LayerId, Span)>),
    /// Something of it was refused.
    Refused,
}

impl Expander<'_> {
    /// The value of `first |> stage |> stage`.
    pub(super) fn eval_pipe(&mut self, pipe: &Pipe, span: Span) -> Option<Value> {
        let mut state = match self.eval(&pipe.first) {
            None => State::Refused,
            Some(first) => match (first.operand(), &first) {
                (Some(operand), _) => State::Fed(operand),
                (None, Value::Layer(_)) => match self.layers_of(&first, pipe.first.span) {
                    Some(layers) => State::Waiting(layers),
                    None => State::Refused,
                },
                (None, other) => {
                    self.report(Diagnostic::new(
                        names::WRONG_SORT,
                        format!(
                            "`|>` needs a tensor or an op on its left, but this is {}",
                            other.describe()
                        ),
                        pipe.first.span,
                        "expected a tensor",
                    ));
                    State::Refused
                }
            },
        };
        for stage in &pipe.stages {
            // A stage is looked at whatever has come of those before it.
            let layers = self.stage_layers(stage);
            state = match (state, layers) {
                (State::Fed(operand), Some(layers)) => self
                    .apply_all(operand, &layers)
                    .map_or(State::Refused, State::Fed),
                (State::Waiting(mut chain), Some(layers)) => {
                    chain.extend(layers);
                    State::Waiting(chain)
                }
                _ => State::Refused,
            };
        }
        match state {
            State::Fed(operand) => Some(operand.into()),
            State::Waiting(chain) => {
                let identity = self.identity(span, "");
                let what = What::Chain(chain);
                Some(Value::Layer(self.wait(Waiting {
                    what,
                    operands: Vec::new(),
                    span,
                    identity,
                })))
            }
            State::Refused => None,
        }
    }

    /// The layers of what stands behind `|>`.
    fn stage_layers(&mut self, stage: &Expr) -> Option<Vec<(LayerId, Span)>> {
        match &stage.kind {
            ExprKind::If(choice) => self.if_layers(choice),
            ExprKind::Repeat(repeat) => self.repeat_layers(repeat),
            // Here a call lacks the tensor that is piped in.
            ExprKind::Call(call) => {
                let id = self.called_layer(call, stage.span)?;
                Some(vec![(id, stage.span)])
            }
            // It may be a `param` as well, which does not belong here.
            ExprKind::Name(name) if ops::find(name).is_some() => {
                let id = self.plain_op(name, stage.span)?;
                Some(vec![(id, stage.span)])
            }
            _ => {
                let value = self.eval(stage)?;
                self.layers_of(&value, stage.span)
            }
        }
    }
}
