//! Chains of `|>`.

use super::codes::names;
use super::expander::Expander;
use super::graph::TensorId;
use super::ops::{self, Op};
use super::signature::Bound;
use super::value::Value;
use cnnc_grammar::Diagnostic;
use cnnc_grammar::ast::{Argument, Expr, ExprKind, Pipe};

impl Expander {
    /// The value of `first |> stage |> stage`.
    pub(super) fn eval_pipe(&mut self, pipe: &Pipe) -> Option<Value> {
        let mut value = self.eval(&pipe.first);
        if let Some(first) = &value
            && !matches!(first, Value::Tensor(_))
        {
            let error = Diagnostic::new(
                names::WRONG_SORT,
                format!(
                    "`|>` needs a tensor on its left, but this is {}",
                    first.describe()
                ),
                pipe.first.span,
                "expected a tensor",
            );
            self.report(match first {
                Value::Layer(_) => {
                    error.with_hint("start the chain with an `input`, as in `image |> ...`")
                }
                _ => error,
            });
            value = None;
        }
        for stage in &pipe.stages {
            value = match value {
                Some(Value::Tensor(tensor)) => self.apply_stage(stage, tensor),
                _ => {
                    self.check_stage(stage);
                    None
                }
            };
        }
        value
    }

    fn apply_stage(&mut self, stage: &Expr, tensor: TensorId) -> Option<Value> {
        if let Some((op, arguments)) = self.op_on_several(stage) {
            let mut inputs = self.tensor_values(op, arguments)?;
            inputs.insert(0, tensor);
            self.check_tensor_count(op, inputs.len(), stage.span)?;
            return self.apply(op, &Bound::default(), &inputs, stage.span, None);
        }
        match self.eval(stage)? {
            Value::Layer(id) => self.apply_waiting(id, tensor, stage.span),
            value => {
                self.report(Diagnostic::new(
                    names::WRONG_SORT,
                    format!(
                        "`|>` needs an op on its right, but this is {}",
                        value.describe()
                    ),
                    stage.span,
                    "expected an op",
                ));
                None
            }
        }
    }

    /// The op of a stage that takes tensors beside the one piped in.
    fn op_on_several<'a>(&self, stage: &'a Expr) -> Option<(&'static Op, &'a [Argument])> {
        let (name, arguments) = match &stage.kind {
            ExprKind::Name(name) => (name, &[][..]),
            ExprKind::Call(call) => (&call.callee.text, call.arguments.as_slice()),
            _ => return None,
        };
        let op = ops::find(name).filter(|op| op.inputs.several())?;
        (!self.scope.contains_key(name)).then_some((op, arguments))
    }

    /// The errors of a stage that are there whatever it is fed.
    fn check_stage(&mut self, stage: &Expr) {
        if let Some((op, arguments)) = self.op_on_several(stage) {
            let _ = self.tensor_values(op, arguments);
        } else {
            let _ = self.eval(stage);
        }
    }
}
