//! Element-wise functions. Each keeps value and derivative finite wherever the
//! true ones are, for |x| up to 1e30 in f32, and passes NaN.
//!
//! Reverse mode differentiates the forms below as they stand. A choice between
//! two branches is a factor of 0 or 1, or an argument that the other branch
//! cannot overflow, since 0 times the derivative of an overflowed branch is NaN.

use super::gelu;
use crate::network::Activation;
use crate::stablehlo::{Builder, Direction, Result, Value};

/// max(x, 0).
pub(super) fn relu(b: &mut Builder, x: Value) -> Result<Value> {
    let zero = b.splat_like(0.0, x)?;
    b.maximum(x, zero)
}

/// Any other one.
pub(super) fn activation(b: &mut Builder, activation: Activation, x: Value) -> Result<Value> {
    match activation {
        Activation::Relu6 => relu6(b, x),
        Activation::LeakyRelu { slope } => leaky_relu(b, x, slope),
        Activation::Elu { alpha } => elu(b, x, alpha),
        Activation::Sigmoid => b.logistic(x),
        Activation::Tanh => b.tanh(x),
        Activation::Swish => {
            let share = b.logistic(x)?;
            b.multiply(x, share)
        }
        Activation::HardSwish => {
            let share = hard_sigmoid(b, x)?;
            b.multiply(x, share)
        }
        Activation::HardSigmoid => hard_sigmoid(b, x),
        Activation::Gelu { tanh: false } => gelu::gelu(b, x),
        Activation::Gelu { tanh: true } => gelu::gelu_tanh(b, x),
        Activation::Softplus => softplus(b, x),
    }
}

/// min(max(x, 0), 6): against a constant the derivative of either is 1 where x
/// wins strictly.
fn relu6(b: &mut Builder, x: Value) -> Result<Value> {
    let x = relu(b, x)?;
    let six = b.splat_like(6.0, x)?;
    b.minimum(x, six)
}

/// relu6(x + 3) / 6.
fn hard_sigmoid(b: &mut Builder, x: Value) -> Result<Value> {
    let three = b.splat_like(3.0, x)?;
    let shifted = b.add(x, three)?;
    let clipped = relu6(b, shifted)?;
    let six = b.splat_like(6.0, x)?;
    b.divide(clipped, six)
}

/// Whether x is above 0; not at NaN.
pub(super) fn is_positive(b: &mut Builder, x: Value) -> Result<Value> {
    let zero = b.splat_like(0.0, x)?;
    b.compare(Direction::Gt, x, zero)
}

/// One constant where x is above 0, else another.
pub(super) fn by_sign(b: &mut Builder, x: Value, above: f64, else_: f64) -> Result<Value> {
    let positive = is_positive(b, x)?;
    let (above, otherwise) = (b.splat_like(above, x)?, b.splat_like(else_, x)?);
    b.select(positive, above, otherwise)
}

/// x times 1 or the slope.
fn leaky_relu(b: &mut Builder, x: Value, slope: f64) -> Result<Value> {
    let factor = by_sign(b, x, 1.0, slope)?;
    b.multiply(x, factor)
}

/// x, or alpha (e^x - 1).
fn elu(b: &mut Builder, x: Value, alpha: f64) -> Result<Value> {
    let positive = is_positive(b, x)?;
    let zero = b.splat_like(0.0, x)?;
    let negative = b.select(positive, zero, x)?;
    let below = b.exponential_minus_one(negative)?;
    let alpha = b.splat_like(alpha, x)?;
    let below = b.multiply(below, alpha)?;
    b.select(positive, x, below)
}

/// max(x, 0) + ln(1 + e^-|x|).
fn softplus(b: &mut Builder, x: Value) -> Result<Value> {
    let sign = by_sign(b, x, -1.0, 1.0)?;
    let minus_size = b.multiply(x, sign)?;
    let small = b.exponential(minus_size)?;
    let rest = b.log_plus_one(small)?;
    let main = relu(b, x)?;
    b.add(main, rest)
}
