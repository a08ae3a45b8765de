//! Hyper-parameters and statements of nets, blocks and braces.

use super::codes::{expansion, names};
use super::expander::Expander;
use super::frame::Entry;
use super::graph::{LayerOp, TensorId};
use super::instance::Binding;
use super::naming::LayerName;
use super::value::{LayerId, Value};
use super::waiting::What;
use super::{input::BATCH, ops, signature::PADDING_WORDS};
use cnnc_grammar::Diagnostic;
use cnnc_grammar::ast::{self, Body, Expr, Name, Statement};
use std::collections::BTreeMap;

impl Expander<'_> {
    /// Gives the hyper-parameters of the net their values, in order.
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
                        .with_hint(format!(
                            "write `{name}=...` here, or give `--set {name}=...`"
                        )),
                    );
                    None
                }
            };
            self.declare(&hyper.name, value);
        }
    }

    pub(super) fn hyper_value(&mut self, name: &str, expr: &Expr) -> Option<Value> {
        match self.eval(expr)? {
            value @ (Value::Tensor(_) | Value::Parameter(_)) => {
                self.report(Diagnostic::new(
                    names::WRONG_SORT,
                    format!(
                        "the hyper-parameter `{name}` cannot be {}",
                        value.describe()
                    ),
                    expr.span,
                    "expected a number, a boolean, a tuple, a word or an op",
                ));
                None
            }
            value => Some(value),
        }
    }

    /// The statements and the value of the net, which is a tensor.
    pub(super) fn body(&mut self, body: &Body) -> Option<TensorId> {
        let value = self.body_value(body)?;
        let span = body.result.as_ref().map_or(body.span, |result| result.span);
        match value {
            Value::Tensor(id) if self.maker(id).is_some() => Some(id),
            Value::Tensor(_) | Value::Parameter(_) => {
                let what = match value {
                    Value::Tensor(_) => ("its input", "this is an `input`"),
                    _ => ("a parameter", "this is a `param`"),
                };
                self.report(Diagnostic::new(
                    names::NO_LAYERS,
                    format!("no layers: the net gives {} back", what.0),
                    span,
                    what.1,
                ));
                None
            }
            other => {
                let error = Diagnostic::new(
                    names::WRONG_SORT,
                    format!(
                        "the value of a net is a tensor, but this is {}",
                        other.describe()
                    ),
                    span,
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

    /// The value of the braces of an `if` or `repeat`, whose names end with them.
    pub(super) fn inner_body(&mut self, body: &Body) -> Option<Value> {
        let value = self.body_value(body);
        if let Some(frame) = self.frames.last_mut() {
            for statement in &body.statements {
                let (Statement::Input(ast::Input { name, .. })
                | Statement::Let(ast::Let { name, .. })
                | Statement::Param(ast::Param { name, .. })) = statement;
                if frame
                    .scope
                    .get(&name.text)
                    .is_some_and(|entry| entry.span == name.span)
                {
                    frame.scope.remove(&name.text);
                }
            }
        }
        value
    }

    /// The statements of a body, and its value.
    pub(super) fn body_value(&mut self, body: &Body) -> Option<Value> {
        for statement in &body.statements {
            match statement {
                Statement::Input(input) => self.input(input),
                Statement::Let(binding) => self.binding(binding),
                Statement::Param(param) => {
                    let value = self.param(param);
                    self.declare(&param.name, value);
                }
            }
        }
        // A missing value has been reported with the names.
        self.eval(body.result.as_ref()?)
    }

    fn binding(&mut self, binding: &ast::Let) {
        let name = &binding.name;
        let (layers, faults) = (self.layers.len(), self.faults);
        let value = self.eval(&binding.value);
        match &value {
            Some(Value::Layer(id)) => self.name_layer(*id, &name.text),
            Some(Value::Tensor(id)) => {
                self.name_tensor(*id, &name.text, layers);
                if name.text.contains('.') && self.faults == faults {
                    self.name_maker(binding, layers);
                }
            }
            _ => {}
        }
        self.declare(name, value);
    }

    /// An op or block that this `let` makes takes its name.
    fn name_layer(&mut self, id: LayerId, name: &str) {
        let Some(waiting) = self.waiting.get(id.0) else {
            return;
        };
        let identity = waiting.identity;
        let elements: Vec<LayerId> = match &waiting.what {
            What::Chain(elements) => elements.iter().map(|(id, _)| *id).collect(),
            _ => Vec::new(),
        };
        let (numbered, here) = (self.in_repeat(), self.frame().map(|frame| frame.instance));
        let Some(known) = self.instances.identity_mut(identity) else {
            return;
        };
        // A second name changes nothing.
        if known.binding.is_some() || known.first.is_some() || Some(known.owner) != here {
            return;
        }
        known.binding = Some(Binding {
            name: name.to_string(),
            numbered,
            of_tensor: false,
        });
        if elements.is_empty() {
            return;
        }
        // What a chain made without a name goes below its own.
        let inside = self.instances.inside(identity);
        for element in elements {
            let element = self.waiting.get(element.0).map(|waiting| waiting.identity);
            let element = element.and_then(|id| self.instances.identity_mut(id));
            if let Some(element) = element
                && element.binding.is_none()
                && element.first.is_none()
                && Some(element.owner) == here
            {
                element.owner = inside;
            }
        }
    }

    /// A tensor that this `let` of the net makes takes its name.
    fn name_tensor(&mut self, id: TensorId, name: &str, layers_before: usize) {
        let made_here = self
            .layers
            .iter()
            .zip(&self.namings.layers)
            .skip(layers_before)
            .any(|(layer, naming)| {
                layer.output == id && self.namings.is_of_net(naming, &self.instances)
            });
        if self.in_net()
            && made_here
            && let Some(slot) = self.namings.tensors.get_mut(id.0)
        {
            slot.get_or_insert_with(|| name.to_string());
        }
    }

    /// A name with points is that of the layer, too, which must be the only one.
    fn name_maker(&mut self, binding: &ast::Let, layers_before: usize) {
        let mut made = self
            .layers
            .iter()
            .zip(&self.namings.layers)
            .skip(layers_before)
            .filter(|(layer, _)| layer.op != LayerOp::Parameter);
        let only = match (made.next(), made.next()) {
            (Some((_, LayerName::Applied { identity, .. })), None) => Some(*identity),
            _ => None,
        };
        let here = self.frame().map(|frame| frame.instance);
        let identity = only.and_then(|id| self.instances.identity_mut(id));
        match identity {
            // One that has a name of its own is applied by it.
            Some(identity) if Some(identity.owner) == here => {
                identity.binding.get_or_insert_with(|| Binding {
                    name: binding.name.text.clone(),
                    numbered: false,
                    of_tensor: true,
                });
            }
            _ => self.report(
                Diagnostic::new(
                    expansion::POINTS,
                    format!("`{}` does not name one op", binding.name.text),
                    binding.value.span,
                    "not one op that is applied once",
                )
                .with_place(binding.name.span, "a name with points")
                .with_hint("take a name without points"),
            ),
        }
    }

    /// Makes a name known. Faults of names have been reported.
    pub(super) fn declare(&mut self, name: &Name, value: Option<Value>) {
        let text = name.text.as_str();
        let block = self
            .frame()
            .and_then(|frame| self.definitions.find(frame.file, text))
            .and_then(|id| self.definitions.get(id));
        let is_param = matches!(value, Some(Value::Parameter(_)));
        let taken = (ops::find(text).is_some() && !is_param)
            || block.is_some_and(|defined| !defined.is_net)
            || text == BATCH
            || PADDING_WORDS.contains(&text);
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        match frame.scope.get_mut(text) {
            // It is open which of the two a use means.
            Some(entry) => entry.value = None,
            None => {
                let entry = Entry {
                    value: value.filter(|_| !taken),
                    span: name.span,
                };
                frame.scope.insert(name.text.clone(), entry);
            }
        }
    }
}
