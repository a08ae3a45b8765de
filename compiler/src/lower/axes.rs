//! Which dimension of a value is which. The batch is dimension 0.

use crate::stablehlo::{Builder, Result, Value};

/// The dimension of the channels: the last one of tokens [N, T, C], else
/// dimension 1, as of [N, C, H, W] and [N, C].
pub(super) fn channel_dim(b: &Builder, x: Value) -> usize {
    match b.ty(x).rank() {
        3 => 2,
        _ => 1,
    }
}

/// All dimensions but `kept`.
pub(super) fn others(b: &Builder, x: Value, kept: usize) -> Vec<usize> {
    (0..b.ty(x).rank()).filter(|&dim| dim != kept).collect()
}

/// One value per channel, repeated to the shape of `like`.
pub(super) fn spread(b: &mut Builder, channels: Value, like: Value) -> Result<Value> {
    let (dim, shape) = (channel_dim(b, like), b.shape(like));
    b.broadcast(channels, &[dim], &shape)
}

/// `x` plus one value per channel.
pub(super) fn add_channels(b: &mut Builder, x: Value, channels: Value) -> Result<Value> {
    let channels = spread(b, channels, x)?;
    b.add(x, channels)
}

/// `x` times one value per channel.
pub(super) fn multiply_channels(b: &mut Builder, x: Value, channels: Value) -> Result<Value> {
    let channels = spread(b, channels, x)?;
    b.multiply(x, channels)
}

/// The mean over `dims`, which vanish.
pub(super) fn mean(b: &mut Builder, x: Value, dims: &[usize]) -> Result<Value> {
    let count = size(b, x, dims);
    let sum = b.sum(x, dims)?;
    let count = b.splat_like(count as f64, sum)?;
    b.divide(sum, count)
}

/// Number of elements along `dims`.
pub(super) fn size(b: &Builder, x: Value, dims: &[usize]) -> i64 {
    let shape = &b.ty(x).shape;
    dims.iter().filter_map(|&dim| shape.get(dim)).product()
}
