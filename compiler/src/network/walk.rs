//! Visits every expression of a body, nested bodies too.

use cnnc_grammar::ast::{Body, Expr, ExprKind, Statement, TensorType};

/// Calls `visit` for each expression of `body`, outer ones first. Where `visit`
/// gives false, what is inside is left out.
pub(super) fn body<'a>(body: &'a Body, visit: &mut dyn FnMut(&'a Expr) -> bool) {
    for statement in &body.statements {
        match statement {
            Statement::Input(input) => {
                if let Some(ty) = &input.ty {
                    tensor_type(ty, visit);
                }
            }
            Statement::Let(binding) => expr(&binding.value, visit),
            Statement::Param(param) => {
                tensor_type(&param.ty, visit);
                if let Some(init) = &param.init {
                    expr(init, visit);
                }
            }
        }
    }
    if let Some(result) = &body.result {
        expr(result, visit);
    }
}

fn tensor_type<'a>(ty: &'a TensorType, visit: &mut dyn FnMut(&'a Expr) -> bool) {
    for dim in &ty.dims {
        expr(dim, visit);
    }
}

/// Calls `visit` for `root` and each expression inside it.
pub(super) fn expr<'a>(root: &'a Expr, visit: &mut dyn FnMut(&'a Expr) -> bool) {
    if !visit(root) {
        return;
    }
    match &root.kind {
        ExprKind::Integer(_)
        | ExprKind::Float(_)
        | ExprKind::Bool(_)
        | ExprKind::Text(_)
        | ExprKind::Name(_) => {}
        ExprKind::Call(call) => {
            for argument in &call.arguments {
                expr(&argument.value, visit);
            }
        }
        ExprKind::Tuple(items) | ExprKind::List(items) => {
            for item in items {
                expr(item, visit);
            }
        }
        ExprKind::Parens(inner) | ExprKind::Field(inner, _) | ExprKind::Unary(_, inner) => {
            expr(inner, visit);
        }
        ExprKind::Binary(binary) => {
            expr(&binary.left, visit);
            expr(&binary.right, visit);
        }
        ExprKind::Pipe(pipe) => {
            expr(&pipe.first, visit);
            for stage in &pipe.stages {
                expr(stage, visit);
            }
        }
        ExprKind::If(choice) => {
            for (condition, then) in &choice.branches {
                expr(condition, visit);
                body(then, visit);
            }
            if let Some(otherwise) = &choice.otherwise {
                body(otherwise, visit);
            }
        }
        ExprKind::Repeat(repeat) => {
            expr(&repeat.count, visit);
            body(&repeat.body, visit);
        }
    }
}
