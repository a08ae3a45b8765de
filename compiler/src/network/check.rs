//! Names of every block and net, looked at once and before anything is expanded:
//! unknown ones, those made twice or never used, and blocks that use themselves.
//!
//! Values and shapes are left to the expansion, which knows them.

mod names;

use super::codes::expansion;
use super::convert;
use super::definitions::{DefinitionId, Definitions, Use};
use super::input::{is_batch, report_untyped};
use super::lookup::{Unknown, is_word};
use super::ops;
use super::signature::Kind;
use cnnc_grammar::ast::{Argument, Body, Call, Expr, ExprKind, Name, Statement, TensorType};
use cnnc_grammar::{Diagnostic, Span};
use std::collections::{BTreeMap, BTreeSet};

/// Checks the names of all definitions, and marks those that use themselves.
pub(super) fn check(definitions: &mut Definitions<'_>, errors: &mut Vec<Diagnostic>) {
    let mut uses = Vec::new();
    for id in (0..definitions.all.len()).map(DefinitionId) {
        let Some(defined) = definitions.get(id).copied() else {
            continue;
        };
        let mut checker = Checker {
            definitions,
            file: defined.file,
            here: id,
            scope: BTreeMap::new(),
            later: BTreeMap::new(),
            suggested: BTreeSet::new(),
            uses: Vec::new(),
            errors: Vec::new(),
        };
        for hyper in &defined.ast.hypers {
            if let Some(default) = &hyper.default {
                checker.expr(default);
            }
            checker.declare(&hyper.name, Made::Hyper);
        }
        let sort = if defined.is_net {
            Sort::Net
        } else {
            Sort::Block
        };
        checker.body(&defined.ast.body, sort);
        uses.append(&mut checker.uses);
        errors.append(&mut checker.errors);
    }
    definitions.mark_recursive(&uses, errors);
}

/// What a body belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Sort {
    Net,
    Block,
    /// An `if` or `repeat`.
    Inner,
}

/// What makes a name.
#[derive(Clone, Copy, PartialEq)]
enum Made {
    Hyper,
    /// An `input` or `let`.
    Named,
    /// A `param`, which may have the name of an op: there is `scale`.
    Param,
}

struct Checker<'a, 'd> {
    definitions: &'d Definitions<'a>,
    file: usize,
    here: DefinitionId,
    scope: BTreeMap<&'a str, Local>,
    /// Names made further down, to tell "later" from "never".
    later: BTreeMap<&'a str, Span>,
    /// Names that errors have offered for others.
    suggested: BTreeSet<String>,
    uses: Vec<Use>,
    errors: Vec<Diagnostic>,
}

/// A name in sight.
struct Local {
    span: Span,
    mentioned: bool,
    must_be_used: bool,
}

impl<'a> Checker<'a, '_> {
    fn body(&mut self, body: &'a Body, sort: Sort) {
        for statement in &body.statements {
            let name = name_of(statement);
            self.later.entry(&name.text).or_insert(name.span);
        }
        let mut declared: Vec<&'a Name> = Vec::new();
        let mut has_input = false;
        for statement in &body.statements {
            match statement {
                Statement::Input(input) => {
                    has_input = true;
                    match &input.ty {
                        Some(ty) => self.dims(ty),
                        None if sort == Sort::Net => self.errors.push(report_untyped(input)),
                        None => {}
                    }
                    if sort == Sort::Inner {
                        self.errors.push(
                            Diagnostic::new(
                                expansion::INNER_INPUT,
                                "an `input` stands inside an `if` or `repeat`",
                                input.span,
                                "only a net or block has inputs",
                            )
                            .with_hint("make a `block` of it"),
                        );
                    }
                }
                Statement::Let(binding) => self.expr(&binding.value),
                Statement::Param(param) => {
                    self.dims(&param.ty);
                    if let Some(init) = &param.init {
                        self.loose(init);
                    }
                }
            }
            let name = name_of(statement);
            self.later.remove(name.text.as_str());
            let sort = match statement {
                Statement::Param(_) => Made::Param,
                _ => Made::Named,
            };
            if self.declare(name, sort) {
                declared.push(name);
            }
        }
        if !has_input && sort != Sort::Inner {
            self.report_no_input(sort);
        }
        match &body.result {
            Some(result) => {
                self.expr(result);
                self.report_unused(&declared);
            }
            None => self.report_no_result(body, sort),
        }
        for name in declared {
            self.scope.remove(name.text.as_str());
        }
    }

    fn dims(&mut self, ty: &'a TensorType) {
        for dim in &ty.dims {
            if !is_batch(dim) {
                self.expr(dim);
            }
        }
    }

    fn expr(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Text(_) => {}
            ExprKind::Name(name) => self.name(name, expr.span),
            ExprKind::Call(call) => self.call(call),
            ExprKind::Tuple(items) | ExprKind::List(items) => {
                items.iter().for_each(|item| self.expr(item));
            }
            ExprKind::Parens(inner) | ExprKind::Unary(_, inner) => self.expr(inner),
            ExprKind::Field(base, _) => self.field(expr, base),
            ExprKind::Binary(binary) => {
                self.expr(&binary.left);
                self.expr(&binary.right);
            }
            ExprKind::Pipe(pipe) => {
                self.expr(&pipe.first);
                pipe.stages.iter().for_each(|stage| self.stage(stage));
            }
            ExprKind::If(choice) => {
                for (condition, body) in &choice.branches {
                    self.expr(condition);
                    self.body(body, Sort::Inner);
                }
                if let Some(body) = &choice.otherwise {
                    self.body(body, Sort::Inner);
                }
            }
            ExprKind::Repeat(repeat) => {
                self.expr(&repeat.count);
                self.body(&repeat.body, Sort::Inner);
            }
        }
    }

    /// What stands behind `|>`, where the name of an op is that op.
    fn stage(&mut self, stage: &'a Expr) {
        match &stage.kind {
            ExprKind::Name(name) if ops::find(name).is_some() => {}
            _ => self.expr(stage),
        }
    }

    /// A field, or a name with points.
    fn field(&mut self, expr: &'a Expr, base: &'a Expr) {
        let Some(path) = expr.path() else {
            return self.expr(base);
        };
        if self.mention(&path) {
            return;
        }
        let head = path.split('.').next().unwrap_or_default();
        let within = format!("{head}.");
        let points = self.scope.keys().any(|name| name.starts_with(&within));
        if points && !self.scope.contains_key(head) && base.path().as_deref() == Some(head) {
            return self.unknown(&path, expr.span);
        }
        self.expr(base);
    }

    /// Whether `name` is in sight; it is used then.
    fn mention(&mut self, name: &str) -> bool {
        match self.scope.get_mut(name) {
            Some(local) => {
                local.mentioned = true;
                true
            }
            None => false,
        }
    }

    fn name(&mut self, name: &str, span: Span) {
        if self.mention(name) || ops::find(name).is_some() {
            return;
        }
        match self.definitions.find(self.file, name) {
            Some(used) => self.uses.push(Use {
                user: self.here,
                used,
                span,
            }),
            None if is_word(name) => {}
            None => self.unknown(name, span),
        }
    }

    fn call(&mut self, call: &'a Call) {
        let callee = &call.callee;
        let op = ops::find(&callee.text);
        if op.is_none() {
            self.name(&callee.text, callee.span);
        }
        let op = op.filter(|op| !op.inputs.several());
        let mut positions = op
            .into_iter()
            .flat_map(|op| op.signature.options)
            .filter(|option| option.positional);
        for argument in &call.arguments {
            let option = match &argument.name {
                Some(name) => op.and_then(|op| op.signature.option(&name.text)),
                None => positions.next(),
            };
            match option {
                Some(option) => self.setting(option.kind, argument),
                None => self.expr(&argument.value),
            }
        }
    }

    /// The value of an option, which may be a word that has no other meaning.
    fn setting(&mut self, kind: Kind, argument: &'a Argument) {
        let value = argument.value.peel();
        let words = !convert::words(kind).is_empty();
        match &value.kind {
            _ if kind == Kind::Initializer => self.loose(value),
            ExprKind::Name(word) if words => {
                self.mention(word);
            }
            _ => self.expr(value),
        }
    }

    /// A choice such as an initialiser, whose name is looked up where it is used.
    fn loose(&mut self, expr: &'a Expr) {
        let inner = expr.peel();
        match &inner.kind {
            ExprKind::Name(name) => {
                self.mention(name);
            }
            ExprKind::Call(call) => {
                let arguments = call.arguments.iter();
                arguments.for_each(|argument| self.expr(&argument.value));
            }
            _ => self.expr(inner),
        }
    }

    fn unknown(&mut self, name: &str, span: Span) {
        let unknown = Unknown {
            name,
            span,
            later: self.later.get(name).copied(),
        };
        let known = self.scope.keys().copied();
        let (error, suggested) = unknown.diagnostic(known, self.definitions, self.file);
        self.suggested.extend(suggested);
        self.errors.extend(error);
    }
}

fn name_of(statement: &Statement) -> &Name {
    match statement {
        Statement::Input(input) => &input.name,
        Statement::Let(binding) => &binding.name,
        Statement::Param(param) => &param.name,
    }
}
