//! What the dimensions of a value mean.

use super::Refusal;
pub(super) use crate::network::graph::channel_axis;

/// `[channels, height, width]`
pub(super) fn image(op: &str, shape: &[i64]) -> Result<[i64; 3], Box<Refusal>> {
    match shape {
        &[channels, height, width] => Ok([channels, height, width]),
        _ => Err(Refusal::rank(
            op,
            4,
            shape,
            "f32[N, channels, height, width]",
        )),
    }
}

/// `[tokens, channels]`
pub(super) fn tokens(op: &str, shape: &[i64]) -> Result<[i64; 2], Box<Refusal>> {
    match shape {
        &[tokens, channels] => Ok([tokens, channels]),
        _ => {
            let refusal = Refusal::rank(op, 3, shape, "f32[N, tokens, channels]");
            Err(match shape.len() {
                3 => refusal.hint("put `|> tokens` before it: each pixel becomes a token".into()),
                _ => refusal,
            })
        }
    }
}

/// The number of channels.
pub(super) fn channels(shape: &[i64]) -> i64 {
    shape.get(channel_axis(shape)).copied().unwrap_or(1)
}

/// The only input of an op.
pub(super) fn only<'a>(inputs: &[&'a [i64]]) -> &'a [i64] {
    inputs.first().copied().unwrap_or(&[])
}
