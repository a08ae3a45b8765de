//! Words with options that are no ops: initialisers, losses, optimizers.

use super::codes::{names, options};
use super::expander::Expander;
use super::graph::{Initializer, Loss, Optimizer};
use super::signature::{Bound, Kind, OptionSpec, Range, Signature};
use cnnc_grammar::Diagnostic;
use cnnc_grammar::ast::{Expr, ExprKind};

/// A word and what it stands for; None for what this version lacks.
pub(super) struct Choice<T> {
    pub signature: Signature,
    pub make: Option<fn(&Bound) -> T>,
}

const fn plain<T>(name: &'static str, make: fn(&Bound) -> T) -> Choice<T> {
    with_options(name, &[], make)
}

const fn with_options<T>(
    name: &'static str,
    options: &'static [OptionSpec],
    make: fn(&Bound) -> T,
) -> Choice<T> {
    Choice {
        signature: Signature { name, options },
        make: Some(make),
    }
}

const fn planned<T>(name: &'static str) -> Choice<T> {
    Choice {
        signature: Signature { name, options: &[] },
        make: None,
    }
}

const fn number(name: &'static str, range: Range) -> OptionSpec {
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

/// What is minimised.
pub(super) static LOSSES: &[Choice<Loss>] = &[
    with_options(
        "softmax_cross_entropy",
        &[OptionSpec::planned("label_smoothing")],
        |_| Loss::SoftmaxCrossEntropy,
    ),
    planned("mean_squared_error"),
    planned("binary_cross_entropy"),
];

/// How parameters move.
pub(super) static OPTIMIZERS: &[Choice<Optimizer>] = &[
    with_options(
        "sgd",
        &[
            number("lr", Range::Positive),
            OptionSpec::planned("momentum"),
            OptionSpec::planned("nesterov"),
            OptionSpec::planned("weight_decay"),
        ],
        |bound| Optimizer::Sgd {
            lr: bound.float("lr"),
        },
    ),
    planned("adam"),
    planned("adamw"),
    planned("rmsprop"),
    planned("lamb"),
];

impl Expander {
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
                        format!("expected the name of an {what}").replace("an loss", "a loss"),
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
        let Some(make) = choice.make else {
            self.report(Diagnostic::new(
                names::NOT_YET,
                format!("the {what} `{name}` is not supported yet"),
                span,
                "this version cannot compile it",
            ));
            return None;
        };
        self.bind(&choice.signature, arguments, expr.span)
            .map(|bound| make(&bound))
    }
}
