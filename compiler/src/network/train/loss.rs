//! `loss = ...`

use super::config::Loss;
use crate::network::choice::{Choice, plain, with_options};
use crate::network::signature::{Kind, OptionSpec, Range, Setting};

/// What is minimised.
pub(in crate::network) static LOSSES: &[Choice<Loss>] = &[
    with_options(
        "softmax_cross_entropy",
        &[OptionSpec::with_default(
            "label_smoothing",
            Kind::Float(Range::Fraction),
            Setting::Float(0.0),
        )],
        |bound| Loss::SoftmaxCrossEntropy {
            label_smoothing: bound.float("label_smoothing"),
        },
    ),
    plain("mean_squared_error", |_| Loss::MeanSquaredError),
    plain("binary_cross_entropy", |_| Loss::BinaryCrossEntropy),
];
