//! One layer, by its op.

use super::dropout::{Unit, dropout};
use super::surroundings::Surroundings;
use super::{activation, attention, axes, convolution, dense, norm, pool, shape, softmax};
use crate::network::{Layer, LayerOp};
use crate::stablehlo::{Builder, Error, Result, Value};

/// What a layer reads.
pub(super) struct Operands<'a> {
    /// Its place among the layers of the network.
    pub place: usize,
    pub inputs: &'a [Value],
    pub weights: &'a [Value],
}

pub(super) fn layer(
    b: &mut Builder,
    layer: &Layer,
    operands: &Operands<'_>,
    surroundings: &mut Surroundings,
) -> Result<Value> {
    let weights = operands.weights;
    let operand = |list: &[Value], index: usize, what: &str| {
        list.get(index).copied().ok_or_else(|| Error::Pass {
            pass: "lower",
            message: format!("`{}` lacks {what} {index}", layer.name),
            location: b.location.clone(),
        })
    };
    let input = |index| operand(operands.inputs, index, "input");
    let weight = || operand(weights, 0, "parameter");
    let x = input(0)?;
    match &layer.op {
        LayerOp::Conv(conv) | LayerOp::DepthwiseConv(conv) => {
            convolution::conv(b, conv, x, weights)
        }
        LayerOp::Dense => {
            let weight = weight()?;
            dense::dense(b, x, weight, weights.get(1).copied())
        }
        LayerOp::MaxPool(window) => pool::max_pool(b, window, x),
        LayerOp::AvgPool {
            window,
            count_padding,
        } => pool::avg_pool(b, window, *count_padding, x),
        LayerOp::GlobalAvgPool => pool::global_avg_pool(b, x),
        LayerOp::Relu => activation::relu(b, x),
        LayerOp::Activation(function) => activation::activation(b, *function, x),
        LayerOp::Softmax => {
            let dim = axes::channel_dim(b, x);
            softmax::softmax(b, x, dim)
        }
        LayerOp::Flatten => shape::flatten(b, x),
        LayerOp::Reshape(extents) => shape::reshape(b, x, extents),
        LayerOp::Upsample(factor) => shape::upsample(b, x, *factor),
        LayerOp::Concat => shape::concat(b, operands.inputs, x),
        LayerOp::BatchNorm { eps, momentum } => {
            norm::batch_norm(b, layer, [*eps, *momentum], x, weights, surroundings)
        }
        LayerOp::LayerNorm(options) => norm::layer_norm(b, options, x, weights),
        LayerOp::GroupNorm { groups, eps } => norm::group_norm(b, *groups, *eps, x, weights),
        LayerOp::Scale => norm::affine(b, x, weights),
        LayerOp::Dropout { p } => dropout(b, Unit::Element, *p, operands.place, x, surroundings),
        LayerOp::DropPath { p } => dropout(b, Unit::Example, *p, operands.place, x, surroundings),
        LayerOp::Attention { heads, bias } => attention::attention(b, *heads, *bias, x, weights),
        LayerOp::Tokens { patch } => shape::tokens(b, x, *patch),
        LayerOp::ClassToken => {
            let weight = weight()?;
            shape::class_token(b, x, weight)
        }
        LayerOp::FirstToken => shape::first_token(b, x),
        LayerOp::PositionEmbedding => {
            let weight = weight()?;
            shape::position_embedding(b, x, weight)
        }
        LayerOp::Add => {
            let other = input(1)?;
            b.add(x, other)
        }
        LayerOp::Subtract => {
            let other = input(1)?;
            b.subtract(x, other)
        }
        LayerOp::Multiply => {
            let other = input(1)?;
            b.multiply(x, other)
        }
        // A parameter reads no tensor; it is lowered where the layers are walked.
        LayerOp::Identity | LayerOp::Parameter => Ok(x),
    }
}
