//! Rules of operations that move elements.

use super::{Cotangents, Rule};
use crate::stablehlo::{Result, Value};

/// Sum over the dimensions that were added or stretched.
pub(super) fn broadcast_in_dim(
    rule: &mut Rule<'_>,
    dims: &[usize],
    ct: Value,
) -> Result<Cotangents> {
    let x = rule.operand(0);
    let small = rule.shape(x);
    let large = rule.shape(rule.instruction.result);
    let kept: Vec<usize> = (0..dims.len())
        .filter(|&i| small[i] == large[dims[i]])
        .map(|i| dims[i])
        .collect();
    let summed: Vec<usize> = (0..large.len()).filter(|d| !kept.contains(d)).collect();
    let sum = rule.builder.sum(ct, &summed)?;
    // What is left is in the order of the result; put it in the operand's.
    let mut order: Vec<usize> = kept.clone();
    order.sort_unstable();
    let permutation: Vec<usize> = kept
        .iter()
        .filter_map(|d| order.iter().position(|o| o == d))
        .collect();
    let sum = rule.builder.transpose(sum, &permutation)?;
    Ok(vec![Some(rule.builder.reshape(sum, &small)?)])
}

pub(super) fn reshape(rule: &mut Rule<'_>, ct: Value) -> Result<Cotangents> {
    let shape = rule.shape(rule.operand(0));
    Ok(vec![Some(rule.builder.reshape(ct, &shape)?)])
}

pub(super) fn transpose(
    rule: &mut Rule<'_>,
    permutation: &[usize],
    ct: Value,
) -> Result<Cotangents> {
    let mut inverse = vec![0; permutation.len()];
    for (i, &p) in permutation.iter().enumerate() {
        inverse[p] = i;
    }
    Ok(vec![Some(rule.builder.transpose(ct, &inverse)?)])
}

pub(super) fn reverse(rule: &mut Rule<'_>, dims: &[usize], ct: Value) -> Result<Cotangents> {
    Ok(vec![Some(rule.builder.reverse(ct, dims)?)])
}

/// Zeros where the slice took nothing.
pub(super) fn slice(
    rule: &mut Rule<'_>,
    start: &[i64],
    strides: &[i64],
    ct: Value,
) -> Result<Cotangents> {
    let x = rule.shape(rule.operand(0));
    let y = rule.shape(rule.instruction.result);
    if y.contains(&0) {
        return Ok(vec![None]);
    }
    let high: Vec<i64> = (0..x.len())
        .map(|i| x[i] - start[i] - (y[i] - 1) * strides[i] - 1)
        .collect();
    let interior: Vec<i64> = strides.iter().map(|s| s - 1).collect();
    Ok(vec![Some(
        rule.builder.pad_zero(ct, start, &high, &interior)?,
    )])
}

/// The operand gets what stands on its cells, the padding value the rest.
pub(super) fn pad(
    rule: &mut Rule<'_>,
    low: &[i64],
    high: &[i64],
    interior: &[i64],
    ct: Value,
) -> Result<Cotangents> {
    let rank = low.len();
    let b = &mut *rule.builder;
    let negated = |list: &[i64]| -> Vec<i64> { list.iter().map(|v| -v).collect() };
    let cropped = b.pad_zero(ct, &negated(low), &negated(high), &vec![0; rank])?;
    let limit = b.shape(cropped);
    let strides: Vec<i64> = interior.iter().map(|i| i + 1).collect();
    let dx = b.slice(cropped, &vec![0; rank], &limit, &strides)?;
    let dvalue = if rule.needed[1] {
        let all: Vec<usize> = (0..rank).collect();
        let total = b.sum(ct, &all)?;
        let own = b.sum(dx, &all)?;
        Some(b.subtract(total, own)?)
    } else {
        None
    };
    Ok(vec![Some(dx), dvalue])
}

pub(super) fn concatenate(rule: &mut Rule<'_>, dim: usize, ct: Value) -> Result<Cotangents> {
    let mut limit = rule.shape(rule.instruction.result);
    let rank = limit.len();
    let mut start = vec![0; rank];
    let mut cotangents = Vec::new();
    for index in 0..rule.instruction.operands.len() {
        let size = rule.shape(rule.operand(index))[dim];
        limit[dim] = start[dim] + size;
        let part = if rule.needed[index] {
            Some(rule.builder.slice(ct, &start, &limit, &vec![1; rank])?)
        } else {
            None
        };
        cotangents.push(part);
        start[dim] += size;
    }
    Ok(cotangents)
}
