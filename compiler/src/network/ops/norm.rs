//! `batch_norm`, `layer_norm`, `group_norm` and `scale`

use super::conv::check_groups;
use super::form::{channels, only};
use super::{Applied, Arity, NewBuffer, NewParameter, Op, Refusal};
use crate::network::graph::{Affine, Initializer, LayerNorm, LayerOp, Over, Role};
use crate::network::signature::{Bound, Kind, OptionSpec, Range, Setting, Signature};

const EPS: OptionSpec =
    OptionSpec::with_default("eps", Kind::Float(Range::Positive), Setting::Float(1e-5));

const AFFINE: OptionSpec = OptionSpec::with_default("affine", Kind::Bool, Setting::Bool(true));

/// `batch_norm` on any shape: mean 0 and variance 1 of each channel over the
/// batch, in evaluation by running statistics, which move by `momentum` of the
/// way in each step; then a factor and a summand per channel, unless
/// `affine=false`.
pub(super) const BATCH_NORM: Op = Op {
    signature: Signature {
        name: "batch_norm",
        options: &[
            EPS,
            OptionSpec::with_default(
                "momentum",
                Kind::Float(Range::Probability),
                Setting::Float(0.1),
            ),
            AFFINE,
        ],
    },
    inputs: Arity::ONE,
    rule: |bound, inputs| {
        let shape = only(inputs);
        let channels = channels(shape);
        let op = LayerOp::BatchNorm {
            eps: bound.float("eps"),
            momentum: bound.float("momentum"),
        };
        Ok(Applied {
            parameters: per_channel(bound, channels),
            buffers: NewBuffer::running(channels),
            ..Applied::plain(op, shape.to_vec())
        })
    },
};

fn per_channel(bound: &Bound, channels: i64) -> Vec<NewParameter> {
    if bound.bool("affine") {
        NewParameter::affine(vec![channels])
    } else {
        Vec::new()
    }
}

/// `layer_norm` on any shape. `over=channels` takes mean and variance of each
/// pixel or token, `over=features` of the whole example; `affine=element` has
/// a factor and a summand for each element of those, `affine=scalar` one each.
pub(super) const LAYER_NORM: Op = Op {
    signature: Signature {
        name: "layer_norm",
        options: &[
            EPS,
            OptionSpec::with_default(
                "over",
                Kind::Word(&["channels", "features"]),
                Setting::Word("channels"),
            ),
            OptionSpec::with_default(
                "affine",
                Kind::Word(&["element", "scalar", "none"]),
                Setting::Word("element"),
            ),
        ],
    },
    inputs: Arity::ONE,
    rule: layer_norm,
};

fn layer_norm(bound: &Bound, inputs: &[&[i64]]) -> Result<Applied, Box<Refusal>> {
    let shape = only(inputs);
    let over = match bound.word("over") {
        "features" => Over::Features,
        _ => Over::Channels,
    };
    let normalized = match over {
        Over::Features => shape.to_vec(),
        Over::Channels => vec![channels(shape)],
    };
    let (affine, parameters) = match bound.word("affine") {
        "none" => (Affine::None, Vec::new()),
        "scalar" => (Affine::Scalar, NewParameter::affine(vec![1])),
        _ => (Affine::Element, NewParameter::affine(normalized)),
    };
    let eps = bound.float("eps");
    let op = LayerOp::LayerNorm(LayerNorm { eps, over, affine });
    Ok(Applied {
        parameters,
        ..Applied::plain(op, shape.to_vec())
    })
}

/// `group_norm(groups)` on `[channels, height, width]` or `[features]`: a
/// factor and a summand per channel, unless `affine=false`.
pub(super) const GROUP_NORM: Op = Op {
    signature: Signature {
        name: "group_norm",
        options: &[
            OptionSpec::required("groups", Kind::Integer { least: 1 }).positional(),
            EPS,
            AFFINE,
        ],
    },
    inputs: Arity::ONE,
    rule: group_norm,
};

fn group_norm(bound: &Bound, inputs: &[&[i64]]) -> Result<Applied, Box<Refusal>> {
    let shape = only(inputs);
    if shape.len() == 2 {
        let refusal = Refusal::rank("group_norm", 4, shape, "f32[N, channels, height, width]");
        return Err(refusal.hint("use `layer_norm` on tokens".to_string()));
    }
    let (groups, channels) = (bound.integer("groups"), channels(shape));
    check_groups(bound, groups, "groups", "channels", channels)?;
    let eps = bound.float("eps");
    Ok(Applied {
        parameters: per_channel(bound, channels),
        ..Applied::plain(LayerOp::GroupNorm { groups, eps }, shape.to_vec())
    })
}

/// `scale` on any shape: one learned factor per channel, and with `bias=true`
/// one summand.
pub(super) const SCALE: Op = Op {
    signature: Signature {
        name: "scale",
        options: &[
            OptionSpec::with_default("bias", Kind::Bool, Setting::Bool(false)),
            OptionSpec::with_default(
                "init",
                Kind::Initializer,
                Setting::Initializer(Initializer::Ones),
            ),
        ],
    },
    inputs: Arity::ONE,
    rule: scale,
};

fn scale(bound: &Bound, inputs: &[&[i64]]) -> Result<Applied, Box<Refusal>> {
    let shape = only(inputs);
    let size = vec![channels(shape)];
    let init = bound.initializer("init");
    let weight = NewParameter::own("weight", Role::Scale, size.clone(), init);
    let bias = bound
        .bool("bias")
        .then(|| NewParameter::own("bias", Role::Bias, size, Initializer::Zeros));
    Ok(Applied {
        parameters: [weight].into_iter().chain(bias).collect(),
        ..Applied::plain(LayerOp::Scale, shape.to_vec())
    })
}
