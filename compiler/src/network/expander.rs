//! Walks the body of a net and grows the graph.

use super::codes::{names, options};
use super::graph::{Buffer, Input, Layer, Parameter, Tensor, TensorId};
use super::names::Names;
use super::ops::{self, Op};
use super::signature::{Bound, PADDING_WORDS};
use super::value::{LayerId, Value};
use super::{apply, arithmetic};
use cnnc_grammar::ast::{Binary, BinaryOp, Call, Expr, ExprKind, Name};
use cnnc_grammar::{Diagnostic, Span};
use std::collections::{BTreeMap, BTreeSet};

/// The graph so far, the names in sight, and the errors.
///
/// Evaluation gives None for what has been reported, so that one fault gives
/// one error.
#[derive(Default)]
pub(super) struct Expander {
    pub errors: Vec<Diagnostic>,
    pub scope: BTreeMap<String, Entry>,
    /// Names of `let`s further down, to tell "later" from "never".
    pub later: BTreeMap<String, Span>,
    /// Names of the file's blocks and nets.
    pub definitions: BTreeMap<String, Definition>,
    /// Names that errors have offered for others.
    pub suggested: BTreeSet<String>,
    pub names: Names,
    pub tensors: Vec<Tensor>,
    pub parameters: Vec<Parameter>,
    pub buffers: Vec<Buffer>,
    pub layers: Vec<Layer>,
    pub inputs: Vec<Input>,
    pub waiting: Vec<Waiting>,
}

/// What a name stands for; None where its value was refused.
#[derive(Clone)]
pub(super) struct Entry {
    pub value: Option<Value>,
    pub span: Span,
}

/// A definition of the file that is no op.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Definition {
    Block(Span),
    Net(Span),
}

/// A layer before it is applied.
#[derive(Clone)]
pub(super) struct Waiting {
    pub op: &'static Op,
    pub bound: Bound,
    pub span: Span,
    /// The `let` that names it.
    pub name: Option<String>,
    /// What its first application made, and where that was.
    pub applied: Option<apply::Shared>,
}

impl Expander {
    pub fn report(&mut self, error: Diagnostic) {
        self.errors.push(error);
    }

    pub fn tensor(&self, id: TensorId) -> Option<&Tensor> {
        self.tensors.get(id.0)
    }

    /// The value of an expression.
    pub fn eval(&mut self, expr: &Expr) -> Option<Value> {
        match &expr.kind {
            ExprKind::Integer(value) => Some(Value::Integer(*value)),
            ExprKind::Float(value) => Some(Value::Float(*value)),
            ExprKind::Bool(value) => Some(Value::Bool(*value)),
            ExprKind::Text(value) => Some(Value::Text(value.clone())),
            ExprKind::Name(name) => self.eval_name(name, expr.span),
            ExprKind::Call(call) => self.eval_call(call, expr.span),
            ExprKind::Tuple(items) => self.eval_all(items).map(Value::Tuple),
            ExprKind::List(items) => self.eval_all(items).map(Value::List),
            ExprKind::Parens(inner) => self.eval(inner),
            ExprKind::Field(base, field) => {
                let base = self.eval(base)?;
                self.field(&base, field)
            }
            ExprKind::Unary(op, inner) => {
                let value = self.eval(inner)?;
                let result = arithmetic::unary(*op, &value);
                self.checked(result, expr.span)
            }
            ExprKind::Binary(binary) => self.eval_binary(binary, expr.span),
            ExprKind::Pipe(pipe) => self.eval_pipe(pipe),
            // `unsupported` has reported these.
            ExprKind::If(_) | ExprKind::Repeat(_) => None,
        }
    }

    fn eval_all(&mut self, items: &[Expr]) -> Option<Vec<Value>> {
        // All are evaluated, so that all errors are found.
        let values: Vec<Option<Value>> = items.iter().map(|item| self.eval(item)).collect();
        values.into_iter().collect()
    }

    fn eval_name(&mut self, name: &str, span: Span) -> Option<Value> {
        if let Some(entry) = self.scope.get(name) {
            return entry.value.clone();
        }
        if PADDING_WORDS.contains(&name) {
            return Some(Value::Word(name.to_string()));
        }
        let op = self.find_op(name, span)?;
        let bound = self.bind(&op.signature, &[], span)?;
        self.unapplied(op, bound, span)
    }

    fn eval_call(&mut self, call: &Call, span: Span) -> Option<Value> {
        if let Some(entry) = self.scope.get(&call.callee.text).cloned() {
            let value = entry.value?;
            self.report_call_of_value(call, &value, entry.span);
            return None;
        }
        let op = self.find_op(&call.callee.text, call.callee.span)?;
        if op.inputs.several() {
            let inputs = self.tensor_values(op, &call.arguments)?;
            self.check_tensor_count(op, inputs.len(), span)?;
            return self.apply(op, &Bound::default(), &inputs, span, None);
        }
        let bound = self.bind(&op.signature, &call.arguments, span)?;
        self.unapplied(op, bound, span)
    }

    /// An op that stands alone, to be applied later.
    fn unapplied(&mut self, op: &'static Op, bound: Bound, span: Span) -> Option<Value> {
        op.rule?;
        if op.inputs.several() {
            self.report_tensor_count(op, 0, span);
            return None;
        }
        let id = LayerId(self.waiting.len());
        self.waiting.push(Waiting {
            op,
            bound,
            span,
            name: None,
            applied: None,
        });
        Some(Value::Layer(id))
    }

    fn eval_binary(&mut self, binary: &Binary, span: Span) -> Option<Value> {
        let (left, right) = (self.eval(&binary.left), self.eval(&binary.right));
        let (left, right) = (left?, right?);
        if let (Value::Tensor(a), Value::Tensor(b)) = (&left, &right) {
            let op = match binary.op {
                BinaryOp::Add => ops::find("add"),
                BinaryOp::Subtract => Some(&ops::SUBTRACT),
                BinaryOp::Multiply => ops::find("multiply"),
                _ => None,
            };
            if let Some(op) = op {
                let inputs = [*a, *b];
                return self.apply(op, &Bound::default(), &inputs, span, Some(binary.op_span));
            }
        }
        let tensors = [&left, &right]
            .into_iter()
            .any(|value| matches!(value, Value::Tensor(_) | Value::Layer(_)));
        if tensors {
            let symbol = binary.op.symbol();
            let error = Diagnostic::new(
                names::WRONG_SORT,
                format!(
                    "`{symbol}` does not take {} and {}",
                    left.describe(),
                    right.describe()
                ),
                binary.op_span,
                "expected two tensors or two numbers",
            );
            let applied = "`+`, `-` and `*` take two tensors of equal shape";
            self.report(error.with_hint(applied));
            return None;
        }
        let result = arithmetic::binary(binary.op, &left, &right);
        self.checked(result, span)
    }

    fn checked(&mut self, result: Result<Value, arithmetic::Fault>, span: Span) -> Option<Value> {
        match result {
            Ok(value) => Some(value),
            Err(fault) => {
                use arithmetic::Fault;
                let code = match fault {
                    Fault::Operands { .. } | Fault::Operand { .. } => options::WRONG_TYPE,
                    _ => options::ARITHMETIC,
                };
                self.report(Diagnostic::new(code, fault.to_string(), span, ""));
                None
            }
        }
    }

    fn field(&mut self, base: &Value, field: &Name) -> Option<Value> {
        let shape = match base {
            Value::Tensor(id) => self.tensor(*id)?.shape.clone(),
            other => {
                self.report(Diagnostic::new(
                    options::UNKNOWN_FIELD,
                    format!("{} has no fields", other.describe()),
                    field.span,
                    "only tensors have fields",
                ));
                return None;
            }
        };
        let fields: &[&str] = match shape.len() {
            1 => &["features"],
            2 => &["tokens", "channels"],
            _ => &["channels", "height", "width"],
        };
        let found = fields.iter().position(|known| *known == field.text);
        match found.and_then(|index| shape.get(index)) {
            Some(extent) => Some(Value::Integer(*extent)),
            None => {
                let shown = super::value::show_shape(&shape);
                let error = Diagnostic::new(
                    options::UNKNOWN_FIELD,
                    format!("{shown} has no field `{}`", field.text),
                    field.span,
                    format!("expected `{}`", fields.join("`, `")),
                );
                self.report(error.with_nearest(&field.text, fields.iter().copied()));
                None
            }
        }
    }
}
