//! `optimizer = ...`

use super::config::{Adam, Optimizer, RmsProp, Sgd};
use crate::network::choice::{Choice, Conflict, number, with_options};
use crate::network::signature::{Bound, Kind, OptionSpec, Range, Setting};

const fn float(name: &'static str, range: Range, default: f64) -> OptionSpec {
    OptionSpec::with_default(name, Kind::Float(range), Setting::Float(default))
}

const fn flag(name: &'static str) -> OptionSpec {
    OptionSpec::with_default(name, Kind::Bool, Setting::Bool(false))
}

const fn rate(default: f64) -> OptionSpec {
    float("lr", Range::Positive, default).positional()
}

const fn decay(default: f64) -> OptionSpec {
    float("weight_decay", Range::NotNegative, default)
}

const BETAS: OptionSpec =
    OptionSpec::with_default("betas", Kind::Betas, Setting::Betas([0.9, 0.999]));
const MOMENTUM: OptionSpec = float("momentum", Range::Fraction, 0.0);

const fn eps(default: f64) -> OptionSpec {
    float("eps", Range::Positive, default)
}

/// How parameters move; the defaults are PyTorch's, `lamb`'s those of its paper.
pub(in crate::network) static OPTIMIZERS: &[Choice<Optimizer>] = &[
    Choice {
        check: Some(nesterov_needs_momentum),
        ..with_options(
            "sgd",
            &[
                number("lr", Range::Positive),
                MOMENTUM,
                flag("nesterov"),
                decay(0.0),
            ],
            |bound| {
                Optimizer::Sgd(Sgd {
                    lr: bound.float("lr"),
                    momentum: bound.float("momentum"),
                    nesterov: bound.bool("nesterov"),
                    weight_decay: bound.float("weight_decay"),
                })
            },
        )
    },
    with_options(
        "adam",
        &[rate(1e-3), BETAS, eps(1e-8), decay(0.0)],
        |bound| Optimizer::Adam(adam(bound)),
    ),
    with_options(
        "adamw",
        &[rate(1e-3), BETAS, eps(1e-8), decay(0.01)],
        |bound| Optimizer::AdamW(adam(bound)),
    ),
    with_options(
        "rmsprop",
        &[
            rate(1e-2),
            float("alpha", Range::Fraction, 0.99),
            eps(1e-8),
            MOMENTUM,
            flag("centered"),
            decay(0.0),
        ],
        |bound| {
            Optimizer::RmsProp(RmsProp {
                lr: bound.float("lr"),
                alpha: bound.float("alpha"),
                eps: bound.float("eps"),
                momentum: bound.float("momentum"),
                centered: bound.bool("centered"),
                weight_decay: bound.float("weight_decay"),
            })
        },
    ),
    with_options(
        "lamb",
        &[rate(1e-3), BETAS, eps(1e-6), decay(0.0)],
        |bound| Optimizer::Lamb(adam(bound)),
    ),
];

fn adam(bound: &Bound) -> Adam {
    Adam {
        lr: bound.float("lr"),
        betas: bound.betas("betas"),
        eps: bound.float("eps"),
        weight_decay: bound.float("weight_decay"),
    }
}

fn nesterov_needs_momentum(bound: &Bound) -> Option<Conflict> {
    (bound.bool("nesterov") && bound.float("momentum") == 0.0).then(|| Conflict {
        option: "nesterov",
        message: "`nesterov` of `sgd` looks ahead along a momentum, and there is none".to_string(),
        hint: "add `momentum=0.9`, or leave `nesterov` out".to_string(),
    })
}
