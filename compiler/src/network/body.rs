//! Hyper-parameters and statements of the chosen net.

use super::codes::{names, shapes};
use super::expander::{Definition, Entry, Expander};
use super::graph::{Input, Tensor, TensorId};
use super::signature::PADDING_WORDS;
use super::size::fits;
use super::value::Value;
use super::{ops, walk};
use cnnc_grammar::ast::{self, Body, Expr, ExprKind, Name, Statement, TensorType};
use cnnc_grammar::{Diagnostic, Span};
use std::collections::{BTreeMap, BTreeSet};

/// How the batch is written in a type.
pub(super) const BATCH: &str = "N";

impl Expander {
    /// Gives the hyper-parameters their values, in order.
    pub(super) fn hypers(&mut self, hypers: &[ast::Hyper], given: &BTreeMap<String, Expr>) {
        for hyper in hypers {
            let value = match given.get(&hyper.name.text).or(hyper.default.as_ref()) {
                Some(expr) => self.hyper_value(&hyper.name.text, expr),
                None => {
                    let name = &hyper.name.text;
                    self.report(
                        Diagnostic::new(
                            names::NO_VALUE,
                            format!("the hyper-parameter `{name}` has no value"),
                            hyper.span,
                            "no default",
                        )
                        .with_hint(format!("write `{name}=...` here, or give `--set {name}=...`")),
                    );
                    None
                }
            };
            self.declare(&hyper.name, value);
        }
    }

    fn hyper_value(&mut self, name: &str, expr: &Expr) -> Option<Value> {
        match self.eval(expr)? {
            value @ (Value::Tensor(_) | Value::Layer(_)) => {
                self.report(Diagnostic::new(
                    names::WRONG_SORT,
                    format!("the hyper-parameter `{name}` cannot be {}", value.describe()),
                    expr.span,
                    "expected a number, a boolean or a tuple",
                ));
                None
            }
            value => Some(value),
        }
    }

    /// Notes the names the body will make.
    pub(super) fn look_ahead(&mut self, hypers: &[ast::Hyper], body: &Body) {
        for hyper in hypers {
            self.names.declare(&hyper.name.text, false);
        }
        for statement in &body.statements {
            match statement {
                Statement::Input(input) => self.names.declare(&input.name.text, false),
                Statement::Param(param) => self.names.declare(&param.name.text, false),
                Statement::Let(binding) => {
                    let is_layer = match &binding.value.peel().kind {
                        ExprKind::Name(name) => ops::find(name).is_some(),
                        ExprKind::Call(call) => {
                            ops::find(&call.callee.text).is_some_and(|op| op.inputs == 1)
                        }
                        _ => false,
                    };
                    self.names.declare(&binding.name.text, is_layer);
                    self.later.insert(binding.name.text.clone(), binding.name.span);
                }
            }
        }
    }

    /// The statements and the value of the net, which is a tensor.
    pub(super) fn body(&mut self, body: &Body) -> Option<TensorId> {
        for statement in &body.statements {
            match statement {
                Statement::Input(input) => self.input(input),
                Statement::Let(binding) => self.binding(binding),
                // `unsupported` has refused it.
                Statement::Param(param) => {
                    let span = param.name.span;
                    self.scope
                        .insert(param.name.text.clone(), Entry { value: None, span });
                }
            }
        }
        let Some(result) = &body.result else {
            let end = Span::new(body.span.end.saturating_sub(1), body.span.end);
            self.report(
                Diagnostic::new(
                    names::NO_RESULT,
                    "the net has no value",
                    end,
                    "expected an expression before this",
                )
                .with_hint("the last expression, without `;`, is what the net computes"),
            );
            return None;
        };
        match self.eval(result)? {
            Value::Tensor(id) if self.inputs.iter().any(|input| input.tensor == id) => {
                self.report(Diagnostic::new(
                    names::NO_LAYERS,
                    "no layers: the net gives its input back",
                    result.span,
                    "this is an `input`",
                ));
                None
            }
            Value::Tensor(id) => Some(id),
            other => {
                let error = Diagnostic::new(
                    names::WRONG_SORT,
                    format!("the value of a net is a tensor, but this is {}", other.describe()),
                    result.span,
                    "expected a tensor",
                );
                self.report(match other {
                    Value::Layer(_) => error.with_hint("feed it, as in `image |> ...`"),
                    _ => error,
                });
                None
            }
        }
    }

    fn binding(&mut self, binding: &ast::Let) {
        let name = &binding.name;
        self.later.remove(&name.text);
        let value = self.eval(&binding.value);
        match &value {
            Some(Value::Layer(id)) => {
                if let Some(waiting) = self.waiting.get_mut(id.0)
                    && waiting.name.is_none()
                {
                    waiting.name = Some(name.text.clone());
                }
            }
            Some(Value::Tensor(id)) => self.name_tensor(*id, &name.text, &binding.value),
            _ => {}
        }
        self.declare(name, value);
    }

    /// A tensor that this `let` makes takes its name; a second name changes nothing.
    fn name_tensor(&mut self, id: TensorId, name: &str, value: &Expr) {
        let alias = matches!(value.peel().kind, ExprKind::Name(_));
        if !alias && let Some(tensor) = self.tensors.get_mut(id.0) {
            tensor.name = name.to_string();
        }
    }

    fn declare(&mut self, name: &Name, value: Option<Value>) {
        let span = name.span;
        if let Some(entry) = self.scope.get(&name.text) {
            let first = entry.span;
            self.report(
                Diagnostic::new(
                    names::DUPLICATE_NAME,
                    format!("`{}` is made twice", name.text),
                    span,
                    "made again",
                )
                .with_place(first, "made first")
                .with_hint("take another name"),
            );
            return;
        }
        let text = name.text.as_str();
        let taken = if ops::find(text).is_some() {
            Some("an op")
        } else if matches!(self.definitions.get(text), Some(Definition::Block(_))) {
            Some("a block")
        } else if text == BATCH || PADDING_WORDS.contains(&text) {
            Some("a word of the language")
        } else {
            None
        };
        if let Some(what) = taken {
            self.report(Diagnostic::new(
                names::DUPLICATE_NAME,
                format!("`{text}` is {what} already"),
                span,
                "take another name",
            ));
        }
        self.scope.insert(name.text.clone(), Entry { value, span });
    }

    fn input(&mut self, input: &ast::Input) {
        let shape = match &input.ty {
            Some(ty) => self.input_shape(ty),
            None => {
                self.report(
                    Diagnostic::new(
                        shapes::INPUT_TYPE,
                        format!("the input `{}` of a net needs a type", input.name.text),
                        input.name.span,
                        "no type",
                    )
                    .with_hint(format!("write `input {}: f32[N, 1, 28, 28];`", input.name.text)),
                );
                None
            }
        };
        let value = shape.map(|shape| {
            let tensor = TensorId(self.tensors.len());
            self.tensors.push(Tensor {
                name: input.name.text.clone(),
                shape,
                span: input.span,
            });
            self.inputs.push(Input {
                name: input.name.text.clone(),
                tensor,
            });
            Value::Tensor(tensor)
        });
        self.declare(&input.name, value);
    }

    /// The shape without the batch.
    fn input_shape(&mut self, ty: &TensorType) -> Option<Vec<i64>> {
        let before = self.errors.len();
        if ty.element.text != "f32" {
            self.report(
                Diagnostic::new(
                    shapes::INPUT_TYPE,
                    format!("inputs of `{}` are not supported", ty.element.text),
                    ty.element.span,
                    "expected `f32`",
                )
                .with_hint("the readers of data give `f32`"),
            );
        }
        let [batch, dims @ ..] = ty.dims.as_slice() else {
            self.report_input_rank(ty);
            return None;
        };
        if dims.len() != 3 {
            self.report_input_rank(ty);
        }
        if !is_batch(batch) {
            self.report(Diagnostic::new(
                shapes::INPUT_TYPE,
                "the first extent of an input is the batch",
                batch.span,
                "expected `N`",
            )
            .with_hint("the size of the batch is `batch` of the `train` section"));
        }
        let extents: Vec<Option<i64>> = dims.iter().map(|dim| self.extent(dim)).collect();
        let extents: Vec<i64> = extents.into_iter().collect::<Option<_>>()?;
        if self.errors.len() == before && !fits(&extents) {
            self.report(Diagnostic::new(
                shapes::TOO_LARGE,
                "this input is too large",
                ty.span,
                "too many numbers",
            ));
        }
        (self.errors.len() == before).then_some(extents)
    }

    fn extent(&mut self, dim: &Expr) -> Option<i64> {
        if is_batch(dim) {
            self.report(Diagnostic::new(
                shapes::INPUT_TYPE,
                "only the first extent of an input is the batch",
                dim.span,
                "expected an integer",
            ));
            return None;
        }
        match self.eval(dim)? {
            Value::Integer(extent) if extent >= 1 => Some(extent),
            other => {
                self.report(Diagnostic::new(
                    shapes::INPUT_TYPE,
                    format!("an extent cannot be {}", other.describe()),
                    dim.span,
                    "expected an integer of at least 1",
                ));
                None
            }
        }
    }

    fn report_input_rank(&mut self, ty: &TensorType) {
        self.report(
            Diagnostic::new(
                shapes::INPUT_TYPE,
                format!("an input has rank 4, but this type has rank {}", ty.dims.len()),
                ty.span,
                "expected f32[N, channels, height, width]",
            )
            .with_hint("a grey image has 1 channel; `flatten` makes a vector of it"),
        );
    }

    /// Reports each `let` and `input` that nothing mentions.
    pub(super) fn report_unused(&mut self, body: &Body) {
        if body.result.is_none() {
            return;
        }
        let mut mentioned: BTreeSet<&str> = BTreeSet::new();
        walk::body(body, &mut |expr| {
            match &expr.kind {
                ExprKind::Name(name) => mentioned.insert(name),
                ExprKind::Call(call) => mentioned.insert(&call.callee.text),
                _ => false,
            };
            true
        });
        for statement in &body.statements {
            let name = match statement {
                Statement::Let(binding) => &binding.name,
                Statement::Input(input) => &input.name,
                // Refused as a whole.
                Statement::Param(_) => continue,
            };
            // A misspelt use of it has its own error.
            let suggested = self.suggested.contains(&name.text);
            if !mentioned.contains(name.text.as_str()) && !suggested {
                self.report(
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

fn is_batch(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Name(name) if name == BATCH)
}
