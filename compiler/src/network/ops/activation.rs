//! Element-wise functions of one tensor, and `softmax`: any shape, and the same
//! shape out.

use super::form::only;
use super::{Applied, Arity, Op, Rule};
use crate::network::graph::{Activation, LayerOp};
use crate::network::signature::{Kind, OptionSpec, Range, Setting, Signature};

const fn op(name: &'static str, options: &'static [OptionSpec], rule: Rule) -> Op {
    Op {
        signature: Signature { name, options },
        inputs: Arity::ONE,
        rule,
    }
}

const fn number(name: &'static str, default: f64) -> OptionSpec {
    let kind = Kind::Float(Range::Any);
    OptionSpec::with_default(name, kind, Setting::Float(default)).positional()
}

fn keep(op: LayerOp, inputs: &[&[i64]]) -> Applied {
    Applied::plain(op, only(inputs).to_vec())
}

fn element_wise(activation: Activation, inputs: &[&[i64]]) -> Applied {
    keep(LayerOp::Activation(activation), inputs)
}

pub(super) const RELU: Op = op("relu", &[], |_, inputs| Ok(keep(LayerOp::Relu, inputs)));
pub(super) const RELU6: Op = op("relu6", &[], |_, inputs| {
    Ok(element_wise(Activation::Relu6, inputs))
});
pub(super) const LEAKY_RELU: Op = op("leaky_relu", &[number("slope", 0.01)], |bound, inputs| {
    let slope = bound.float("slope");
    Ok(element_wise(Activation::LeakyRelu { slope }, inputs))
});
pub(super) const ELU: Op = op("elu", &[number("alpha", 1.0)], |bound, inputs| {
    let alpha = bound.float("alpha");
    Ok(element_wise(Activation::Elu { alpha }, inputs))
});
pub(super) const SIGMOID: Op = op("sigmoid", &[], |_, inputs| {
    Ok(element_wise(Activation::Sigmoid, inputs))
});
pub(super) const TANH: Op = op("tanh", &[], |_, inputs| {
    Ok(element_wise(Activation::Tanh, inputs))
});
pub(super) const SWISH: Op = op("swish", &[], |_, inputs| {
    Ok(element_wise(Activation::Swish, inputs))
});
pub(super) const HARD_SWISH: Op = op("hard_swish", &[], |_, inputs| {
    Ok(element_wise(Activation::HardSwish, inputs))
});
pub(super) const HARD_SIGMOID: Op = op("hard_sigmoid", &[], |_, inputs| {
    Ok(element_wise(Activation::HardSigmoid, inputs))
});
pub(super) const GELU: Op = op(
    "gelu",
    &[OptionSpec::with_default(
        "approximate",
        Kind::Word(&["none", "tanh"]),
        Setting::Word("none"),
    )],
    |bound, inputs| {
        let tanh = bound.word("approximate") == "tanh";
        Ok(element_wise(Activation::Gelu { tanh }, inputs))
    },
);
pub(super) const SOFTPLUS: Op = op("softplus", &[], |_, inputs| {
    Ok(element_wise(Activation::Softplus, inputs))
});

/// Along the channels: of each pixel, of each token, or the features.
pub(super) const SOFTMAX: Op = op("softmax", &[], |_, inputs| {
    Ok(keep(LayerOp::Softmax, inputs))
});
