//! Rewrites of operations that move elements.

use super::driver::{Matcher, Rewrite};
use crate::stablehlo::{Instruction, Literal, Op, Result, TensorType, Value};

pub(super) const REWRITES: &[Rewrite] = &[
    Rewrite {
        name: "broadcast-broadcast",
        apply: &broadcast_broadcast,
    },
    Rewrite {
        name: "broadcast-constant",
        apply: &broadcast_constant,
    },
    Rewrite {
        name: "broadcast-identity",
        apply: &broadcast_identity,
    },
    Rewrite {
        name: "reshape-reshape",
        apply: &reshape_reshape,
    },
    Rewrite {
        name: "reshape-constant",
        apply: &reshape_constant,
    },
    Rewrite {
        name: "transpose-transpose",
        apply: &transpose_transpose,
    },
    Rewrite {
        name: "transpose-as-reshape",
        apply: &transpose_as_reshape,
    },
    Rewrite {
        name: "reverse-reverse",
        apply: &reverse_reverse,
    },
    Rewrite {
        name: "reverse-unit",
        apply: &reverse_unit,
    },
];

/// Pattern: broadcast(broadcast(x, p), q) -> broadcast(x, q o p)
fn broadcast_broadcast(m: &mut Matcher, instruction: &Instruction) -> Result<Option<Value>> {
    let Op::BroadcastInDim { dims, shape } = &instruction.op else {
        return Ok(None);
    };
    let Some(inner) = m.definition(instruction.operands[0]) else {
        return Ok(None);
    };
    let Op::BroadcastInDim { dims: first, .. } = &inner.op else {
        return Ok(None);
    };
    let composed: Vec<usize> = first.iter().map(|&d| dims[d]).collect();
    Ok(Some(m.builder.broadcast(
        inner.operands[0],
        &composed,
        shape,
    )?))
}

fn splat_constant(m: &mut Matcher, value: Value, shape: &[i64]) -> Option<Op> {
    let instruction = m.definition(value)?;
    let Op::Constant(literal) = &instruction.op else {
        return None;
    };
    let scalar = literal.splat_value()?;
    Some(Op::Constant(Literal {
        ty: TensorType::new(shape, literal.ty.element),
        values: vec![scalar],
    }))
}

/// Pattern: broadcast(constant) -> constant [if all its elements are equal]
fn broadcast_constant(m: &mut Matcher, instruction: &Instruction) -> Result<Option<Value>> {
    let Op::BroadcastInDim { shape, .. } = &instruction.op else {
        return Ok(None);
    };
    match splat_constant(m, instruction.operands[0], shape) {
        Some(op) => Ok(Some(m.builder.push(op, &[])?)),
        None => Ok(None),
    }
}

/// Pattern: reshape(constant) -> constant [if all its elements are equal]
fn reshape_constant(m: &mut Matcher, instruction: &Instruction) -> Result<Option<Value>> {
    let Op::Reshape { shape } = &instruction.op else {
        return Ok(None);
    };
    match splat_constant(m, instruction.operands[0], shape) {
        Some(op) => Ok(Some(m.builder.push(op, &[])?)),
        None => Ok(None),
    }
}

/// Pattern: broadcast(x, identity) -> x [if the shape stays]
fn broadcast_identity(m: &mut Matcher, instruction: &Instruction) -> Result<Option<Value>> {
    let Op::BroadcastInDim { dims, shape } = &instruction.op else {
        return Ok(None);
    };
    let x = instruction.operands[0];
    let same = m.builder.ty(x).shape == *shape && dims.iter().enumerate().all(|(i, &d)| i == d);
    Ok(same.then_some(x))
}

/// Pattern: reshape(reshape(x)) -> reshape(x)
fn reshape_reshape(m: &mut Matcher, instruction: &Instruction) -> Result<Option<Value>> {
    let Op::Reshape { shape } = &instruction.op else {
        return Ok(None);
    };
    let x = instruction.operands[0];
    if m.builder.ty(x).shape == *shape {
        return Ok(Some(x));
    }
    match m.operands_if(x, |op| matches!(op, Op::Reshape { .. })) {
        Some(operands) => Ok(Some(m.builder.reshape(operands[0], shape)?)),
        None => Ok(None),
    }
}

/// Pattern: transpose(transpose(x, p), q) -> transpose(x, p o q)
fn transpose_transpose(m: &mut Matcher, instruction: &Instruction) -> Result<Option<Value>> {
    let Op::Transpose { permutation } = &instruction.op else {
        return Ok(None);
    };
    let Some(inner) = m.definition(instruction.operands[0]) else {
        return Ok(None);
    };
    let Op::Transpose { permutation: first } = &inner.op else {
        return Ok(None);
    };
    let composed: Vec<usize> = permutation.iter().map(|&p| first[p]).collect();
    Ok(Some(m.builder.transpose(inner.operands[0], &composed)?))
}

/// Pattern: transpose(x, p) -> reshape(x) [if p keeps the order of the dimensions that are not 1]
fn transpose_as_reshape(m: &mut Matcher, instruction: &Instruction) -> Result<Option<Value>> {
    let Op::Transpose { permutation } = &instruction.op else {
        return Ok(None);
    };
    let x = instruction.operands[0];
    let shape = m.builder.shape(x);
    let moved: Vec<usize> = permutation
        .iter()
        .copied()
        .filter(|&d| shape[d] != 1)
        .collect();
    if !moved.is_sorted() {
        return Ok(None);
    }
    let target: Vec<i64> = permutation.iter().map(|&d| shape[d]).collect();
    Ok(Some(m.builder.reshape(x, &target)?))
}

/// Pattern: reverse(reverse(x, a), a) -> x
fn reverse_reverse(m: &mut Matcher, instruction: &Instruction) -> Result<Option<Value>> {
    let Op::Reverse { .. } = &instruction.op else {
        return Ok(None);
    };
    let Some(inner) = m.definition(instruction.operands[0]) else {
        return Ok(None);
    };
    Ok((inner.op == instruction.op).then(|| inner.operands[0]))
}

/// Pattern: reverse(x, a) -> x [if all reversed dimensions are 1]
fn reverse_unit(m: &mut Matcher, instruction: &Instruction) -> Result<Option<Value>> {
    let Op::Reverse { dims } = &instruction.op else {
        return Ok(None);
    };
    let x = instruction.operands[0];
    let shape = m.builder.shape(x);
    Ok(dims.iter().all(|&d| shape[d] == 1).then_some(x))
}
