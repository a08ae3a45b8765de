//! The AST as text without positions: two files mean the same iff it is equal.

use super::*;
use std::fmt::Write;

/// The AST as one nested list per item, without spans and comments.
///
/// `net a { input x: f32[N, 4]; x |> relu }` gives
/// `(net a () (input x (f32 N 4)) (|> x relu))`, one statement per line.
pub fn dump(file: &File) -> String {
    let mut out = String::new();
    for item in &file.items {
        write_item(&mut out, item);
        out.push('\n');
    }
    out
}

// Writing to a String cannot fail.
macro_rules! put {
    ($out:expr, $($arg:tt)*) => {{ let _ = write!($out, $($arg)*); }};
}

fn write_item(out: &mut String, item: &Item) {
    match item {
        Item::Import(import) => put!(out, "(import {:?})", import.path),
        Item::Block(definition) => write_definition(out, "block", definition),
        Item::Net(definition) => write_definition(out, "net", definition),
        Item::Train(train) => {
            out.push_str("(train");
            for setting in &train.settings {
                put!(out, "\n  (= {} ", setting.name.text);
                write_expr(out, &setting.value);
                out.push(')');
            }
            out.push(')');
        }
    }
}

fn write_definition(out: &mut String, kind: &str, definition: &Definition) {
    put!(out, "({kind} {} (", definition.name.text);
    for (index, hyper) in definition.hypers.iter().enumerate() {
        if index > 0 {
            out.push(' ');
        }
        match &hyper.default {
            None => out.push_str(&hyper.name.text),
            Some(default) => {
                put!(out, "(= {} ", hyper.name.text);
                write_expr(out, default);
                out.push(')');
            }
        }
    }
    out.push(')');
    write_body(out, &definition.body, "\n  ");
    out.push(')');
}

fn write_body(out: &mut String, body: &Body, separator: &str) {
    for statement in &body.statements {
        out.push_str(separator);
        match statement {
            Statement::Input(input) => {
                put!(out, "(input {}", input.name.text);
                if let Some(ty) = &input.ty {
                    out.push(' ');
                    write_type(out, ty);
                }
            }
            Statement::Let(binding) => {
                put!(out, "(let {} ", binding.name.text);
                write_expr(out, &binding.value);
            }
            Statement::Param(param) => {
                put!(out, "(param {} ", param.name.text);
                write_type(out, &param.ty);
                if let Some(init) = &param.init {
                    out.push(' ');
                    write_expr(out, init);
                }
            }
        }
        out.push(')');
    }
    if let Some(result) = &body.result {
        out.push_str(separator);
        write_expr(out, result);
    }
}

fn write_type(out: &mut String, ty: &TensorType) {
    write_list(out, &ty.element.text, &ty.dims);
}

fn write_list(out: &mut String, head: &str, items: &[Expr]) {
    put!(out, "({head}");
    for item in items {
        out.push(' ');
        write_expr(out, item);
    }
    out.push(')');
}

fn write_braces(out: &mut String, body: &Body) {
    out.push_str(" {");
    write_body(out, body, " ");
    out.push_str(" }");
}

fn write_expr(out: &mut String, expr: &Expr) {
    match &expr.kind {
        ExprKind::Integer(value) => put!(out, "{value}"),
        ExprKind::Float(value) => put!(out, "{value:?}"),
        ExprKind::Bool(value) => put!(out, "{value}"),
        ExprKind::Text(value) => put!(out, "{value:?}"),
        ExprKind::Name(name) => out.push_str(name),
        ExprKind::Call(call) => {
            put!(out, "(call {}", call.callee.text);
            for argument in &call.arguments {
                out.push(' ');
                if let Some(name) = &argument.name {
                    put!(out, "{}=", name.text);
                }
                write_expr(out, &argument.value);
            }
            out.push(')');
        }
        ExprKind::Tuple(items) => write_list(out, "tuple", items),
        ExprKind::List(items) => write_list(out, "list", items),
        ExprKind::Parens(inner) => write_list(out, "parens", std::slice::from_ref(inner)),
        ExprKind::Field(base, field) => {
            out.push_str("(. ");
            write_expr(out, base);
            put!(out, " {})", field.text);
        }
        ExprKind::Unary(op, inner) => write_list(out, op.symbol(), std::slice::from_ref(inner)),
        ExprKind::Binary(binary) => {
            put!(out, "({} ", binary.op.symbol());
            write_expr(out, &binary.left);
            out.push(' ');
            write_expr(out, &binary.right);
            out.push(')');
        }
        ExprKind::Pipe(pipe) => {
            out.push_str("(|> ");
            write_expr(out, &pipe.first);
            for stage in &pipe.stages {
                out.push(' ');
                write_expr(out, stage);
            }
            out.push(')');
        }
        ExprKind::If(choice) => {
            out.push_str("(if");
            for (condition, body) in &choice.branches {
                out.push(' ');
                write_expr(out, condition);
                write_braces(out, body);
            }
            if let Some(body) = &choice.otherwise {
                out.push_str(" else");
                write_braces(out, body);
            }
            out.push(')');
        }
        ExprKind::Repeat(repeat) => {
            out.push_str("(repeat ");
            write_expr(out, &repeat.count);
            write_braces(out, &repeat.body);
            out.push(')');
        }
    }
}
