//! Evaluates expressions and grows the graph.

use super::codes::{expansion, names, options};
use super::definitions::Definitions;
use super::frame::Frame;
use super::graph::{Buffer, Input, Layer, Parameter, ParameterId, Tensor, TensorId};
use super::instance::{Instances, NET};
use super::naming::Namings;
use super::value::Value;
use super::waiting::Waiting;
use super::{arithmetic, ops};
use cnnc_grammar::ast::{Binary, BinaryOp, Expr, ExprKind, Name};
use cnnc_grammar::{Diagnostic, Span};
use std::collections::{BTreeMap, BTreeSet};

/// Layers, uses of blocks and rounds of `repeat` of one net.
const MOST_STEPS: usize = 65_536;
/// Expressions inside one another, through all blocks.
const DEEPEST: usize = 512;

/// The graph so far, the names in sight, and the errors.
///
/// Evaluation gives None for what has been reported, so that one fault gives
/// one error.
pub(super) struct Expander<'a> {
    pub definitions: Definitions<'a>,
    pub errors: Vec<Diagnostic>,
    /// Code, place and message of each error: a block that is expanded twice
    /// has its faults once.
    reported: BTreeSet<(&'static str, Option<Span>, String)>,
    /// Errors, those left out included.
    pub faults: usize,
    /// The net, then the blocks around the place.
    pub frames: Vec<Frame>,
    pub instances: Instances,
    pub namings: Namings,
    pub tensors: Vec<Tensor>,
    pub parameters: Vec<Parameter>,
    pub buffers: Vec<Buffer>,
    pub layers: Vec<Layer>,
    pub inputs: Vec<Input>,
    pub waiting: Vec<Waiting>,
    /// The tensors that parameters have become, by shape.
    pub spread: BTreeMap<(ParameterId, Vec<i64>), TensorId>,
    steps: usize,
    depth: usize,
}

impl<'a> Expander<'a> {
    /// In a net of the first file, before its names.
    pub fn new(definitions: Definitions<'a>, errors: Vec<Diagnostic>) -> Self {
        let mut expander = Self {
            definitions,
            errors: Vec::new(),
            reported: BTreeSet::new(),
            faults: 0,
            frames: vec![Frame {
                file: 0,
                instance: NET,
                name: String::new(),
                used: None,
                fed: None,
                scope: BTreeMap::new(),
                rounds: Vec::new(),
            }],
            instances: Instances::new(),
            namings: Namings::default(),
            tensors: Vec::new(),
            parameters: Vec::new(),
            buffers: Vec::new(),
            layers: Vec::new(),
            inputs: Vec::new(),
            waiting: Vec::new(),
            spread: BTreeMap::new(),
            steps: 0,
            depth: 0,
        };
        for error in errors {
            expander.report(error);
        }
        expander
    }

    pub fn report(&mut self, error: Diagnostic) {
        self.faults += 1;
        let key = (error.code.name, error.span(), error.message.clone());
        if self.reported.insert(key) {
            let error = self.with_uses(error);
            self.errors.push(error);
        }
    }

    pub fn tensor(&self, id: TensorId) -> Option<&Tensor> {
        self.tensors.get(id.0)
    }

    /// Counts a layer, a use of a block or a round of `repeat`; None where there
    /// are too many.
    pub fn step(&mut self, span: Span) -> Option<()> {
        self.steps += 1;
        if self.steps <= MOST_STEPS {
            return Some(());
        }
        if self.steps == MOST_STEPS + 1 {
            self.report(
                Diagnostic::new(
                    expansion::LIMIT,
                    "this net expands to too many layers",
                    span,
                    "one too many",
                )
                .with_note(format!(
                    "layers, uses of blocks and rounds of `repeat` may be {MOST_STEPS} together"
                )),
            );
        }
        None
    }

    /// The value of an expression.
    pub fn eval(&mut self, expr: &Expr) -> Option<Value> {
        if self.depth >= DEEPEST {
            self.report(
                Diagnostic::new(
                    expansion::LIMIT,
                    "this net is nested too deeply",
                    expr.span,
                    "too many blocks and operators inside one another",
                )
                .with_note(format!("the limit is {DEEPEST}")),
            );
            return None;
        }
        self.depth += 1;
        let value = self.eval_kind(expr);
        self.depth -= 1;
        value
    }

    fn eval_kind(&mut self, expr: &Expr) -> Option<Value> {
        match &expr.kind {
            ExprKind::Integer(value) => Some(Value::Integer(*value)),
            ExprKind::Float(value) => Some(Value::Float(*value)),
            ExprKind::Bool(value) => Some(Value::Bool(*value)),
            ExprKind::Text(value) => Some(Value::Text(value.clone())),
            ExprKind::Name(name) => self.eval_name(name, expr),
            ExprKind::Call(call) => self.eval_call(call, expr),
            ExprKind::Tuple(items) => self.eval_all(items).map(Value::Tuple),
            ExprKind::List(items) => self.eval_all(items).map(Value::List),
            ExprKind::Parens(inner) => self.eval(inner),
            ExprKind::Field(base, field) => self.eval_field(expr, base, field),
            ExprKind::Unary(op, inner) => {
                let value = self.eval(inner)?;
                let result = arithmetic::unary(*op, &value);
                self.checked(result, expr.span)
            }
            ExprKind::Binary(binary) => self.eval_binary(binary, expr.span),
            ExprKind::Pipe(pipe) => self.eval_pipe(pipe, expr.span),
            ExprKind::If(choice) => self.eval_if(choice, expr.span),
            // The grammar has it behind `|>` alone.
            ExprKind::Repeat(_) => None,
        }
    }

    fn eval_all(&mut self, items: &[Expr]) -> Option<Vec<Value>> {
        // All are evaluated, so that all errors are found.
        let values: Vec<Option<Value>> = items.iter().map(|item| self.eval(item)).collect();
        values.into_iter().collect()
    }

    fn eval_binary(&mut self, binary: &Binary, span: Span) -> Option<Value> {
        // A long sum is a deep tree; its left edge is walked without recursion.
        let mut spine = vec![(binary, span)];
        let mut leftmost = &*binary.left;
        while let ExprKind::Binary(inner) = &leftmost.kind {
            spine.push((inner, leftmost.span));
            leftmost = &inner.left;
        }
        let mut left = self.eval(leftmost);
        while let Some((binary, span)) = spine.pop() {
            let right = self.short_circuit(binary.op, left.as_ref(), &binary.right);
            left = match (left, right) {
                (Some(left), Some(right)) => self.operate(binary, left, right, span),
                _ => None,
            };
        }
        left
    }

    /// The right operand. `&&` and `||` leave it alone where the left one decides.
    fn short_circuit(&mut self, op: BinaryOp, left: Option<&Value>, right: &Expr) -> Option<Value> {
        match (op, left) {
            (BinaryOp::And, Some(Value::Bool(false))) => Some(Value::Bool(false)),
            (BinaryOp::Or, Some(Value::Bool(true))) => Some(Value::Bool(true)),
            _ => self.eval(right),
        }
    }

    fn operate(&mut self, binary: &Binary, left: Value, right: Value, span: Span) -> Option<Value> {
        if let (Some(a), Some(b)) = (left.operand(), right.operand()) {
            let op = match binary.op {
                BinaryOp::Add => ops::find("add"),
                BinaryOp::Subtract => Some(&ops::SUBTRACT),
                BinaryOp::Multiply => ops::find("multiply"),
                _ => None,
            };
            if let Some(op) = op {
                return self.apply_operator(op, [a, b], span, binary.op_span);
            }
        }
        let tensors = [&left, &right]
            .into_iter()
            .any(|value| value.operand().is_some() || matches!(value, Value::Layer(_)));
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

    /// A field, or a name with points.
    fn eval_field(&mut self, expr: &Expr, base: &Expr, field: &Name) -> Option<Value> {
        if let Some(path) = expr.path()
            && let Some(entry) = self.local(&path)
        {
            return entry.value.clone();
        }
        if self.is_head_of_points(base) {
            return None;
        }
        let base = self.eval(base)?;
        self.field(&base, field)
    }

    /// Whether this is the head of a name with points that is not there, which has
    /// been reported.
    fn is_head_of_points(&self, base: &Expr) -> bool {
        let ExprKind::Name(head) = &base.kind else {
            return false;
        };
        let within = format!("{head}.");
        self.frame().is_some_and(|frame| {
            let mut names = frame.scope.keys();
            !frame.scope.contains_key(head) && names.any(|name| name.starts_with(&within))
        })
    }

    fn field(&mut self, base: &Value, field: &Name) -> Option<Value> {
        let shape = match base {
            Value::Tensor(id) => self.tensor(*id)?.shape.clone(),
            Value::Parameter(id) => self.parameters.get(id.0)?.shape.clone(),
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
        // A vector is nothing but channels.
        let extents = match shape.as_slice() {
            [features] if field.text == "channels" => vec![("channels", *features)],
            [features] => vec![("features", *features)],
            [tokens, channels] => vec![("tokens", *tokens), ("channels", *channels)],
            [channels, height, width] => vec![
                ("channels", *channels),
                ("height", *height),
                ("width", *width),
            ],
            _ => Vec::new(),
        };
        let found = extents.iter().find(|(name, _)| *name == field.text);
        if let Some((_, extent)) = found {
            return Some(Value::Integer(*extent));
        }
        let known: Vec<&str> = extents.iter().map(|(name, _)| *name).collect();
        let shown = match base {
            Value::Parameter(_) => super::value::show_parameter(&shape),
            _ => super::value::show_shape(&shape),
        };
        let error = Diagnostic::new(
            options::UNKNOWN_FIELD,
            format!("{shown} has no field `{}`", field.text),
            field.span,
            match known.as_slice() {
                [] => "it has no fields".to_string(),
                known => format!("expected `{}`", known.join("`, `")),
            },
        );
        self.report(error.with_nearest(&field.text, known.iter().copied()));
        None
    }

    /// Runs `expand` in a new frame.
    pub fn in_frame<T>(&mut self, frame: Frame, expand: impl FnOnce(&mut Self) -> T) -> T {
        self.frames.push(frame);
        let value = expand(self);
        self.frames.pop();
        value
    }
}
