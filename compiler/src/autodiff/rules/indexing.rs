//! Rules of operations that index by values. Indices have no cotangents.

use super::{Cotangents, Rule};
use crate::stablehlo::{
    Builder, ElementType, Gather, Literal, Op, Reducer, Result, Scalar, Scatter, TensorType, Value,
};

/// Zeros but for the box. Both operations move the box inside in the same way.
pub(super) fn dynamic_slice(rule: &mut Rule<'_>, ct: Value) -> Result<Cotangents> {
    let operands = rule.instruction.operands.clone();
    let b = &mut *rule.builder;
    let zeros = b.splat_like(0.0, operands[0])?;
    let mut cotangents = vec![None; operands.len()];
    cotangents[0] = Some(b.dynamic_update_slice(zeros, ct, &operands[1..])?);
    Ok(cotangents)
}

/// The box belongs to the update, the rest to the operand.
pub(super) fn dynamic_update_slice(rule: &mut Rule<'_>, ct: Value) -> Result<Cotangents> {
    let operands = rule.instruction.operands.clone();
    let needed = [rule.needed[0], rule.needed[1]];
    let b = &mut *rule.builder;
    let mut cotangents = vec![None; operands.len()];
    if needed[0] {
        let zeros = b.splat_like(0.0, operands[1])?;
        cotangents[0] = Some(b.dynamic_update_slice(ct, zeros, &operands[2..])?);
    }
    if needed[1] {
        let sizes = b.shape(operands[1]);
        cotangents[1] = Some(b.dynamic_slice(ct, &operands[2..], &sizes)?);
    }
    Ok(cotangents)
}

/// Every cell collects the cotangents of the slices that took it.
///
/// A gather moves slices inside and a scatter drops what lies outside, so that
/// the indices are moved inside first.
pub(super) fn gather(rule: &mut Rule<'_>, gather: &Gather, ct: Value) -> Result<Cotangents> {
    let (x, indices) = (rule.operand(0), rule.operand(1));
    let shape = rule.shape(x);
    let ty = rule.function.ty(indices).clone();
    let last = gather.start_index_map.iter();
    let last: Vec<i64> = last.map(|&d| shape[d] - gather.slice_sizes[d]).collect();
    let scatter = Scatter {
        update_window_dims: gather.offset_dims.clone(),
        inserted_window_dims: gather.collapsed_slice_dims.clone(),
        input_batching_dims: gather.operand_batching_dims.clone(),
        scatter_indices_batching_dims: gather.start_indices_batching_dims.clone(),
        scatter_dims_to_operand_dims: gather.start_index_map.clone(),
        index_vector_dim: gather.index_vector_dim,
        indices_are_sorted: gather.indices_are_sorted,
        unique_indices: false,
        reducer: Some(Reducer::Add),
    };
    let b = &mut *rule.builder;
    let indices = if ty.element.bits() < 32 {
        b.convert(indices, ElementType::I64)?
    } else {
        indices
    };
    let first = vec![0; last.len()];
    let indices = clamp_components(b, indices, gather.index_vector_dim, &first, &last)?;
    let zeros = b.splat_like(0.0, x)?;
    Ok(vec![Some(b.scatter(zeros, indices, ct, scatter)?), None])
}

/// The components of each index clamped between these.
fn clamp_components(
    b: &mut Builder,
    indices: Value,
    vector: usize,
    first: &[i64],
    last: &[i64],
) -> Result<Value> {
    let first = components(b, indices, vector, first)?;
    let last = components(b, indices, vector, last)?;
    b.clamp(first, indices, last)
}

/// These numbers as the components of every index.
fn components(b: &mut Builder, indices: Value, vector: usize, of: &[i64]) -> Result<Value> {
    let ty = b.ty(indices).clone();
    let literal = |shape: &[i64]| Literal {
        ty: TensorType::new(shape, ty.element),
        values: of.iter().copied().map(Scalar::Int).collect(),
    };
    if vector < ty.rank() {
        let list = b.push(Op::Constant(literal(&[of.len() as i64])), &[])?;
        b.broadcast(list, &[vector], &ty.shape)
    } else {
        let scalar = b.push(Op::Constant(literal(&[])), &[])?;
        b.broadcast_to(scalar, &ty.shape)
    }
}

/// Of sums, the input takes the cotangent as it is, and an update the cell
/// that it was added to; one that was dropped took none.
pub(super) fn scatter(rule: &mut Rule<'_>, scatter: &Scatter, ct: Value) -> Result<Cotangents> {
    if scatter.reducer != Some(Reducer::Add) {
        let how = scatter.reducer.map_or("replacing", Reducer::name);
        return Err(rule.refuse(&format!(" by {how}")));
    }
    if !rule.needed[2] {
        return Ok(vec![Some(ct), None, None]);
    }
    let (indices, updates) = (rule.operand(1), rule.operand(2));
    let (input, window) = (rule.shape(rule.operand(0)), rule.shape(updates));
    let mut sizes = vec![1; input.len()];
    let kept = (0..input.len()).filter(|dim| {
        !scatter.inserted_window_dims.contains(dim) && !scatter.input_batching_dims.contains(dim)
    });
    for (dim, &along) in kept.zip(&scatter.update_window_dims) {
        sizes[dim] = window[along];
    }
    let gather = Gather {
        offset_dims: scatter.update_window_dims.clone(),
        collapsed_slice_dims: scatter.inserted_window_dims.clone(),
        operand_batching_dims: scatter.input_batching_dims.clone(),
        start_indices_batching_dims: scatter.scatter_indices_batching_dims.clone(),
        start_index_map: scatter.scatter_dims_to_operand_dims.clone(),
        index_vector_dim: scatter.index_vector_dim,
        slice_sizes: sizes.clone(),
        indices_are_sorted: scatter.indices_are_sorted,
    };
    // Around the cotangent lie zeros, a slice wide, for what was dropped.
    let map = &gather.start_index_map;
    let mut around = vec![0; input.len()];
    for &dim in map {
        around[dim] = sizes[dim];
    }
    let before: Vec<i64> = map.iter().map(|&dim| -sizes[dim]).collect();
    let after: Vec<i64> = map.iter().map(|&dim| input[dim]).collect();
    let shift: Vec<i64> = map.iter().map(|&dim| sizes[dim]).collect();
    let signed = matches!(
        rule.function.ty(indices).element,
        ElementType::I32 | ElementType::I64
    );
    let vector = gather.index_vector_dim;
    let b = &mut *rule.builder;
    let indices = if signed {
        indices
    } else {
        b.convert(indices, ElementType::I64)?
    };
    let indices = clamp_components(b, indices, vector, &before, &after)?;
    let shift = components(b, indices, vector, &shift)?;
    let indices = b.add(indices, shift)?;
    let padded = b.pad_zero(ct, &around, &around, &vec![0; input.len()])?;
    let dupdates = b.gather(padded, indices, gather)?;
    Ok(vec![Some(ct), None, Some(dupdates)])
}
