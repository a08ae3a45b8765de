//! Rewrites of sums, products and quotients.

use super::driver::{Matcher, Rewrite};
use crate::stablehlo::{BinaryOp, Instruction, Op, Result, UnaryOp, Value};

pub(super) const REWRITES: &[Rewrite] = &[
    Rewrite {
        name: "add-zero",
        apply: &add_zero,
    },
    Rewrite {
        name: "multiply-one",
        apply: &multiply_one,
    },
    Rewrite {
        name: "negate-negate",
        apply: &negate_negate,
    },
    Rewrite {
        name: "negate-of-repeated-scalar",
        apply: &negate_of_repeated_scalar,
    },
    Rewrite {
        name: "divide-repeated-scalar-first",
        apply: &divide_repeated_scalar_first,
    },
    Rewrite {
        name: "multiply-by-quotient",
        apply: &multiply_by_quotient,
    },
    Rewrite {
        name: "factor-out-scale",
        apply: &factor_out_scale,
    },
    Rewrite {
        name: "multiply-by-reciprocal",
        apply: &multiply_by_reciprocal,
    },
];

fn is_op(instruction: &Instruction, op: BinaryOp) -> bool {
    instruction.op == Op::Binary(op)
}

/// Both orders of the two operands.
fn orders(instruction: &Instruction) -> [[Value; 2]; 2] {
    let (a, b) = (instruction.operands[0], instruction.operands[1]);
    [[a, b], [b, a]]
}

/// Pattern: x + 0 -> x [if the 0 is an integer, or -0.0]
///
/// For floats only -0.0 is neutral: -0.0 + 0.0 is 0.0.
fn add_zero(m: &mut Matcher, instruction: &Instruction) -> Result<Option<Value>> {
    if !is_op(instruction, BinaryOp::Add) {
        return Ok(None);
    }
    let float = m.builder.ty(instruction.operands[0]).element.is_float();
    for [x, zero] in orders(instruction) {
        if let Some(value) = m.splat(zero)
            && value == 0.0
            && (!float || value.is_sign_negative())
        {
            return Ok(Some(x));
        }
    }
    Ok(None)
}

/// Pattern: x * 1 -> x
fn multiply_one(m: &mut Matcher, instruction: &Instruction) -> Result<Option<Value>> {
    if !is_op(instruction, BinaryOp::Multiply) {
        return Ok(None);
    }
    for [x, one] in orders(instruction) {
        if m.splat(one) == Some(1.0) {
            return Ok(Some(x));
        }
    }
    Ok(None)
}

fn is_negate(op: &Op) -> bool {
    *op == Op::Unary(UnaryOp::Negate)
}

/// Pattern: -(-x) -> x
fn negate_negate(m: &mut Matcher, instruction: &Instruction) -> Result<Option<Value>> {
    if !is_negate(&instruction.op) {
        return Ok(None);
    }
    let inner = m.operands_if(instruction.operands[0], is_negate);
    Ok(inner.map(|operands| operands[0]))
}

/// Pattern: -broadcast(s) -> broadcast(-s) [if s is a scalar]
fn negate_of_repeated_scalar(m: &mut Matcher, instruction: &Instruction) -> Result<Option<Value>> {
    if !is_negate(&instruction.op) {
        return Ok(None);
    }
    let x = instruction.operands[0];
    let Some(scalar) = m.repeated_scalar(x) else {
        return Ok(None);
    };
    let shape = m.builder.shape(x);
    let negated = m.builder.negate(scalar)?;
    Ok(Some(m.builder.broadcast(negated, &[], &shape)?))
}

fn is_divide(op: &Op) -> bool {
    *op == Op::Binary(BinaryOp::Divide)
}

/// Whether it multiplies floating-point numbers: a quotient of integers has
/// lost its remainder before the product could use it.
fn is_real_product(m: &Matcher, instruction: &Instruction) -> bool {
    is_op(instruction, BinaryOp::Multiply)
        && m.builder.ty(instruction.operands[0]).element.is_float()
}

/// Pattern: broadcast(broadcast(s) / y) * x -> (x / broadcast(y)) * broadcast(s) [if s is a scalar and x floating-point]
///
/// The backward pass of log(sum(e^z)) gives the left side; the right side
/// holds the softmax.
fn divide_repeated_scalar_first(
    m: &mut Matcher,
    instruction: &Instruction,
) -> Result<Option<Value>> {
    if !is_real_product(m, instruction) {
        return Ok(None);
    }
    for [spread, x] in orders(instruction) {
        let Some(outer) = m.definition(spread) else {
            continue;
        };
        let Op::BroadcastInDim { dims, shape } = &outer.op else {
            continue;
        };
        let Some(quotient) = m.operands_if(outer.operands[0], is_divide) else {
            continue;
        };
        let Some(scalar) = m.repeated_scalar(quotient[0]) else {
            continue;
        };
        let divisor = m.builder.broadcast(quotient[1], dims, shape)?;
        let ratio = m.builder.divide(x, divisor)?;
        let scale = m.builder.broadcast(scalar, &[], shape)?;
        return Ok(Some(m.builder.multiply(ratio, scale)?));
    }
    Ok(None)
}

/// Pattern: (1 / y) * x -> x / y [if x is floating-point]
fn multiply_by_quotient(m: &mut Matcher, instruction: &Instruction) -> Result<Option<Value>> {
    if !is_real_product(m, instruction) {
        return Ok(None);
    }
    for [quotient, x] in orders(instruction) {
        let Some(parts) = m.operands_if(quotient, is_divide) else {
            continue;
        };
        if m.splat(parts[0]) == Some(1.0) {
            return Ok(Some(m.builder.divide(x, parts[1])?));
        }
    }
    Ok(None)
}

/// Pattern: x * broadcast(s) + select(p, broadcast(-s), 0) -> (x - select(p, 1, 0)) * broadcast(s) [if s is a scalar]
///
/// The loss head becomes (softmax - one_hot) times the scale.
fn factor_out_scale(m: &mut Matcher, instruction: &Instruction) -> Result<Option<Value>> {
    if !is_op(instruction, BinaryOp::Add) {
        return Ok(None);
    }
    for [product, choice] in orders(instruction) {
        let Some(factors) = m.operands_if(product, |op| *op == Op::Binary(BinaryOp::Multiply))
        else {
            continue;
        };
        let Some(choice) = m.operands_if(choice, |op| *op == Op::Select) else {
            continue;
        };
        let (Some(scale), Some(negated)) =
            (m.repeated_scalar(factors[1]), m.repeated_scalar(choice[1]))
        else {
            continue;
        };
        let inner = m.operands_if(negated, is_negate);
        if inner.map(|o| o[0]) != Some(scale) || m.splat(choice[2]) != Some(0.0) {
            continue;
        }
        let x = factors[0];
        let one = m.builder.splat_like(1.0, x)?;
        let indicator = m.builder.select(choice[0], one, choice[2])?;
        let difference = m.builder.subtract(x, indicator)?;
        return Ok(Some(m.builder.multiply(difference, factors[1])?));
    }
    Ok(None)
}

/// Pattern: x * broadcast(1 / n) -> x / broadcast(n) [if n is a scalar and x floating-point]
fn multiply_by_reciprocal(m: &mut Matcher, instruction: &Instruction) -> Result<Option<Value>> {
    if !is_real_product(m, instruction) {
        return Ok(None);
    }
    for [x, spread] in orders(instruction) {
        let Some(scalar) = m.repeated_scalar(spread) else {
            continue;
        };
        let Some(parts) = m.operands_if(scalar, is_divide) else {
            continue;
        };
        if m.splat(parts[0]) != Some(1.0) {
            continue;
        }
        let shape = m.builder.shape(x);
        let divisor = m.builder.broadcast(parts[1], &[], &shape)?;
        return Ok(Some(m.builder.divide(x, divisor)?));
    }
    Ok(None)
}
