//! Layers and losses made of several operations.

use cnnc::stablehlo::{
    Builder, Direction, ElementType, Literal, Op, Reducer, Result, Scalar, TensorType, UnaryOp,
    Value, Window,
};

/// Dimensions of NCHW that batch norm takes the mean over.
const BATCH_AND_SPACE: [usize; 3] = [0, 2, 3];

/// The mean over dimensions.
pub(super) fn mean(b: &mut Builder, x: Value, dims: &[usize]) -> Result<Value> {
    let shape = b.shape(x);
    let count: i64 = dims.iter().map(|&d| shape[d]).product();
    let sum = b.sum(x, dims)?;
    let count = b.splat_like(count as f64, sum)?;
    b.divide(sum, count)
}

/// Sums of windows over the number of cells in them; padding counts as 0, and
/// as a cell where `counted`.
pub(super) fn avg_pool(b: &mut Builder, x: Value, window: Window, counted: bool) -> Result<Value> {
    let sums = b.reduce_window(Reducer::Add, x, window.clone())?;
    let divisor = if counted {
        let cells: i64 = window.size.iter().product();
        b.splat_like(cells as f64, sums)?
    } else {
        let ones = b.splat_like(1.0, x)?;
        b.reduce_window(Reducer::Add, ones, window)?
    };
    b.divide(sums, divisor)
}

/// min(max(x, 0), 6)
pub(super) fn relu6(b: &mut Builder, x: Value) -> Result<Value> {
    let (zero, six) = (b.splat_like(0.0, x)?, b.splat_like(6.0, x)?);
    let positive = b.maximum(x, zero)?;
    b.minimum(positive, six)
}

/// x / (1 + e^-x)
pub(super) fn swish(b: &mut Builder, x: Value) -> Result<Value> {
    let gate = b.push(Op::Unary(UnaryOp::Logistic), &[x])?;
    b.multiply(x, gate)
}

/// x / 2 (1 + tanh(c (x + 0.044715 x^3))) for c^2 = 2 / pi
pub(super) fn gelu_tanh(b: &mut Builder, x: Value) -> Result<Value> {
    let square = b.multiply(x, x)?;
    let cube = b.multiply(square, x)?;
    let inner = scaled(b, 0.044715, cube)?;
    let inner = b.add(x, inner)?;
    let inner = scaled(b, std::f64::consts::FRAC_2_PI.sqrt(), inner)?;
    let tanh = b.push(Op::Unary(UnaryOp::Tanh), &[inner])?;
    let one = b.splat_like(1.0, x)?;
    let gate = b.add(one, tanh)?;
    let half = scaled(b, 0.5, x)?;
    b.multiply(half, gate)
}

/// Batch norm in training mode, of NCHW, gamma [C] and beta [C]: the biased
/// variance, in two passes.
pub(super) fn batch_norm(b: &mut Builder, x: &[Value], eps: f64) -> Result<Value> {
    let mean = mean(b, x[0], &BATCH_AND_SPACE)?;
    let variance = variance(b, x[0], mean, |count| count)?;
    normalised(b, [x[0], x[1], x[2], mean, variance], eps)
}

/// Batch norm by a given mean and variance.
pub(super) fn batch_norm_fixed(b: &mut Builder, x: &[Value], eps: f64) -> Result<Value> {
    normalised(b, [x[0], x[1], x[2], x[3], x[4]], eps)
}

/// The next running means and variances, joined.
pub(super) fn running_statistics(b: &mut Builder, x: &[Value], momentum: f64) -> Result<Value> {
    let mean = mean(b, x[0], &BATCH_AND_SPACE)?;
    let unbiased = variance(b, x[0], mean, |count| count - 1.0)?;
    let own = b.concatenate(&[mean, unbiased], 0)?;
    let running = b.concatenate(&[x[1], x[2]], 0)?;
    let step = b.subtract(own, running)?;
    let step = scaled(b, momentum, step)?;
    b.add(running, step)
}

/// The squared distances from the mean, summed over a channel and divided.
fn variance(
    b: &mut Builder,
    x: Value,
    mean: Value,
    divisor: impl FnOnce(f64) -> f64,
) -> Result<Value> {
    let shape = b.shape(x);
    let mean = b.broadcast(mean, &[1], &shape)?;
    let centred = b.subtract(x, mean)?;
    let square = b.multiply(centred, centred)?;
    let sum = b.sum(square, &BATCH_AND_SPACE)?;
    let count: i64 = BATCH_AND_SPACE.iter().map(|&d| shape[d]).product();
    let divisor = b.splat_like(divisor(count as f64), sum)?;
    b.divide(sum, divisor)
}

/// (x - mean) / (variance + eps)^(1/2) gamma + beta
fn normalised(
    b: &mut Builder,
    [x, gamma, beta, mean, variance]: [Value; 5],
    eps: f64,
) -> Result<Value> {
    let shape = b.shape(x);
    let eps = b.splat_like(eps, variance)?;
    let variance = b.add(variance, eps)?;
    let scale = b.push(Op::Unary(UnaryOp::Rsqrt), &[variance])?;
    let [gamma, beta, mean, scale] = {
        let mut spread = |v| b.broadcast(v, &[1], &shape);
        [spread(gamma)?, spread(beta)?, spread(mean)?, spread(scale)?]
    };
    let centred = b.subtract(x, mean)?;
    let unit = b.multiply(centred, scale)?;
    let y = b.multiply(unit, gamma)?;
    b.add(y, beta)
}

/// Mean over the rows of log(sum of e^z) - z[label].
pub(super) fn softmax_cross_entropy(
    b: &mut Builder,
    labels: &[i64],
    logits: Value,
) -> Result<Value> {
    let (shifted, log_sum) = shifted(b, logits)?;
    let is_label = is_label(b, labels, shifted)?;
    let zero = b.splat_like(0.0, shifted)?;
    let chosen = b.select(is_label, shifted, zero)?;
    let chosen = b.sum(chosen, &[1])?;
    let losses = b.subtract(log_sum, chosen)?;
    mean(b, losses, &[0])
}

/// The same for targets that give the label 1 - s + s / K, the other classes
/// s / K.
pub(super) fn smoothed(
    b: &mut Builder,
    labels: &[i64],
    smoothing: f64,
    logits: Value,
) -> Result<Value> {
    let (shifted, log_sum) = shifted(b, logits)?;
    let shape = b.shape(logits);
    let log_sum = b.broadcast(log_sum, &[0], &shape)?;
    let terms = b.subtract(log_sum, shifted)?;
    let is_label = is_label(b, labels, shifted)?;
    let share = smoothing / shape[1] as f64;
    let on = b.splat_like(1.0 - smoothing + share, terms)?;
    let off = b.splat_like(share, terms)?;
    let target = b.select(is_label, on, off)?;
    let terms = b.multiply(target, terms)?;
    let losses = b.sum(terms, &[1])?;
    mean(b, losses, &[0])
}

/// Logits less the largest of their row, and log of the sum of e^ of these.
fn shifted(b: &mut Builder, logits: Value) -> Result<(Value, Value)> {
    let shape = b.shape(logits);
    let largest = b.reduce(Reducer::Max, logits, &[1])?;
    let largest = b.stop_gradient(largest);
    let largest = b.broadcast(largest, &[0], &shape)?;
    let shifted = b.subtract(logits, largest)?;
    let exponentials = b.exponential(shifted)?;
    let sum = b.sum(exponentials, &[1])?;
    Ok((shifted, b.log(sum)?))
}

/// Where the column is the row's label.
fn is_label(b: &mut Builder, labels: &[i64], logits: Value) -> Result<Value> {
    let shape = b.shape(logits);
    let label = b.push(
        Op::Constant(Literal {
            ty: TensorType::new([labels.len() as i64], ElementType::I32),
            values: labels.iter().map(|&l| Scalar::Int(l)).collect(),
        }),
        &[],
    )?;
    let label = b.broadcast(label, &[0], &shape)?;
    let column = b.iota(1, TensorType::new(shape, ElementType::I32))?;
    b.compare(Direction::Eq, column, label)
}

fn scaled(b: &mut Builder, factor: f64, x: Value) -> Result<Value> {
    let factor = b.splat_like(factor, x)?;
    b.multiply(factor, x)
}
