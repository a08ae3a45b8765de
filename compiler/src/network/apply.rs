//! Applying ops to tensors: shape rule, parameters, names.

use super::codes::shapes;
use super::expander::Expander;
use super::graph::{Buffer, BufferId, Layer, LayerOp, Parameter, ParameterId, Tensor, TensorId};
use super::instance::IdentityId;
use super::naming::{KeptName, LayerName};
use super::ops::{Applied, Op, Refusal};
use super::setting_text::call_text;
use super::signature::Bound;
use super::size::{MOST_OF_ONE, fits};
use super::value::{LayerId, Operand, Value, show_shape};
use super::waiting::What;
use cnnc_grammar::{Diagnostic, Span};

/// What a layer that has been applied keeps for its next application.
#[derive(Clone)]
pub(super) struct Shared {
    pub kept: Kept,
    /// Its options.
    pub bound: Bound,
    /// Where it was applied first, and to what.
    pub span: Span,
    pub input: Vec<i64>,
}

/// The parameters and buffers of a layer.
#[derive(Clone, Default)]
pub(super) struct Kept {
    pub parameters: Vec<ParameterId>,
    pub buffers: Vec<BufferId>,
}

/// Where an op is applied.
#[derive(Clone, Copy)]
struct Place {
    /// The text of the application.
    span: Span,
    /// Where errors are shown.
    error: Span,
    /// Where the layer is made.
    made: Span,
}

impl Expander<'_> {
    /// Applies what waits to what is piped in, if anything, and to the tensors it has.
    pub(super) fn apply_waiting(
        &mut self,
        id: LayerId,
        piped: Option<Operand>,
        span: Span,
    ) -> Option<Value> {
        let waiting = self.waiting.get(id.0)?.clone();
        let mut operands: Vec<Operand> = piped.into_iter().chain(waiting.operands).collect();
        match &waiting.what {
            What::Op { op, bound } => {
                if !op.inputs.takes(operands.len()) {
                    let takes = op.inputs.text();
                    self.report_tensor_count(op.signature.name, &takes, operands.len(), span);
                    return None;
                }
                let place = Place {
                    span,
                    error: span,
                    made: waiting.span,
                };
                self.apply(op, bound, waiting.identity, &operands, place)
            }
            What::Block(block) => self.expand(block, waiting.identity, operands, span),
            What::Chain(elements) => {
                let first = operands.pop()?;
                if !operands.is_empty() {
                    let count = operands.len() + 1;
                    self.report_tensor_count("a chain of ops", "1 tensor", count, span);
                    return None;
                }
                self.instances.apply(waiting.identity);
                self.apply_all(first, elements).map(Value::from)
            }
        }
    }

    /// Applies one after the other.
    pub(super) fn apply_all(
        &mut self,
        first: Operand,
        elements: &[(LayerId, Span)],
    ) -> Option<Operand> {
        let mut operand = first;
        for (id, span) in elements {
            operand = self.apply_waiting(*id, Some(operand), *span)?.operand()?;
        }
        Some(operand)
    }

    /// `a op b`; errors are shown at the operator.
    pub(super) fn apply_operator(
        &mut self,
        op: &'static Op,
        operands: [Operand; 2],
        span: Span,
        operator: Span,
    ) -> Option<Value> {
        let identity = self.identity(span, op.signature.name);
        let place = Place {
            span,
            error: operator,
            made: span,
        };
        self.apply(op, &Bound::default(), identity, &operands, place)
    }

    fn apply(
        &mut self,
        op: &'static Op,
        bound: &Bound,
        identity: IdentityId,
        operands: &[Operand],
        place: Place,
    ) -> Option<Value> {
        self.step(place.span)?;
        let inputs = self.tensors_of(op, operands, place.error)?;
        let applied = self.run_rule(op, bound, &inputs, place.error)?;
        let shared = self.instances.identity(identity)?.shared.clone();
        let kept = match shared {
            _ if applied.parameters.is_empty() && applied.buffers.is_empty() => Kept::default(),
            Some(shared) => {
                self.check_shared((op, bound), identity, &applied, &shared, &inputs, place)?;
                shared.kept
            }
            None => {
                let kept = self.new_kept(&applied, identity, place.made);
                let input = inputs.first().and_then(|id| self.tensor(*id));
                let shared = Shared {
                    kept: kept.clone(),
                    bound: bound.clone(),
                    span: place.span,
                    input: input.map(|tensor| tensor.shape.clone()).unwrap_or_default(),
                };
                if let Some(identity) = self.instances.identity_mut(identity) {
                    identity.shared = Some(shared);
                }
                kept
            }
        };
        let application = self.instances.apply(identity);
        let name = LayerName::Applied {
            identity,
            application,
        };
        let layer = Layer {
            name: String::new(),
            base: String::new(),
            op: applied.op,
            text: call_text(&op.signature, bound),
            inputs,
            output: TensorId(self.tensors.len()),
            parameters: kept.parameters,
            buffers: kept.buffers,
            span: place.span,
            multiply_adds: applied.multiply_adds,
        };
        Some(Value::Tensor(self.push_layer(layer, name, applied.shape)))
    }

    fn run_rule(
        &mut self,
        op: &'static Op,
        bound: &Bound,
        inputs: &[TensorId],
        place: Span,
    ) -> Option<Applied> {
        let tensors: Option<Vec<&Tensor>> = inputs.iter().map(|id| self.tensor(*id)).collect();
        let tensors = tensors?;
        let input_shapes: Vec<&[i64]> = tensors
            .iter()
            .map(|tensor| tensor.shape.as_slice())
            .collect();
        let error = match (op.rule)(bound, &input_shapes) {
            Ok(applied) if fits(&applied.shape) => return Some(applied),
            Ok(applied) => {
                let what = format!("the result of this `{}`", op.signature.name);
                Refusal::too_large(&what, &applied.shape)
                    .note(format!("the limit is {MOST_OF_ONE} numbers"))
            }
            Err(refusal) => refusal,
        };
        let at = error.at.unwrap_or(place);
        let mut diagnostic = Diagnostic::new(error.code, error.message, at, error.remark);
        let mut shown: Vec<TensorId> = Vec::new();
        for (id, tensor) in inputs.iter().zip(&tensors) {
            if !shown.contains(id) {
                let verb = match self.maker(*id) {
                    Some(layer) if layer.op != LayerOp::Parameter => "gives",
                    _ => "is",
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

    /// The layer that makes a tensor; None for an input.
    pub(super) fn maker(&self, id: TensorId) -> Option<&Layer> {
        // A layer adds its tensor behind those of all layers before it.
        self.layers
            .binary_search_by_key(&id, |layer| layer.output)
            .ok()
            .and_then(|index| self.layers.get(index))
    }

    fn check_shared(
        &mut self,
        (op, bound): (&Op, &Bound),
        identity: IdentityId,
        applied: &Applied,
        shared: &Shared,
        inputs: &[TensorId],
        place: Place,
    ) -> Option<()> {
        let before = shared.kept.parameters.iter();
        let before: Vec<&[i64]> = before
            .filter_map(|id| self.parameters.get(id.0))
            .map(|parameter| parameter.shape.as_slice())
            .collect();
        let now = applied.parameters.iter();
        let now: Vec<&[i64]> = now.map(|parameter| parameter.shape.as_slice()).collect();
        let options = (shared.bound.differing(bound))
            .map(|name| format!("its `{name}` would be another one than before"));
        if before == now && options.is_none() {
            return Some(());
        }
        let differing = before.iter().zip(&now).find(|(a, b)| a != b);
        let note = differing
            .map(|(a, b)| format!("the weight was {a:?} and would have to be {b:?}"))
            .or(options);
        let shape = inputs
            .first()
            .and_then(|id| self.tensor(*id))?
            .shape
            .clone();
        let binding = self.instances.identity(identity)?.binding.as_ref();
        let name = match binding {
            Some(binding) => binding.name.clone(),
            None => call_text(&op.signature, bound),
        };
        let mut error = Diagnostic::new(
            shapes::SHARED_LAYER,
            format!("`{name}` cannot share its parameters between these two inputs"),
            place.error,
            format!("fed {}", show_shape(&shape)),
        )
        .with_place(
            shared.span,
            format!("fed {} first", show_shape(&shared.input)),
        );
        if place.made != place.error {
            error = error.with_place(place.made, "one layer, so one set of parameters");
        }
        let mut error = error.with_hint("make two layers, each with its own `let`");
        error.notes.extend(note);
        self.report(error);
        None
    }

    fn new_kept(&mut self, applied: &Applied, identity: IdentityId, span: Span) -> Kept {
        let (parameters, buffers) = (self.parameters.len(), self.buffers.len());
        for new in &applied.parameters {
            let suffix = new.suffix;
            let name = KeptName::Layer { identity, suffix };
            self.namings.parameters.push(name);
            self.parameters.push(Parameter {
                name: String::new(),
                shape: new.shape.clone(),
                role: new.role,
                init: new.init,
                fan_in: new.fan_in,
                fan_out: new.fan_out,
                span,
            });
        }
        for new in &applied.buffers {
            let suffix = new.suffix;
            let name = KeptName::Layer { identity, suffix };
            self.namings.buffers.push(name);
            self.buffers.push(Buffer {
                name: String::new(),
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

    /// Adds a layer whose result has this shape.
    pub(super) fn push_layer(
        &mut self,
        layer: Layer,
        name: LayerName,
        shape: Vec<i64>,
    ) -> TensorId {
        let output = layer.output;
        self.namings.tensors.push(None);
        self.tensors.push(Tensor {
            name: String::new(),
            shape,
            span: layer.span,
        });
        self.namings.layers.push(name);
        self.layers.push(layer);
        output
    }
}
