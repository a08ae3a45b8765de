//! Rules of element-wise operations. Below, y' is the cotangent of the result.

use super::{Cotangents, Rule};
use crate::stablehlo::{BinaryOp, Direction, Result, UnaryOp, Value};

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
        UnaryOp::Abs | UnaryOp::Cosine | UnaryOp::Not => return Err(rule.refuse("")),
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
        _ => Err(rule.refuse("")),
    }
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
