//! Ops and blocks before they are applied: what a name or a call gives.

use super::choice::INITIALIZERS;
use super::codes::{names, options};
use super::definitions::DefinitionId;
use super::expander::Expander;
use super::instance::IdentityId;
use super::lookup::{Unknown, is_word};
use super::ops::{self, Op};
use super::signature::Bound;
use super::value::{LayerId, Operand, Value};
use cnnc_grammar::ast::{Argument, Call, Expr, Name};
use cnnc_grammar::{Diagnostic, Span};

/// An op or block that has its options, and perhaps some of its tensors.
#[derive(Clone)]
pub(super) struct Waiting {
    pub what: What,
    /// The tensors that its call gives; what is piped in comes before them.
    pub operands: Vec<Operand>,
    pub span: Span,
    pub identity: IdentityId,
}

/// What waits.
#[derive(Clone)]
pub(super) enum What {
    Op {
        op: &'static Op,
        bound: Bound,
    },
    Block(Block),
    /// Ops and blocks one after the other, each with the place of its use.
    Chain(Vec<(LayerId, Span)>),
}

/// A use of a block or net.
#[derive(Clone)]
pub(super) struct Block {
    pub definition: DefinitionId,
    /// Its hyper-parameters; None for refused values.
    pub hypers: Vec<(Name, Option<Value>)>,
    /// Inputs that are given by name, by their number.
    pub named: Vec<(usize, Operand)>,
    /// How many inputs it has.
    pub inputs: usize,
}

impl Block {
    /// Inputs that are not given by name.
    pub fn free(&self) -> usize {
        self.inputs.saturating_sub(self.named.len())
    }
}

impl Waiting {
    /// Whether its call gives all tensors it takes.
    pub fn is_complete(&self) -> bool {
        let count = self.operands.len();
        match &self.what {
            What::Op { op, .. } => count > 0 && op.inputs.takes(count),
            What::Block(block) => count + block.named.len() > 0 && count == block.free(),
            What::Chain(_) => count == 1,
        }
    }
}

impl Expander<'_> {
    /// Notes what waits.
    pub(super) fn wait(&mut self, waiting: Waiting) -> LayerId {
        self.waiting.push(waiting);
        LayerId(self.waiting.len() - 1)
    }

    pub(super) fn eval_name(&mut self, name: &str, expr: &Expr) -> Option<Value> {
        if let Some(entry) = self.local(name) {
            return entry.value.clone();
        }
        if ops::find(name).is_none() && self.definition(name).is_none() {
            if INITIALIZERS
                .iter()
                .any(|choice| choice.signature.name == name)
            {
                let chosen = self.choose(INITIALIZERS, "initialiser", expr);
                return chosen.map(Value::Initializer);
            }
            if is_word(name) {
                return Some(Value::Word(name.to_string()));
            }
        }
        self.plain_op(name, expr.span).map(Value::Layer)
    }

    /// The value of a call: what it applies where it gives all tensors.
    pub(super) fn eval_call(&mut self, call: &Call, expr: &Expr) -> Option<Value> {
        let name = call.callee.text.as_str();
        let is_initializer = self.local(name).is_none()
            && ops::find(name).is_none()
            && self.definition(name).is_none()
            && INITIALIZERS
                .iter()
                .any(|choice| choice.signature.name == name);
        if is_initializer {
            let chosen = self.choose(INITIALIZERS, "initialiser", expr);
            return chosen.map(Value::Initializer);
        }
        let id = self.called_layer(call, expr.span)?;
        if self.waiting.get(id.0)?.is_complete() {
            return self.apply_waiting(id, None, expr.span);
        }
        Some(Value::Layer(id))
    }

    /// What a call makes before it is applied.
    pub(super) fn called_layer(&mut self, call: &Call, span: Span) -> Option<LayerId> {
        let is_op = ops::find(&call.callee.text).is_some();
        match self.local(&call.callee.text).cloned() {
            Some(entry) if !is_op => {
                let value = entry.value?;
                self.call_of_value(call, &value, entry.span, span)
            }
            _ => self.named_layer(&call.callee, &call.arguments, span),
        }
    }

    /// The op called `name` with its defaults.
    pub(super) fn plain_op(&mut self, name: &str, span: Span) -> Option<LayerId> {
        let callee = Name {
            text: name.to_string(),
            span,
        };
        self.named_layer(&callee, &[], span)
    }

    /// The op or block of that name with these arguments.
    fn named_layer(
        &mut self,
        callee: &Name,
        arguments: &[Argument],
        span: Span,
    ) -> Option<LayerId> {
        if let Some(op) = ops::find(&callee.text) {
            return self.op_layer(op, arguments, span);
        }
        match self.definition(&callee.text) {
            Some(id) => self.block_layer(id, callee, arguments, span),
            None => {
                self.report_unknown(&callee.text, callee.span);
                None
            }
        }
    }

    fn definition(&self, name: &str) -> Option<DefinitionId> {
        self.definitions.find(self.frame()?.file, name)
    }

    fn report_unknown(&mut self, name: &str, span: Span) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        let unknown = Unknown {
            name,
            span,
            later: None,
        };
        // What stands in a file has been reported with more knowledge.
        let known = frame.scope.keys().map(String::as_str);
        let (error, _) = unknown.diagnostic(known, &self.definitions, frame.file);
        if let Some(error) = error {
            let known = self
                .errors
                .iter()
                .any(|other| other.code == error.code && other.span() == error.span());
            self.faults += 1;
            if !known {
                self.report(error);
            }
        }
    }

    fn op_layer(&mut self, op: &'static Op, arguments: &[Argument], span: Span) -> Option<LayerId> {
        let name = op.signature.name;
        let mut operands = Vec::new();
        let mut others: Vec<Argument> = Vec::new();
        let before = self.faults;
        for argument in arguments {
            if !op.inputs.several() || argument.name.is_some() {
                others.push(argument.clone());
                continue;
            }
            match self.eval(&argument.value) {
                Some(value) => match value.operand() {
                    Some(operand) => operands.push(operand),
                    None => self.report(Diagnostic::new(
                        names::WRONG_SORT,
                        format!("`{name}` takes tensors, but this is {}", value.describe()),
                        argument.value.span,
                        "expected a tensor",
                    )),
                },
                None => self.faults += 1,
            }
        }
        let bound = self.bind(&op.signature, &others, span)?;
        if self.faults > before {
            return None;
        }
        let identity = self.identity(span, name);
        Some(self.wait(Waiting {
            what: What::Op { op, bound },
            operands,
            span,
            identity,
        }))
    }

    /// A call of a name in sight: it gives a waiting layer further tensors.
    fn call_of_value(
        &mut self,
        call: &Call,
        value: &Value,
        made: Span,
        span: Span,
    ) -> Option<LayerId> {
        let tensors = call
            .arguments
            .iter()
            .all(|argument| argument.name.is_none());
        if let (Value::Layer(id), true) = (value, tensors && !call.arguments.is_empty()) {
            let values: Vec<Option<Value>> = call
                .arguments
                .iter()
                .map(|argument| self.eval(&argument.value))
                .collect();
            let values: Vec<Value> = values.into_iter().collect::<Option<_>>()?;
            let operands: Option<Vec<Operand>> = values.iter().map(Value::operand).collect();
            if let Some(operands) = operands {
                let mut waiting = self.waiting.get(id.0)?.clone();
                waiting.operands.extend(operands);
                waiting.span = span;
                return Some(self.wait(waiting));
            }
        }
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
        None
    }

    /// Reports that `what` takes `takes`, not `count` tensors.
    pub(super) fn report_tensor_count(
        &mut self,
        what: &str,
        takes: &str,
        count: usize,
        span: Span,
    ) {
        let error = Diagnostic::new(
            options::TENSOR_COUNT,
            format!("`{what}` takes {takes}, not {count}"),
            span,
            format!("expected {takes}"),
        );
        self.report(match takes {
            "1 tensor" => error.with_hint(format!("write `a |> {what}`")),
            _ => error.with_hint(format!("write `{what}(a, b)` or `a |> {what}(b)`")),
        });
    }
}
