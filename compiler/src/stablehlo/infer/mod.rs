//! Result types: the only place that computes them. Messages carry the
//! constraint labels of the StableHLO specification where they have one.

mod compound;
mod contraction;
mod elementwise;
mod indexing;
mod shape;
#[cfg(test)]
mod tests;
mod window;

pub use compound::result_types;
pub use window::{dilated, window_count};

use super::op::Op;
use super::types::TensorType;

/// Why an operation cannot be applied to these operands.
pub type Refusal = String;

/// The result type of `op` applied to operands of these types.
pub fn result_type(op: &Op, operands: &[&TensorType]) -> Result<TensorType, Refusal> {
    let expected = match op {
        Op::Constant(_) | Op::Iota { .. } => Some(0),
        Op::Concatenate { .. }
        | Op::DynamicSlice { .. }
        | Op::DynamicUpdateSlice
        | Op::Compound { .. } => None,
        Op::Select | Op::Clamp | Op::Scatter(_) | Op::SelectAndScatter { .. } => Some(3),
        Op::Binary(_)
        | Op::Compare(_)
        | Op::CompareTotal(_)
        | Op::Pad { .. }
        | Op::Gather(_)
        | Op::DotGeneral(_)
        | Op::Convolution(_)
        | Op::Reduce { .. }
        | Op::ReduceWindow { .. } => Some(2),
        _ => Some(1),
    };
    if let Some(expected) = expected
        && operands.len() != expected
    {
        return Err(format!(
            "takes {expected} operands, {} were given",
            operands.len()
        ));
    }
    match op {
        Op::Constant(literal) => shape::constant(literal),
        Op::Iota { dim, ty } => shape::iota(*dim, ty),
        Op::Unary(op) => elementwise::unary(*op, operands[0]),
        Op::Binary(op) => elementwise::binary(*op, operands[0], operands[1]),
        Op::Compare(_) => elementwise::compare(operands[0], operands[1]),
        Op::CompareTotal(_) => elementwise::compare_total(operands[0], operands[1]),
        Op::Clamp => elementwise::clamp(operands[0], operands[1], operands[2]),
        Op::Select => elementwise::select(operands[0], operands[1], operands[2]),
        Op::Convert(element) => Ok(operands[0].with_element(*element)),
        Op::BitcastConvert(element) => elementwise::bitcast_convert(operands[0], *element),
        Op::BroadcastInDim { dims, shape } => shape::broadcast_in_dim(operands[0], dims, shape),
        Op::Reshape { shape } => shape::reshape(operands[0], shape),
        Op::Transpose { permutation } => shape::transpose(operands[0], permutation),
        Op::Reverse { dims } => shape::reverse(operands[0], dims),
        Op::Slice {
            start,
            limit,
            strides,
        } => shape::slice(operands[0], start, limit, strides),
        Op::Pad {
            low,
            high,
            interior,
        } => shape::pad(operands[0], operands[1], low, high, interior),
        Op::Concatenate { dim } => shape::concatenate(operands, *dim),
        Op::DynamicSlice { sizes } => indexing::dynamic_slice(operands, sizes),
        Op::DynamicUpdateSlice => indexing::dynamic_update_slice(operands),
        Op::Gather(gather) => indexing::gather(gather, operands[0], operands[1]),
        Op::Scatter(scatter) => indexing::scatter(scatter, operands[0], operands[1], operands[2]),
        Op::DotGeneral(dot) => contraction::dot_general(dot, operands[0], operands[1]),
        Op::Convolution(conv) => contraction::convolution(conv, operands[0], operands[1]),
        Op::Reduce { reducer, dims } => {
            window::check_reducer(*reducer, operands[0])?;
            window::reduce(dims, operands[0], operands[1])
        }
        Op::ReduceWindow { reducer, window } => {
            window::check_reducer(*reducer, operands[0])?;
            window::reduce_window(window, operands[0], operands[1])
        }
        Op::SelectAndScatter { window } => window::select_and_scatter(window, operands),
        Op::Compound { op, result } => {
            let types = compound::result_types(op, operands)?;
            let count = types.len();
            let ty = types.into_iter().nth(*result);
            ty.ok_or_else(|| format!("has {count} results, none of number {result}"))
        }
    }
}

/// Refuses unless `dims` are distinct dimensions of a tensor of `rank`.
fn check_dims(what: &str, dims: &[usize], rank: usize) -> Result<(), Refusal> {
    for (i, dim) in dims.iter().enumerate() {
        if *dim >= rank {
            return Err(format!("{what} {dims:?} exceed rank {rank}"));
        }
        if dims[..i].contains(dim) {
            return Err(format!("{what} {dims:?} are not distinct"));
        }
    }
    Ok(())
}

/// Refuses unless `list` has one entry per dimension.
fn check_len<T>(what: &str, list: &[T], rank: usize) -> Result<(), Refusal> {
    if list.len() == rank {
        Ok(())
    } else {
        Err(format!(
            "{what} has {} entries, expected {rank}",
            list.len()
        ))
    }
}
