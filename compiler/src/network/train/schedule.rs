//! `schedule = ...`

use super::config::Schedule;
use crate::network::choice::{Choice, plain, with_options};
use crate::network::signature::{Kind, OptionSpec, Range, Setting};

/// How the learning rate goes on; times are epochs.
pub(in crate::network) static SCHEDULES: &[Choice<Schedule>] = &[
    plain("constant", |_| Schedule::Constant),
    with_options(
        "cosine",
        &[
            OptionSpec::with_default(
                "warmup",
                Kind::Float(Range::NotNegative),
                Setting::Float(0.0),
            ),
            OptionSpec::with_default("min", Kind::Float(Range::NotNegative), Setting::Float(0.0)),
        ],
        |bound| Schedule::Cosine {
            warmup: bound.float("warmup"),
            min: bound.float("min"),
        },
    ),
    with_options(
        "step",
        &[
            OptionSpec::required("every", Kind::Integer { least: 1 }).positional(),
            OptionSpec::required("factor", Kind::Float(Range::Positive)).positional(),
        ],
        |bound| Schedule::Step {
            every: bound.integer("every"),
            factor: bound.float("factor"),
        },
    ),
    with_options(
        "exponential",
        &[
            OptionSpec::required("rate", Kind::Float(Range::Positive)).positional(),
            OptionSpec::required("every", Kind::Float(Range::Positive)).positional(),
        ],
        |bound| Schedule::Exponential {
            rate: bound.float("rate"),
            every: bound.float("every"),
        },
    ),
];
