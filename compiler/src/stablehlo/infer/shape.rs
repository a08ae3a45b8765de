//! Result types of operations that move elements.

use super::{Refusal, check_dims, check_len};
use crate::stablehlo::literal::Literal;
use crate::stablehlo::types::TensorType;

pub(super) fn constant(literal: &Literal) -> Result<TensorType, Refusal> {
    let count = literal.values.len() as i64;
    if count != 1 && count != literal.ty.elements() {
        return Err(format!("{count} values given for {}", literal.ty));
    }
    Ok(literal.ty.clone())
}

pub(super) fn iota(dim: usize, ty: &TensorType) -> Result<TensorType, Refusal> {
    check_dims("(C1) iota dimension", &[dim], ty.rank())?;
    Ok(ty.clone())
}

pub(super) fn broadcast_in_dim(
    operand: &TensorType,
    dims: &[usize],
    shape: &[i64],
) -> Result<TensorType, Refusal> {
    check_len("(C2) broadcast dimensions", dims, operand.rank())?;
    check_dims("(C3) broadcast dimensions", dims, shape.len())?;
    check_sizes(shape)?;
    for (&size, &dim) in operand.shape.iter().zip(dims) {
        if size != 1 && size != shape[dim] {
            return Err(format!(
                "(C5) {operand} does not broadcast to {shape:?} by dimensions {dims:?}"
            ));
        }
    }
    Ok(operand.with_shape(shape))
}

pub(super) fn reshape(operand: &TensorType, shape: &[i64]) -> Result<TensorType, Refusal> {
    check_sizes(shape)?;
    let result = operand.with_shape(shape);
    if result.elements() != operand.elements() {
        return Err(format!(
            "(C2) {operand} has {} elements, {result} has {}",
            operand.elements(),
            result.elements()
        ));
    }
    Ok(result)
}

fn check_sizes(shape: &[i64]) -> Result<(), Refusal> {
    if shape.iter().any(|&size| size < 0) {
        return Err(format!("sizes {shape:?} must not be negative"));
    }
    Ok(())
}

pub(super) fn transpose(
    operand: &TensorType,
    permutation: &[usize],
) -> Result<TensorType, Refusal> {
    check_len("(C2) permutation", permutation, operand.rank())?;
    check_dims("(C2) permutation", permutation, operand.rank())?;
    let shape: Vec<i64> = permutation.iter().map(|&d| operand.shape[d]).collect();
    Ok(operand.with_shape(shape))
}

pub(super) fn reverse(operand: &TensorType, dims: &[usize]) -> Result<TensorType, Refusal> {
    check_dims("(C2) dimensions", dims, operand.rank())?;
    Ok(operand.clone())
}

pub(super) fn slice(
    operand: &TensorType,
    start: &[i64],
    limit: &[i64],
    strides: &[i64],
) -> Result<TensorType, Refusal> {
    for list in [start, limit, strides] {
        check_len("(C2) index list", list, operand.rank())?;
    }
    let mut shape = Vec::with_capacity(operand.rank());
    for i in 0..operand.rank() {
        if start[i] < 0 || start[i] > limit[i] || limit[i] > operand.shape[i] || strides[i] < 1 {
            return Err(format!(
                "(C3, C4) {}:{}:{} is no slice of dimension {i} of {operand}",
                start[i], limit[i], strides[i]
            ));
        }
        let extent = limit[i] - start[i];
        let last = (extent - 1).div_euclid(strides[i]);
        shape.push(last + 1);
    }
    Ok(operand.with_shape(shape))
}

pub(super) fn pad(
    operand: &TensorType,
    value: &TensorType,
    low: &[i64],
    high: &[i64],
    interior: &[i64],
) -> Result<TensorType, Refusal> {
    if value.rank() != 0 || value.element != operand.element {
        return Err(format!("(C1) cannot pad {operand} with {value}"));
    }
    for list in [low, high, interior] {
        check_len("(C2) padding", list, operand.rank())?;
    }
    let mut shape = Vec::with_capacity(operand.rank());
    for i in 0..operand.rank() {
        let size = operand.shape[i];
        let padded = (size - 1)
            .max(0)
            .saturating_mul(interior[i])
            .saturating_add(size)
            .saturating_add(low[i])
            .saturating_add(high[i]);
        if interior[i] < 0 || padded < 0 {
            return Err(format!(
                "(C3, C4) low {}, high {}, interior {} is no padding of dimension {i} of {operand}",
                low[i], high[i], interior[i]
            ));
        }
        shape.push(padded);
    }
    Ok(operand.with_shape(shape))
}

pub(super) fn concatenate(operands: &[&TensorType], dim: usize) -> Result<TensorType, Refusal> {
    let Some(first) = operands.first() else {
        return Err("(C3) takes at least one operand".to_owned());
    };
    check_dims("(C4) dimension", &[dim], first.rank())?;
    let mut shape = first.shape.clone();
    for operand in &operands[1..] {
        let fits = operand.element == first.element
            && operand.rank() == first.rank()
            && (0..first.rank()).all(|i| i == dim || operand.shape[i] == first.shape[i]);
        if !fits {
            return Err(format!(
                "(C1, C2) {operand} does not join {first} along dimension {dim}"
            ));
        }
        shape[dim] = shape[dim].saturating_add(operand.shape[dim]);
    }
    Ok(first.with_shape(shape))
}
