//! Sums that follow from sums already there.
//!
//! Before, in the backward pass of batch norm, where `%d` are deviations from
//! the mean, `%u` and `%v` one value per channel:
//! ```mlir
//! %sy = reduce add %dy across [0, 1, 2]
//! %dx = add (multiply %dy, broadcast %u), (multiply %d, broadcast %v)
//! %sx = reduce add %dx across [0, 1, 2]
//! ```
//! After:
//! ```mlir
//! %sx = multiply %sy, %u
//! ```
//! The sum of deviations is zero, and a factor per channel leaves the sum: one
//! reading of two feature maps less for each norm.

use crate::simplify::{Matcher, Rewrite};
use crate::stablehlo::{BinaryOp, Builder, Instruction, Module, Op, Result, UnaryOp, Value, kept};

/// Expressions that nest deeper are left alone.
const DEPTH: usize = 12;

/// Runs the pass.
///
/// # Errors
/// Only by a fault of this pass.
pub fn run(module: &Module) -> Result<Module> {
    let rewrite = Rewrite {
        name: "known-sum",
        apply: &known_sum,
    };
    super::rewrite_module(module, &[rewrite])
}

/// How a sum follows from others.
enum Sum {
    Zero,
    There(Value),
    Negated(Box<Sum>),
    Scaled(Box<Sum>, Factor),
    Total(Box<Sum>, Box<Sum>),
}

/// A factor that is the same along the summed dimensions.
enum Factor {
    /// The same everywhere.
    Constant(f64),
    /// A value whose dimensions are these of the sum.
    Along(Value, Vec<usize>),
}

/// Pattern: reduce(x, add) -> expression of other sums [if x is linear in values whose sums exist or are zero]
fn known_sum(m: &mut Matcher, i: &Instruction) -> Result<Option<Value>> {
    let Some(dims) = m.summed(i) else {
        return Ok(None);
    };
    let x = i.operands[0];
    // A quotient of integers is no mean.
    if !m.builder.ty(x).element.is_float() {
        return Ok(None);
    }
    let Some(definition) = m.definition(x) else {
        return Ok(None);
    };
    let Some(sum) = parts(m, x, &definition, dims, DEPTH) else {
        return Ok(None);
    };
    let shape = m.result_shape.clone();
    let ty = m.builder.ty(x).with_shape(shape);
    let value = match build(&mut m.builder, &sum, &ty.shape)? {
        Some(value) => value,
        None => m.builder.splat(0.0, ty)?,
    };
    Ok(Some(value))
}

/// The sum of a value over `dims`, if it is known.
fn sum_of(m: &mut Matcher, x: Value, dims: &[usize], depth: usize) -> Option<Sum> {
    if let Some(sum) = sum_there(m, x, dims) {
        return Some(Sum::There(sum));
    }
    let definition = m.definition(x)?;
    parts(m, x, &definition, dims, depth.checked_sub(1)?)
}

/// The sum of `x` by what it is made of.
fn parts(
    m: &mut Matcher,
    x: Value,
    definition: &Instruction,
    dims: &[usize],
    depth: usize,
) -> Option<Sum> {
    let operands = &definition.operands;
    match definition.op {
        Op::Unary(UnaryOp::Negate) => {
            let sum = sum_of(m, operands[0], dims, depth)?;
            Some(Sum::Negated(Box::new(sum)))
        }
        Op::Binary(BinaryOp::Subtract) if is_deviation(m, operands, dims) => Some(Sum::Zero),
        Op::Binary(BinaryOp::Add | BinaryOp::Subtract) => {
            let left = sum_of(m, operands[0], dims, depth)?;
            let right = sum_of(m, operands[1], dims, depth)?;
            let right = match definition.op {
                Op::Binary(BinaryOp::Subtract) => Sum::Negated(Box::new(right)),
                _ => right,
            };
            Some(Sum::Total(Box::new(left), Box::new(right)))
        }
        Op::Binary(BinaryOp::Multiply) => {
            let rank = m.builder.ty(x).rank();
            [(0, 1), (1, 0)].into_iter().find_map(|(scaled, factor)| {
                let factor = factor_of(m, operands[factor], dims, rank)?;
                let sum = sum_of(m, operands[scaled], dims, depth)?;
                Some(Sum::Scaled(Box::new(sum), factor))
            })
        }
        _ => None,
    }
}

/// The result of a sum of `x` over `dims` that stands before.
fn sum_there(m: &mut Matcher, x: Value, dims: &[usize]) -> Option<Value> {
    let users = m.builder.function.body.iter();
    let users = users.filter(|i| i.operands.first() == Some(&x)).cloned();
    let users: Vec<Instruction> = users.collect();
    let sum = users.into_iter().find(|i| m.summed(i) == Some(dims))?;
    Some(sum.result)
}

/// Whether this is `x - broadcast(sum(x) / count)`.
fn is_deviation(m: &mut Matcher, operands: &[Value], dims: &[usize]) -> bool {
    let x = operands[0];
    let shape = m.builder.shape(x);
    let count: i64 = dims.iter().map(|&d| shape[d]).product();
    let kept = kept(shape.len(), dims);
    let Some(broadcast) = m.definition(operands[1]) else {
        return false;
    };
    if !matches!(&broadcast.op, Op::BroadcastInDim { dims, .. } if *dims == kept) {
        return false;
    }
    let is_divide = |op: &Op| *op == Op::Binary(BinaryOp::Divide);
    let Some(quotient) = m.operands_if(broadcast.operands[0], is_divide) else {
        return false;
    };
    sum_there(m, x, dims) == Some(quotient[0]) && m.splat(quotient[1]) == Some(count as f64)
}

/// `value` as a factor of every summand of one sum.
fn factor_of(m: &mut Matcher, value: Value, dims: &[usize], rank: usize) -> Option<Factor> {
    if let Some(constant) = m.splat(value) {
        return Some(Factor::Constant(constant));
    }
    let broadcast = m.definition(value)?;
    let Op::BroadcastInDim { dims: along, .. } = &broadcast.op else {
        return None;
    };
    let kept = kept(rank, dims);
    let along = along
        .iter()
        .map(|d| kept.iter().position(|k| k == d))
        .collect::<Option<Vec<_>>>()?;
    Some(Factor::Along(broadcast.operands[0], along))
}

/// The value of a sum of this shape; `None` for zero.
fn build(b: &mut Builder, sum: &Sum, shape: &[i64]) -> Result<Option<Value>> {
    Ok(match sum {
        Sum::Zero => None,
        Sum::There(value) => Some(*value),
        Sum::Negated(sum) => {
            let Some(value) = build(b, sum, shape)? else {
                return Ok(None);
            };
            Some(b.negate(value)?)
        }
        Sum::Scaled(sum, factor) => {
            let Some(value) = build(b, sum, shape)? else {
                return Ok(None);
            };
            let factor = match factor {
                Factor::Constant(constant) => b.splat_like(*constant, value)?,
                Factor::Along(factor, dims) => b.broadcast(*factor, dims, shape)?,
            };
            Some(b.multiply(value, factor)?)
        }
        Sum::Total(left, right) => match (build(b, left, shape)?, build(b, right, shape)?) {
            (Some(left), Some(right)) => Some(b.add(left, right)?),
            (one, other) => one.or(other),
        },
    })
}
