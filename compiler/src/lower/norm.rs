//! Normalisations: mean 0 and variance 1, by two passes over the elements, and
//! the biased variance. eps stands inside the root.

use super::Mode;
use super::axes::{add_channels, channel_dim, mean, multiply_channels, others, size, spread};
use super::surroundings::Surroundings;
use crate::network::{Affine, Layer, LayerNorm, Over};
use crate::stablehlo::{Builder, Error, Result, Value, kept};

/// Mean, and x less its mean, over `dims`; the mean lacks these dimensions.
fn centered(b: &mut Builder, x: Value, dims: &[usize]) -> Result<(Value, Value)> {
    let average = mean(b, x, dims)?;
    let repeated = along_others(b, average, x, dims)?;
    Ok((average, b.subtract(x, repeated)?))
}

/// A value without `dims`, repeated along them.
fn along_others(b: &mut Builder, small: Value, like: Value, dims: &[usize]) -> Result<Value> {
    let shape = b.shape(like);
    let kept = kept(shape.len(), dims);
    b.broadcast(small, &kept, &shape)
}

fn variance(b: &mut Builder, centered: Value, dims: &[usize]) -> Result<Value> {
    let square = b.multiply(centered, centered)?;
    mean(b, square, dims)
}

/// (variance + eps)^(-1/2)
fn inverse_deviation(b: &mut Builder, variance: Value, eps: f64) -> Result<Value> {
    let eps = b.splat_like(eps, variance)?;
    let sum = b.add(variance, eps)?;
    b.rsqrt(sum)
}

fn normalized(b: &mut Builder, x: Value, dims: &[usize], eps: f64) -> Result<Value> {
    let (_, centered) = centered(b, x, dims)?;
    let variance = variance(b, centered, dims)?;
    let inverse = inverse_deviation(b, variance, eps)?;
    let inverse = along_others(b, inverse, centered, dims)?;
    b.multiply(centered, inverse)
}

/// Within each example, over the channels or over everything.
pub(super) fn layer_norm(
    b: &mut Builder,
    norm: &LayerNorm,
    x: Value,
    weights: &[Value],
) -> Result<Value> {
    let rank = b.ty(x).rank();
    let channel = channel_dim(b, x);
    let dims: Vec<usize> = match norm.over {
        Over::Channels => vec![channel],
        Over::Features => (1..rank).collect(),
    };
    let y = normalized(b, x, &dims, norm.eps)?;
    // A lone factor of shape [1] stands along any one dimension.
    let own = match norm.affine {
        Affine::Element => dims,
        Affine::Scalar | Affine::None => vec![channel],
    };
    let shape = b.shape(y);
    match *weights {
        [weight, bias] => {
            let weight = b.broadcast(weight, &own, &shape)?;
            let bias = b.broadcast(bias, &own, &shape)?;
            let y = b.multiply(y, weight)?;
            b.add(y, bias)
        }
        _ => Ok(y),
    }
}

/// Within each group of channels of each example.
pub(super) fn group_norm(
    b: &mut Builder,
    groups: i64,
    eps: f64,
    x: Value,
    weights: &[Value],
) -> Result<Value> {
    let shape = b.shape(x);
    let mut split = shape.clone();
    if let Some(channels) = shape.get(1) {
        split.splice(1..=1, [groups, channels / groups.max(1)]);
    }
    let dims: Vec<usize> = (2..split.len()).collect();
    let y = b.reshape(x, &split)?;
    let y = normalized(b, y, &dims, eps)?;
    let y = b.reshape(y, &shape)?;
    affine(b, y, weights)
}

/// A factor, and perhaps a summand, per channel.
pub(super) fn affine(b: &mut Builder, x: Value, weights: &[Value]) -> Result<Value> {
    match *weights {
        [weight, bias] => {
            let x = multiply_channels(b, x, weight)?;
            add_channels(b, x, bias)
        }
        [weight] => multiply_channels(b, x, weight),
        _ => Ok(x),
    }
}

/// Each channel over the batch; in evaluation by the running statistics.
pub(super) fn batch_norm(
    b: &mut Builder,
    layer: &Layer,
    [eps, momentum]: [f64; 2],
    x: Value,
    weights: &[Value],
    surroundings: &mut Surroundings,
) -> Result<Value> {
    let missing = |b: &Builder, what: &str| Error::Pass {
        pass: "lower",
        message: format!("`{}` {what}", layer.name),
        location: b.location.clone(),
    };
    let &[mean_id, variance_id] = layer.buffers.as_slice() else {
        return Err(missing(b, "lacks running statistics"));
    };
    let running = surroundings
        .buffer(mean_id)
        .zip(surroundings.buffer(variance_id));
    let Some((running_mean, running_variance)) = running else {
        return Err(missing(b, "lacks running statistics"));
    };
    let dims = others(b, x, channel_dim(b, x));
    let (centered, variance) = match surroundings.mode {
        Mode::Evaluation => {
            let repeated = spread(b, running_mean, x)?;
            (b.subtract(x, repeated)?, running_variance)
        }
        Mode::Training => {
            let count = size(b, x, &dims);
            if count < 2 {
                return Err(missing(
                    b,
                    "has one value per channel in this batch, and one value has no variance; \
                     choose another batch",
                ));
            }
            let (average, centered) = centered(b, x, &dims)?;
            let variance = variance(b, centered, &dims)?;
            let unbiased = b.splat_like(count as f64 / (count - 1) as f64, variance)?;
            let unbiased = b.multiply(variance, unbiased)?;
            let average = moved(b, running_mean, average, momentum)?;
            surroundings.update(mean_id, average);
            let unbiased = moved(b, running_variance, unbiased, momentum)?;
            surroundings.update(variance_id, unbiased);
            (centered, variance)
        }
    };
    let mut scale = inverse_deviation(b, variance, eps)?;
    if let Some(&weight) = weights.first() {
        scale = b.multiply(scale, weight)?;
    }
    let y = multiply_channels(b, centered, scale)?;
    match weights.get(1) {
        Some(&bias) => add_channels(b, y, bias),
        None => Ok(y),
    }
}

/// (1 - momentum) running + momentum batch.
fn moved(b: &mut Builder, running: Value, batch: Value, momentum: f64) -> Result<Value> {
    let stays = b.splat_like(1.0 - momentum, running)?;
    let stays = b.multiply(running, stays)?;
    let comes = b.splat_like(momentum, batch)?;
    let comes = b.multiply(batch, comes)?;
    b.add(stays, comes)
}
