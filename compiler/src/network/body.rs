//! Hyper-parameters and statements of the chosen net.

use super::codes::names;
use super::expander::{Definition, Entry, Expander};
use super::graph::TensorId;
use super::signature::PADDING_WORDS;
use super::value::Value;
use super::{ops, walk};
use cnnc_grammar::ast::{self, Body, Expr, ExprKind, Name, Statement};
use cnnc_grammar::{Diagnostic, Span};
use std::collections::{BTreeMap, BTreeSet};

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

    fn hyper_value(&mut self, name: &str, expr: &Expr) -> Option<Value> {
        match self.eval(expr)? {
            value @ (Value::Tensor(_) | Value::Layer(_)) => {
                self.report(Diagnostic::new(
                    names::WRONG_SORT,
                    format!(
                        "the hyper-parameter `{name}` cannot be {}",
                        value.describe()
                    ),
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
                            ops::find(&call.callee.text).is_some_and(|op| !op.inputs.several())
                        }
                        _ => false,
                    };
                    self.names.declare(&binding.name.text, is_layer);
                    self.later
                        .insert(binding.name.text.clone(), binding.name.span);
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
                    format!(
                        "the value of a net is a tensor, but this is {}",
                        other.describe()
                    ),
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

    pub(super) fn declare(&mut self, name: &Name, mut value: Option<Value>) {
        let span = name.span;
        if let Some(entry) = self.scope.get_mut(&name.text) {
            let first = entry.span;
            // It is open which of the two a use means.
            entry.value = None;
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
        } else if text == super::input::BATCH || PADDING_WORDS.contains(&text) {
            Some("a word of the language")
        } else {
            None
        };
        if let Some(what) = taken {
            value = None;
            self.report(Diagnostic::new(
                names::DUPLICATE_NAME,
                format!("`{text}` is {what} already"),
                span,
                "take another name",
            ));
        }
        self.scope.insert(name.text.clone(), Entry { value, span });
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
