//! What a vision transformer needs: `tokens`, `class_token`, `first_token`,
//! `position_embedding`, `attention`.

use super::conv::check_groups;
use super::form::{image, only, tokens};
use super::{Applied, Arity, NewParameter, Op, Refusal};
use crate::network::codes::shapes;
use crate::network::graph::{Initializer, LayerOp, Role};
use crate::network::signature::{Bound, Kind, OptionSpec, Setting, Signature};
use crate::network::size::{fits, product};

const fn init(default: Initializer) -> OptionSpec {
    OptionSpec::with_default("init", Kind::Initializer, Setting::Initializer(default))
}

/// `tokens(patch)` on `[channels, height, width]`: the patches row by row, each
/// as a token of its elements in C, H, W order. `tokens` makes one of each pixel.
pub(super) const TOKENS: Op = Op {
    signature: Signature {
        name: "tokens",
        options: &[OptionSpec::with_default(
            "patch",
            Kind::Pair { least: 1 },
            Setting::Pair([1, 1]),
        )
        .positional()],
    },
    inputs: Arity::ONE,
    rule: patches,
};

fn patches(bound: &Bound, inputs: &[&[i64]]) -> Result<Applied, Box<Refusal>> {
    let [channels, height, width] = image("tokens", only(inputs))?;
    let patch = bound.pair("patch");
    for (name, extent, size) in [("height", height, patch[0]), ("width", width, patch[1])] {
        if extent % size != 0 {
            return Err(Refusal::new(
                shapes::PATCHES,
                format!("patches of {size} cells do not divide a {name} of {extent}"),
                format!("{extent} / {size} is not an integer"),
            )
            .at(bound.span("patch")));
        }
    }
    let count = product([height / patch[0], width / patch[1]]);
    let elements = product([channels, patch[0], patch[1]]);
    match (count, elements) {
        (Some(count), Some(elements)) => Ok(Applied::plain(
            LayerOp::Tokens { patch },
            vec![count, elements],
        )),
        _ => Err(Refusal::too_large("the result of this `tokens`", &[])),
    }
}

/// `class_token` on `[tokens, channels]`: a learned token in front.
pub(super) const CLASS_TOKEN: Op = Op {
    signature: Signature {
        name: "class_token",
        options: &[init(Initializer::Zeros)],
    },
    inputs: Arity::ONE,
    rule: |bound, inputs| {
        let [count, channels] = tokens("class_token", only(inputs))?;
        let count = count
            .checked_add(1)
            .ok_or_else(|| Refusal::too_large("the result of `class_token`", &[]))?;
        let shape = vec![channels];
        let init = bound.initializer("init");
        let weight = NewParameter::own("weight", Role::Embedding, shape, init);
        Ok(Applied {
            parameters: vec![weight],
            ..Applied::plain(LayerOp::ClassToken, vec![count, channels])
        })
    },
};

/// `first_token` on `[tokens, channels]`: `[channels]`.
pub(super) const FIRST_TOKEN: Op = Op {
    signature: Signature {
        name: "first_token",
        options: &[],
    },
    inputs: Arity::ONE,
    rule: |_, inputs| {
        let [_, channels] = tokens("first_token", only(inputs))?;
        Ok(Applied::plain(LayerOp::FirstToken, vec![channels]))
    },
};

/// `position_embedding` on `[tokens, channels]`: plus a learned vector per token.
pub(super) const POSITION_EMBEDDING: Op = Op {
    signature: Signature {
        name: "position_embedding",
        options: &[init(Initializer::Normal { std: 0.02 })],
    },
    inputs: Arity::ONE,
    rule: |bound, inputs| {
        let shape = tokens("position_embedding", only(inputs))?.to_vec();
        let init = bound.initializer("init");
        let weight = NewParameter::own("weight", Role::Embedding, shape.clone(), init);
        Ok(Applied {
            parameters: vec![weight],
            ..Applied::plain(LayerOp::PositionEmbedding, shape)
        })
    },
};

/// `attention(heads)` on `[tokens, channels]`: one projection to queries, keys
/// and values, side by side and each split into heads; softmax of the scaled
/// products; one projection of the heads, side by side.
pub(super) const ATTENTION: Op = Op {
    signature: Signature {
        name: "attention",
        options: &[
            OptionSpec::required("heads", Kind::Integer { least: 1 }).positional(),
            OptionSpec::with_default("bias", Kind::Bool, Setting::Bool(true)),
            init(Initializer::GlorotUniform),
        ],
    },
    inputs: Arity::ONE,
    rule: attention,
};

fn attention(bound: &Bound, inputs: &[&[i64]]) -> Result<Applied, Box<Refusal>> {
    let [count, channels] = tokens("attention", only(inputs))?;
    let heads = bound.integer("heads");
    check_groups(bound, heads, "heads", "channels", channels)?;
    // Of each head, every token's with every token.
    let scores = [heads, count, count];
    if !fits(&scores) {
        return Err(
            Refusal::too_large("the table of scores of this `attention`", &[])
                .note(format!("its shape would be {scores:?}")),
        );
    }
    let (bias, init) = (bound.bool("bias"), bound.initializer("init"));
    let triple = channels.saturating_mul(3);
    if !fits(&[channels, triple]) {
        return Err(Refusal::too_large("the weight of this `attention`", &[])
            .note(format!("its shape would be {:?}", [channels, triple])));
    }
    let projection = |names: [&'static str; 2], out: i64| {
        let fans = [channels, out];
        let bias = bias.then_some(out);
        NewParameter::projection(names, vec![channels, out], bias, init, fans)
    };
    let qkv = projection(["qkv.weight", "qkv.bias"], triple);
    let proj = projection(["proj.weight", "proj.bias"], channels);
    let shape = vec![count, channels];
    // Both projections, and both products of the heads.
    let per_token = product([channels, 4])
        .zip(product([count, 2]))
        .and_then(|(projections, products)| projections.checked_add(products));
    let multiply_adds = per_token
        .and_then(|sum| product([sum, count, channels]))
        .ok_or_else(|| Refusal::too_large("the result of this `attention`", &shape))?;
    Ok(Applied {
        parameters: qkv.into_iter().chain(proj).collect(),
        multiply_adds,
        ..Applied::plain(LayerOp::Attention { heads, bias }, shape)
    })
}
