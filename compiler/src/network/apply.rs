//! Applying an op to tensors: shape rule, parameters, names.

use super::codes::shapes;
use super::expander::Expander;
use super::graph::{Buffer, BufferId, Layer, Parameter, ParameterId, Tensor, TensorId};
use super::ops::{Applied, Op, Refusal};
use super::setting_text::call_text;
use super::signature::Bound;
use super::size::{MOST_OF_ONE, fits};
use super::value::{LayerId, Value, show_shape};
use cnnc_grammar::{Diagnostic, Span};

/// What a layer that has been applied keeps for its next application.
#[derive(Clone)]
pub(super) struct Shared {
    pub kept: Kept,
    /// Where it was applied first, and to what.
    pub span: Span,
    pub input: Vec<i64>,
}

/// The parameters and buffers of a layer.
#[derive(Clone)]
pub(super) struct Kept {
    pub parameters: Vec<ParameterId>,
    pub buffers: Vec<BufferId>,
}

impl Expander {
    /// Applies a waiting layer; a named one keeps its parameters from use to use.
    pub(super) fn apply_waiting(
        &mut self,
        id: LayerId,
        input: TensorId,
        span: Span,
    ) -> Option<Value> {
        let waiting = self.waiting.get(id.0)?.clone();
        let applied = self.run_rule(waiting.op, &waiting.bound, &[input], span, None)?;
        let op = waiting.op.signature.name;
        let layer = match &waiting.name {
            Some(name) => self.names.named_layer(name),
            None => self.names.numbered_layer(op),
        };
        let kept = match &waiting.applied {
            Some(shared) => {
                self.check_shared(&applied, shared, &waiting, input, span)?;
                shared.kept.clone()
            }
            None => {
                let base = waiting.name.as_deref().unwrap_or(&layer);
                let kept = self.new_kept(&applied, base, waiting.span);
                let input = self.tensor(input)?.shape.clone();
                if let Some(waiting) = self.waiting.get_mut(id.0) {
                    waiting.applied = Some(Shared {
                        kept: kept.clone(),
                        span,
                        input,
                    });
                }
                kept
            }
        };
        let text = call_text(&waiting.op.signature, &waiting.bound);
        Some(self.push_layer(layer, text, applied, kept, &[input], span))
    }

    /// Applies an op without parameters or a name to `inputs`; errors are shown
    /// at `place` where it is given, else at `span`.
    pub(super) fn apply(
        &mut self,
        op: &'static Op,
        bound: &Bound,
        inputs: &[TensorId],
        span: Span,
        place: Option<Span>,
    ) -> Option<Value> {
        let applied = self.run_rule(op, bound, inputs, span, place)?;
        let layer = self.names.numbered_layer(op.signature.name);
        let kept = self.new_kept(&applied, &layer, span);
        let text = call_text(&op.signature, bound);
        Some(self.push_layer(layer, text, applied, kept, inputs, span))
    }

    fn run_rule(
        &mut self,
        op: &'static Op,
        bound: &Bound,
        inputs: &[TensorId],
        span: Span,
        place: Option<Span>,
    ) -> Option<Applied> {
        let rule = op.rule?;
        let tensors: Option<Vec<&Tensor>> = inputs.iter().map(|id| self.tensor(*id)).collect();
        let tensors = tensors?;
        let input_shapes: Vec<&[i64]> = tensors
            .iter()
            .map(|tensor| tensor.shape.as_slice())
            .collect();
        let error = match rule(bound, &input_shapes) {
            Ok(applied) if fits(&applied.shape) => return Some(applied),
            Ok(applied) => {
                let what = format!("the result of this `{}`", op.signature.name);
                Refusal::too_large(&what, &applied.shape)
                    .note(format!("the limit is {MOST_OF_ONE} numbers"))
            }
            Err(refusal) => refusal,
        };
        let mut diagnostic = Diagnostic::new(
            error.code,
            error.message,
            error.at.or(place).unwrap_or(span),
            error.remark,
        );
        let mut shown: Vec<TensorId> = Vec::new();
        for (id, tensor) in inputs.iter().zip(&tensors) {
            if !shown.contains(id) {
                let verb = if self.inputs.iter().any(|input| input.tensor == *id) {
                    "is"
                } else {
                    "gives"
                };
                let remark = format!("{verb} {}", show_shape(&tensor.shape));
                diagnostic = diagnostic.with_place(tensor.span, remark);
                shown.push(*id);
            }
        }
        diagnostic.hints.extend(error.hints);
        diagnostic.notes.extend(error.notes);
        self.report(diagnostic);
        None
    }

    fn check_shared(
        &mut self,
        applied: &Applied,
        shared: &Shared,
        waiting: &super::expander::Waiting,
        input: TensorId,
        span: Span,
    ) -> Option<()> {
        let before: Vec<&[i64]> = shared
            .kept
            .parameters
            .iter()
            .filter_map(|id| self.parameters.get(id.0))
            .map(|parameter| parameter.shape.as_slice())
            .collect();
        let now: Vec<&[i64]> = applied
            .parameters
            .iter()
            .map(|parameter| parameter.shape.as_slice())
            .collect();
        if before == now {
            return Some(());
        }
        let name = waiting.name.as_deref().unwrap_or(waiting.op.signature.name);
        let differing = before.iter().zip(&now).find(|(a, b)| a != b);
        let note =
            differing.map(|(a, b)| format!("the weight was {a:?} and would have to be {b:?}"));
        let shape = &self.tensor(input)?.shape;
        let mut error = Diagnostic::new(
            shapes::SHARED_LAYER,
            format!("`{name}` cannot share its parameters between these two inputs"),
            span,
            format!("fed {}", show_shape(shape)),
        )
        .with_place(
            shared.span,
            format!("fed {} first", show_shape(&shared.input)),
        )
        .with_place(waiting.span, "one layer, so one set of parameters")
        .with_hint("make two layers, each with its own `let`");
        error.notes.extend(note);
        self.report(error);
        None
    }

    fn new_kept(&mut self, applied: &Applied, base: &str, span: Span) -> Kept {
        let (parameters, buffers) = (self.parameters.len(), self.buffers.len());
        for new in &applied.parameters {
            self.parameters.push(Parameter {
                name: format!("{base}.{}", new.suffix),
                shape: new.shape.clone(),
                role: new.role,
                init: new.init,
                fan_in: new.fan_in,
                fan_out: new.fan_out,
                span,
            });
        }
        for new in &applied.buffers {
            self.buffers.push(Buffer {
                name: format!("{base}.{}", new.suffix),
                shape: new.shape.clone(),
                role: new.role,
                span,
            });
        }
        Kept {
            parameters: (parameters..self.parameters.len())
                .map(ParameterId)
                .collect(),
            buffers: (buffers..self.buffers.len()).map(BufferId).collect(),
        }
    }

    fn push_layer(
        &mut self,
        name: String,
        text: String,
        applied: Applied,
        kept: Kept,
        inputs: &[TensorId],
        span: Span,
    ) -> Value {
        let output = TensorId(self.tensors.len());
        self.tensors.push(Tensor {
            name: self.names.tensor(&name),
            shape: applied.shape,
            span,
        });
        self.layers.push(Layer {
            name,
            op: applied.op,
            text,
            inputs: inputs.to_vec(),
            output,
            parameters: kept.parameters,
            buffers: kept.buffers,
            span,
            multiply_adds: applied.multiply_adds,
        });
        Value::Tensor(output)
    }
}
