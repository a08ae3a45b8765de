//! Rules of element-wise operations. Below, y' is the cotangent of the result.

use super::{Cotangents, Rule};
use crate::stablehlo::{BinaryOp, Builder, Direction, Result, UnaryOp, Value};

pub(super) fn unary(rule: &mut Rule<'_>, op: UnaryOp, ct: Value) -> Result<Cotangents> {
    let x = rule.operand(0);
    let y = rule.instruction.result;
    let b = &mut *rule.builder;
    let dx = match op {
        // y = -x: x' = -y'
        UnaryOp::Negate => b.negate(ct)?,
        // y = e^x: x' = y' y
        UnaryOp::Exponential => b.multiply(ct, y)?,
        // y = ln x: x' = y' / x
        UnaryOp::Log => b.divide(ct, x)?,
        // y = x^(1/2): x' = y' / (2 y)
        UnaryOp::Sqrt => {
            let twice = b.add(y, y)?;
            b.divide(ct, twice)?
        }
        // y = x^(-1/2): x' = -y' y^3 / 2. In y alone, so that it holds over a
        // field in which y stands for the root without being one.
        UnaryOp::Rsqrt => {
            let square = b.multiply(y, y)?;
            let cube = b.multiply(square, y)?;
            let half = b.splat_like(-0.5, y)?;
            let slope = b.multiply(cube, half)?;
            b.multiply(ct, slope)?
        }
        // y = tanh x: x' = y' (1 - y^2)
        UnaryOp::Tanh => {
            let one = b.splat_like(1.0, y)?;
            let square = b.multiply(y, y)?;
            let slope = b.subtract(one, square)?;
            b.multiply(ct, slope)?
        }
        // y = s(x): x' = y' y (1 - y)
        UnaryOp::Logistic => {
            let one = b.splat_like(1.0, y)?;
            let rest = b.subtract(one, y)?;
            let slope = b.multiply(y, rest)?;
            b.multiply(ct, slope)?
        }
        // y = |x|: x' = y' sign x, which is 0 at 0
        UnaryOp::Abs => {
            let sign = b.sign(x)?;
            b.multiply(ct, sign)?
        }
        // y = x^(1/3): x' = y' / (3 y^2)
        UnaryOp::Cbrt => {
            let square = b.multiply(y, y)?;
            let three = b.splat_like(3.0, y)?;
            let slope = b.multiply(three, square)?;
            b.divide(ct, slope)?
        }
        // y = cos x: x' = -y' sin x
        UnaryOp::Cosine => {
            let sine = b.sine(x)?;
            let product = b.multiply(ct, sine)?;
            b.negate(product)?
        }
        // y = sin x: x' = y' cos x
        UnaryOp::Sine => {
            let cosine = b.cosine(x)?;
            b.multiply(ct, cosine)?
        }
        // y = tan x: x' = y' (1 + y^2)
        UnaryOp::Tan => {
            let one = b.splat_like(1.0, y)?;
            let square = b.multiply(y, y)?;
            let slope = b.add(one, square)?;
            b.multiply(ct, slope)?
        }
        // y = e^x - 1: x' = y' (y + 1)
        UnaryOp::ExponentialMinusOne => {
            let one = b.splat_like(1.0, y)?;
            let slope = b.add(y, one)?;
            b.multiply(ct, slope)?
        }
        // y = ln (1 + x): x' = y' / (1 + x)
        UnaryOp::LogPlusOne => {
            let one = b.splat_like(1.0, x)?;
            let shifted = b.add(x, one)?;
            b.divide(ct, shifted)?
        }
        // No derivative flows through these.
        UnaryOp::Ceil
        | UnaryOp::CountLeadingZeros
        | UnaryOp::Floor
        | UnaryOp::IsFinite
        | UnaryOp::Not
        | UnaryOp::Popcnt
        | UnaryOp::RoundNearestAfz
        | UnaryOp::RoundNearestEven
        | UnaryOp::Sign => return Ok(vec![None]),
    };
    Ok(vec![Some(dx)])
}

pub(super) fn binary(rule: &mut Rule<'_>, op: BinaryOp, ct: Value) -> Result<Cotangents> {
    let (x, y) = (rule.operand(0), rule.operand(1));
    let needed = [rule.needed[0], rule.needed[1]];
    let b = &mut *rule.builder;
    match op {
        BinaryOp::Add => Ok(vec![Some(ct), Some(ct)]),
        BinaryOp::Subtract => {
            let dy = if needed[1] { Some(b.negate(ct)?) } else { None };
            Ok(vec![Some(ct), dy])
        }
        BinaryOp::Multiply => {
            let dx = if needed[0] {
                Some(b.multiply(ct, y)?)
            } else {
                None
            };
            let dy = if needed[1] {
                Some(b.multiply(ct, x)?)
            } else {
                None
            };
            Ok(vec![dx, dy])
        }
        // z = x / y: x' = z' / y, y' = -z' z / y
        BinaryOp::Divide => {
            let dx = b.divide(ct, y)?;
            let dy = if needed[1] {
                let product = b.multiply(dx, rule.instruction.result)?;
                Some(b.negate(product)?)
            } else {
                None
            };
            Ok(vec![Some(dx), dy])
        }
        BinaryOp::Maximum => extremum(rule, Direction::Gt, ct),
        BinaryOp::Minimum => extremum(rule, Direction::Lt, ct),
        BinaryOp::Power => power(rule, ct),
        BinaryOp::Atan2 => atan2(rule, ct),
        BinaryOp::Remainder => remainder(rule, ct),
        BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRightArithmetic
        | BinaryOp::ShiftRightLogical => Err(rule.refuse("")),
    }
}

/// z = x^y: x' = z' y x^(y - 1), y' = z' z ln x.
///
/// As in JAX, an exponent of 0 has the slope 0 in x even at x = 0, and a base
/// of 0 the slope 0 in y. A constant exponent is worked out here.
fn power(rule: &mut Rule<'_>, ct: Value) -> Result<Cotangents> {
    let (x, y) = (rule.operand(0), rule.operand(1));
    let exponent = rule.splat_of(y);
    let needed = [rule.needed[0], rule.needed[1]];
    let z = rule.instruction.result;
    let b = &mut *rule.builder;
    let mut cotangents = vec![None, None];
    if needed[0] {
        cotangents[0] = match exponent {
            Some(0.0) => None,
            Some(1.0) => Some(ct),
            Some(2.0) => {
                let twice = b.add(x, x)?;
                Some(b.multiply(ct, twice)?)
            }
            Some(exponent) => {
                let less = b.splat_like(exponent - 1.0, y)?;
                Some(power_slope(b, x, y, less, ct)?)
            }
            None => {
                let (zero, one) = (b.splat_like(0.0, y)?, b.splat_like(1.0, y)?);
                let none = b.compare(Direction::Eq, y, zero)?;
                let less = b.subtract(y, one)?;
                let less = b.select(none, one, less)?;
                Some(power_slope(b, x, y, less, ct)?)
            }
        };
    }
    if needed[1] {
        let (zero, one) = (b.splat_like(0.0, x)?, b.splat_like(1.0, x)?);
        let none = b.compare(Direction::Eq, x, zero)?;
        let base = b.select(none, one, x)?;
        let log = b.log(base)?;
        let slope = b.multiply(log, z)?;
        cotangents[1] = Some(b.multiply(ct, slope)?);
    }
    Ok(cotangents)
}

/// z' y x^less
fn power_slope(b: &mut Builder, x: Value, y: Value, less: Value, ct: Value) -> Result<Value> {
    let power = b.power(x, less)?;
    let slope = b.multiply(y, power)?;
    b.multiply(ct, slope)
}

/// z = the angle of the point (x, y): y' = z' x / (x^2 + y^2),
/// x' = -z' y / (x^2 + y^2).
fn atan2(rule: &mut Rule<'_>, ct: Value) -> Result<Cotangents> {
    let (y, x) = (rule.operand(0), rule.operand(1));
    let b = &mut *rule.builder;
    let (xx, yy) = (b.multiply(x, x)?, b.multiply(y, y)?);
    let square = b.add(xx, yy)?;
    let turn = b.divide(ct, square)?;
    let dy = b.multiply(turn, x)?;
    let dx = b.multiply(turn, y)?;
    Ok(vec![Some(dy), Some(b.negate(dx)?)])
}

/// z = x - y q, where q is x / y rounded towards zero: x' = z', y' = -z' q.
fn remainder(rule: &mut Rule<'_>, ct: Value) -> Result<Cotangents> {
    let (x, y) = (rule.operand(0), rule.operand(1));
    if !rule.needed[1] {
        return Ok(vec![Some(ct), None]);
    }
    let b = &mut *rule.builder;
    let quotient = b.divide(x, y)?;
    let sign = b.sign(quotient)?;
    let size = b.abs(quotient)?;
    let whole = b.floor(size)?;
    let times = b.multiply(sign, whole)?;
    let product = b.multiply(ct, times)?;
    Ok(vec![Some(ct), Some(b.negate(product)?)])
}

/// The value takes the cotangent strictly between the bounds, a bound where it
/// replaces the value; at the bound itself nothing does, as in JAX.
pub(super) fn clamp(rule: &mut Rule<'_>, ct: Value) -> Result<Cotangents> {
    let [min, x, max] = [0, 1, 2].map(|i| rule.operand(i));
    let scalar = [min, max].map(|bound| rule.shape(bound).is_empty());
    let shape = rule.shape(x);
    let needed = rule.needed.to_vec();
    let b = &mut *rule.builder;
    let all: Vec<usize> = (0..shape.len()).collect();
    let mut wide = |bound: Value| b.broadcast_to(bound, &shape);
    let (low, high) = (wide(min)?, wide(max)?);
    let zero = b.splat_like(0.0, ct)?;
    let mut cotangents = vec![None; 3];
    if needed[1] {
        let above = b.compare(Direction::Gt, x, low)?;
        let below = b.compare(Direction::Lt, x, high)?;
        let inside = b.and(above, below)?;
        cotangents[1] = Some(b.select(inside, ct, zero)?);
    }
    if needed[0] {
        let below = b.compare(Direction::Lt, x, low)?;
        let ordered = b.compare(Direction::Lt, low, high)?;
        let replaced = b.and(below, ordered)?;
        let dmin = b.select(replaced, ct, zero)?;
        cotangents[0] = Some(if scalar[0] { b.sum(dmin, &all)? } else { dmin });
    }
    if needed[2] {
        let raised = b.maximum(x, low)?;
        let replaced = b.compare(Direction::Gt, raised, high)?;
        let dmax = b.select(replaced, ct, zero)?;
        cotangents[2] = Some(if scalar[1] { b.sum(dmax, &all)? } else { dmax });
    }
    Ok(cotangents)
}

/// Maximum (`wins` = GT) and minimum (LT).
///
/// Against a constant c, as in relu = max(x, 0), the derivative is 1 where x
/// wins strictly, else 0. Otherwise the winner takes the cotangent and equal
/// operands take half each.
fn extremum(rule: &mut Rule<'_>, wins: Direction, ct: Value) -> Result<Cotangents> {
    let operands = [rule.operand(0), rule.operand(1)];
    let constant = operands.map(|v| rule.splat_of(v).is_some());
    let mut cotangents = vec![None, None];
    for i in 0..2 {
        if !rule.needed[i] {
            continue;
        }
        let (own, other) = (operands[i], operands[1 - i]);
        let b = &mut *rule.builder;
        let zero = b.splat_like(0.0, ct)?;
        let otherwise = if constant[1 - i] {
            zero
        } else {
            let half = b.splat_like(0.5, ct)?;
            let half = b.multiply(ct, half)?;
            let tie = b.compare(Direction::Eq, own, other)?;
            b.select(tie, half, zero)?
        };
        let mask = b.compare(wins, own, other)?;
        cotangents[i] = Some(b.select(mask, ct, otherwise)?);
    }
    Ok(cotangents)
}

pub(super) fn select(rule: &mut Rule<'_>, ct: Value) -> Result<Cotangents> {
    let predicate = rule.operand(0);
    let b = &mut *rule.builder;
    let zero = b.splat_like(0.0, ct)?;
    let on_true = b.select(predicate, ct, zero)?;
    let on_false = if rule.needed[2] {
        Some(b.select(predicate, zero, ct)?)
    } else {
        None
    };
    Ok(vec![None, Some(on_true), on_false])
}

pub(super) fn convert(rule: &mut Rule<'_>, ct: Value) -> Result<Cotangents> {
    let element = rule.function.ty(rule.operand(0)).element;
    Ok(vec![Some(rule.builder.convert(ct, element)?)])
}
