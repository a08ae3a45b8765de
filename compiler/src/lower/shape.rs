//! Layers that only move or copy elements.

use super::axes::channel_dim;
use crate::network::channel_axis;
use crate::stablehlo::{Builder, Result, Value};

/// [N, ...] to [N, features], in C, H, W order.
pub(super) fn flatten(b: &mut Builder, x: Value) -> Result<Value> {
    let features = b.ty(x).shape.iter().skip(1).product();
    reshape(b, x, &[features])
}

/// Another shape of each example.
pub(super) fn reshape(b: &mut Builder, x: Value, example: &[i64]) -> Result<Value> {
    let batch = b.ty(x).shape.first().copied().unwrap_or(1);
    let shape: Vec<i64> = [batch].into_iter().chain(example.iter().copied()).collect();
    b.reshape(x, &shape)
}

/// Each cell repeated along height and width.
pub(super) fn upsample(b: &mut Builder, x: Value, factor: [i64; 2]) -> Result<Value> {
    let [n, c, h, w] = image(b, x);
    let repeated = b.broadcast(x, &[0, 1, 2, 4], &[n, c, h, factor[0], w, factor[1]])?;
    b.reshape(repeated, &[n, c, h * factor[0], w * factor[1]])
}

/// The channels of one after those of the other.
pub(super) fn concat(b: &mut Builder, parts: &[Value], first: Value) -> Result<Value> {
    let dim = channel_dim(b, first);
    b.concatenate(parts, dim)
}

/// The patches of an image, row by row: [N, T, C p q].
pub(super) fn tokens(b: &mut Builder, x: Value, patch: [i64; 2]) -> Result<Value> {
    let [n, c, h, w] = image(b, x);
    let [p, q] = patch;
    let (rows, columns) = (h / p.max(1), w / q.max(1));
    let split = b.reshape(x, &[n, c, rows, p, columns, q])?;
    let moved = b.transpose(split, &[0, 2, 4, 1, 3, 5])?;
    b.reshape(moved, &[n, rows * columns, c * p * q])
}

/// A token of its own in front of those of each example.
pub(super) fn class_token(b: &mut Builder, x: Value, token: Value) -> Result<Value> {
    let mut shape = b.shape(x);
    if let Some(count) = shape.get_mut(1) {
        *count = 1;
    }
    let token = b.broadcast(token, &[2], &shape)?;
    b.concatenate(&[token, x], 1)
}

/// [N, T, C] to the [N, C] of token 0.
pub(super) fn first_token(b: &mut Builder, x: Value) -> Result<Value> {
    let mut limit = b.shape(x);
    if let Some(count) = limit.get_mut(1) {
        *count = 1;
    }
    let first = b.slice(x, &[0, 0, 0], &limit, &[1, 1, 1])?;
    limit.remove(1);
    b.reshape(first, &limit)
}

/// Plus one [T, C] for every example.
pub(super) fn position_embedding(b: &mut Builder, x: Value, weight: Value) -> Result<Value> {
    let shape = b.shape(x);
    let weight = b.broadcast(weight, &[1, 2], &shape)?;
    b.add(x, weight)
}

/// A parameter as a tensor of `shape` for every example of the batch: itself, one
/// value per channel, or a single number.
pub(super) fn parameter(
    b: &mut Builder,
    parameter: Value,
    batch: i64,
    shape: &[i64],
) -> Result<Value> {
    let dims: Vec<usize> = match b.ty(parameter).rank() {
        1 => vec![1 + channel_axis(shape)],
        rank => (1..=rank).collect(),
    };
    let full: Vec<i64> = [batch].into_iter().chain(shape.iter().copied()).collect();
    b.broadcast(parameter, &dims, &full)
}

fn image(b: &Builder, x: Value) -> [i64; 4] {
    let shape = &b.ty(x).shape;
    [0, 1, 2, 3].map(|dim| shape.get(dim).copied().unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use crate::driver;
    use crate::network::Options;
    use crate::reference::{Tensor, run};

    const NET: &str = "net a {
        input image: f32[N, 2, 1, 2];
        param scale: f32[2] = ones;
        param shift: f32[2, 1, 2] = zeros;
        param gain: f32[] = ones;
        (image * scale + shift) * gain |> flatten
    }";

    /// The results of a function on the parameters, two images, and `more`.
    fn results(function: &str, more: &[&[f64]]) -> Vec<Vec<f64>> {
        let unit = driver::read("a.net", NET, &Options::default()).unwrap();
        let module = unit.portable(2, &[function]).unwrap();
        let function = module.function(function).unwrap();
        let given: [&[f64]; 4] = [
            &[2.0, -1.0],
            &[0.5, 1.0, 1.5, 2.0],
            &[3.0],
            &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
        ];
        let values = given.iter().chain(more);
        let arguments: Vec<Tensor<f64>> = function
            .arguments
            .iter()
            .zip(values)
            .map(|(argument, values)| {
                Tensor::from_f64(function.ty(argument.value).clone(), values).unwrap()
            })
            .collect();
        let results = run(function, &arguments).unwrap();
        results.iter().map(Tensor::to_f64).collect()
    }

    /// (2 x + shift) * 3 of the first channel, (-x + shift) * 3 of the second.
    #[test]
    fn parameters_are_the_same_for_every_example() {
        let forward = results("forward", &[]);
        let by_hand = [7.5, 15.0, -4.5, -6.0, 31.5, 39.0, -16.5, -18.0];
        assert_eq!(forward, [by_hand]);
    }

    /// Sums over what each parameter was repeated over: of cotangent * 3 x for the
    /// scale, of cotangent * 3 for the shift, of cotangent * (x scale + shift) for the gain.
    #[test]
    fn their_gradients_are_sums_over_examples() {
        let cotangent = [1.0, 0.0, 2.0, 0.0, 0.0, 1.0, 0.0, -1.0];
        let gradients = results("pullback", &[&cotangent]);
        let scale = [3.0 * 1.0 + 3.0 * 6.0, 3.0 * 2.0 * 3.0 - 3.0 * 8.0];
        let shift = [3.0, 3.0, 6.0, -3.0];
        let gain = [2.5 - 2.0 * 1.5 + 13.0 + 6.0];
        assert_eq!(gradients, [&scale[..], &shift, &gain]);
    }
}
