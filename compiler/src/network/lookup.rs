//! Finding what a name stands for, and saying what it does not.

use super::codes::{names, options};
use super::expander::{Definition, Expander};
use super::graph::TensorId;
use super::ops::{self, Op};
use super::value::Value;
use cnnc_grammar::ast::{Argument, Call};
use cnnc_grammar::diagnostics::nearest;
use cnnc_grammar::{Diagnostic, Span};

impl Expander {
    /// The op called `name`, or an error; None in silence for what
    /// `unsupported` has reported.
    pub(super) fn find_op(&mut self, name: &str, span: Span) -> Option<&'static Op> {
        if let Some(op) = ops::find(name) {
            return op.rule.map(|_| op);
        }
        match self.definitions.get(name) {
            Some(Definition::Block(_)) => return None,
            Some(Definition::Net(defined)) => {
                let error = Diagnostic::new(
                    names::WRONG_SORT,
                    format!("`{name}` is a net, not an op"),
                    span,
                    "expected an op",
                )
                .with_place(*defined, "defined here")
                .with_hint("a `block` can be used in a net");
                self.report(error);
                return None;
            }
            None => {}
        }
        let error = Diagnostic::new(
            names::UNKNOWN_NAME,
            format!("nothing is called `{name}`"),
            span,
            "unknown name",
        );
        let error = if let Some(later) = self.later.get(name) {
            error
                .with_place(*later, "made here")
                .with_hint("a name is used below where it is made")
        } else if name == super::input::BATCH {
            error.with_hint("`N` is the batch size, which is no part of the net")
        } else if let Some(ours) = ops::foreign(name) {
            error.with_hint(format!("this is called `{ours}` here"))
        } else if matches!(name, "True" | "False") {
            error.with_hint(format!("write `{}`", name.to_ascii_lowercase()))
        } else {
            let known: Vec<String> = self
                .scope
                .keys()
                .chain(self.definitions.keys())
                .cloned()
                .chain(ops::OPS.iter().map(|op| op.signature.name.to_string()))
                .collect();
            match nearest(name, known.iter().map(String::as_str)) {
                Some(near) => {
                    self.suggested.insert(near.to_string());
                    error.with_hint(format!("did you mean `{near}`?"))
                }
                None => error,
            }
        };
        self.report(error);
        None
    }

    pub(super) fn report_call_of_value(&mut self, call: &Call, value: &Value, made: Span) {
        let name = &call.callee.text;
        let error = Diagnostic::new(
            names::WRONG_SORT,
            format!("`{name}` cannot be called: it is {}", value.sort()),
            call.callee.span,
            "not an op with options",
        )
        .with_place(made, format!("`{name}` is made here"));
        self.report(match value {
            Value::Layer(_) => error.with_hint(format!(
                "its options are given where it is made; write `|> {name}`"
            )),
            _ => error,
        });
    }

    /// The arguments of a call as tensors, however many.
    pub(super) fn tensor_values(
        &mut self,
        op: &'static Op,
        arguments: &[Argument],
    ) -> Option<Vec<TensorId>> {
        op.rule?;
        let name = op.signature.name;
        let mut inputs = Some(Vec::new());
        for argument in arguments {
            if let Some(option) = &argument.name {
                self.report(Diagnostic::new(
                    options::UNKNOWN_OPTION,
                    format!("`{name}` has no option `{}`", option.text),
                    option.span,
                    "unknown option",
                ));
                inputs = None;
                continue;
            }
            match self.eval(&argument.value) {
                Some(Value::Tensor(id)) => {
                    if let Some(inputs) = &mut inputs {
                        inputs.push(id);
                    }
                }
                Some(other) => {
                    self.report(Diagnostic::new(
                        names::WRONG_SORT,
                        format!("`{name}` takes tensors, but this is {}", other.describe()),
                        argument.value.span,
                        "expected a tensor",
                    ));
                    inputs = None;
                }
                None => inputs = None,
            }
        }
        inputs
    }

    pub(super) fn check_tensor_count(&mut self, op: &Op, count: usize, span: Span) -> Option<()> {
        if op.inputs.takes(count) {
            return Some(());
        }
        self.report_tensor_count(op, count, span);
        None
    }

    pub(super) fn report_tensor_count(&mut self, op: &Op, count: usize, span: Span) {
        let name = op.signature.name;
        self.report(
            Diagnostic::new(
                options::TENSOR_COUNT,
                format!("`{name}` takes {}, not {count}", op.inputs.text()),
                span,
                format!("expected {}", op.inputs.text()),
            )
            .with_hint(format!("write `{name}(a, b)` or `a |> {name}(b)`")),
        );
    }
}
