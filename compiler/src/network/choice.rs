//! Words with options that are no ops, such as initialisers and optimizers.

use super::codes::{options, train};
use super::expander::Expander;
use super::graph::Initializer;
use super::signature::{Bound, Kind, OptionSpec, Range, Signature};
use cnnc_grammar::Diagnostic;
use cnnc_grammar::ast::{Expr, ExprKind};

/// A word and what it stands for.
pub(super) struct Choice<T> {
    pub signature: Signature,
    pub make: fn(&Bound) -> T,
    /// Which options are wrong together.
    pub check: Option<fn(&Bound) -> Option<Conflict>>,
}

/// An option that is wrong with the others.
pub(super) struct Conflict {
    pub option: &'static str,
    pub message: String,
    pub hint: String,
}

pub(super) const fn plain<T>(name: &'static str, make: fn(&Bound) -> T) -> Choice<T> {
    with_options(name, &[], make)
}

pub(super) const fn with_options<T>(
    name: &'static str,
    options: &'static [OptionSpec],
    make: fn(&Bound) -> T,
) -> Choice<T> {
    Choice {
        signature: Signature { name, options },
        make,
        check: None,
    }
}

pub(super) const fn number(name: &'static str, range: Range) -> OptionSpec {
    OptionSpec::required(name, Kind::Float(range)).positional()
}

/// How parameters start.
pub(super) static INITIALIZERS: &[Choice<Initializer>] = &[
    plain("zeros", |_| Initializer::Zeros),
    plain("ones", |_| Initializer::Ones),
    with_options("constant", &[number("value", Range::Any)], |bound| {
        Initializer::Constant(bound.float("value"))
    }),
    with_options("normal", &[number("std", Range::NotNegative)], |bound| {
        Initializer::Normal {
            std: bound.float("std"),
        }
    }),
    with_options("uniform", &[number("bound", Range::NotNegative)], |bound| {
        Initializer::Uniform {
            bound: bound.float("bound"),
        }
    }),
    plain("he_normal", |_| Initializer::HeNormal),
    plain("he_uniform", |_| Initializer::HeUniform),
    plain("glorot_normal", |_| Initializer::GlorotNormal),
    plain("glorot_uniform", |_| Initializer::GlorotUniform),
    plain("lecun_normal", |_| Initializer::LecunNormal),
];

impl Expander<'_> {
    /// What `expr` chooses from `table`; `what` says what the words are.
    pub(super) fn choose<T>(
        &mut self,
        table: &'static [Choice<T>],
        what: &str,
        expr: &Expr,
    ) -> Option<T> {
        let known = || table.iter().map(|choice| choice.signature.name);
        let (name, span, arguments) = match &expr.peel().kind {
            ExprKind::Name(name) => (name, expr.span, &[][..]),
            ExprKind::Call(call) => (
                &call.callee.text,
                call.callee.span,
                call.arguments.as_slice(),
            ),
            _ => {
                let list: Vec<&str> = known().collect();
                self.report(
                    Diagnostic::new(
                        options::WRONG_TYPE,
                        format!("this is no {what}"),
                        expr.span,
                        format!("expected the name of {} {what}", article(what)),
                    )
                    .with_hint(format!("one of `{}`", list.join("`, `"))),
                );
                return None;
            }
        };
        let Some(choice) = table.iter().find(|choice| choice.signature.name == name) else {
            let list: Vec<&str> = known().collect();
            let error = Diagnostic::new(
                options::UNKNOWN_VALUE,
                format!("there is no {what} `{name}`"),
                span,
                format!("unknown {what}"),
            );
            let near = cnnc_grammar::diagnostics::nearest(name, list.iter().copied());
            self.report(match near {
                Some(near) => error.with_hint(format!("did you mean `{near}`?")),
                None => error.with_hint(format!("one of `{}`", list.join("`, `"))),
            });
            return None;
        };
        let bound = self.bind(&choice.signature, arguments, expr.span)?;
        if let Some(conflict) = choice.check.and_then(|check| check(&bound)) {
            let place = bound.span(conflict.option).unwrap_or(expr.span);
            self.report(
                Diagnostic::new(train::CONFLICT, conflict.message, place, "is wrong here")
                    .with_hint(conflict.hint),
            );
            return None;
        }
        Some((choice.make)(&bound))
    }
}

fn article(word: &str) -> &'static str {
    match word.starts_with(['a', 'e', 'i', 'o', 'u']) {
        true => "an",
        false => "a",
    }
}
