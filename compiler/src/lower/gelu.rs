//! `gelu`: x times the probability that a normal variable is below x.

use super::activation::by_sign;
use crate::stablehlo::{Builder, Result, Value};

/// P(x) = 1 - Q(x) above 0 and Q(-x) else, where Q is the upper tail:
/// Q(a) = e^(-a^2 / 2) t (c0 + c1 t + ... + c8 t^8) with t = 1 / (1 + 11 a / 32),
/// to a relative error of 2.3e-8 for all a from 0 to 14, where f32 underflows
/// (`bench/fit_normal_tail.py`). Nothing cancels: a small P is computed as one.
pub(super) fn gelu(b: &mut Builder, x: Value) -> Result<Value> {
    let sign = by_sign(b, x, 1.0, -1.0)?;
    let base = by_sign(b, x, 1.0, 0.0)?;
    let size = b.multiply(x, sign)?;
    let tail = upper_tail(b, size)?;
    let signed = b.multiply(tail, sign)?;
    let below = b.subtract(base, signed)?;
    b.multiply(x, below)
}

const SLOPE: f64 = 11.0 / 32.0;
const TAIL: [f64; 9] = [
    0.137_119_665_741_920_47,
    0.137_542_277_574_539_18,
    0.116_740_420_460_700_99,
    0.112_658_143_043_518_07,
    -0.039_307_560_771_703_72,
    0.190_921_559_929_847_72,
    -0.271_714_508_533_477_8,
    0.143_849_387_764_930_73,
    -0.027_809_379_622_340_2,
];

fn upper_tail(b: &mut Builder, a: Value) -> Result<Value> {
    let one = b.splat_like(1.0, a)?;
    let slope = b.splat_like(SLOPE, a)?;
    let scaled = b.multiply(a, slope)?;
    let below = b.add(scaled, one)?;
    let t = b.divide(one, below)?;
    let mut sum = b.splat_like(TAIL[TAIL.len() - 1], a)?;
    for &coefficient in TAIL.iter().rev().skip(1) {
        let coefficient = b.splat_like(coefficient, a)?;
        sum = b.multiply(sum, t)?;
        sum = b.add(sum, coefficient)?;
    }
    let sum = b.multiply(sum, t)?;
    let square = b.multiply(a, a)?;
    let minus_half = b.splat_like(-0.5, a)?;
    let exponent = b.multiply(square, minus_half)?;
    let density = b.exponential(exponent)?;
    b.multiply(density, sum)
}

/// Beyond these the share is 0 or 1 in f32.
const REACH: f64 = 12.0;

/// P(x) = (1 + tanh(u)) / 2 = logistic(2 u), which does not cancel, for
/// u = sqrt(2 / pi) (x + 0.044715 x^3). The cube of a large x would overflow.
pub(super) fn gelu_tanh(b: &mut Builder, x: Value) -> Result<Value> {
    let (low, high) = (b.splat_like(-REACH, x)?, b.splat_like(REACH, x)?);
    let near = b.maximum(x, low)?;
    let near = b.minimum(near, high)?;
    let factor = 2.0 * (2.0 / std::f64::consts::PI).sqrt();
    let square = b.multiply(near, near)?;
    let cubic = b.splat_like(0.044715 * factor, x)?;
    let cubic = b.multiply(square, cubic)?;
    let linear = b.splat_like(factor, x)?;
    let slope = b.add(cubic, linear)?;
    let argument = b.multiply(near, slope)?;
    let share = b.logistic(argument)?;
    b.multiply(x, share)
}
