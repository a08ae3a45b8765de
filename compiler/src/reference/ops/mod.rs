//! The operations, by family. Each function takes operands whose types
//! [`infer`](crate::stablehlo::infer) has accepted, and gives the elements of
//! the result.

mod convolution;
mod dot;
mod elementwise;
mod indexing;
mod reduction;
mod shape;
#[cfg(test)]
mod tests;
mod window;

pub use window::Ties;
pub(crate) use window::Windows;

use super::number::Number;
use super::tensor::{Data, Tensor};
use crate::stablehlo::{Op, TensorType};

/// The elements of a result, or why there are none.
type Elements<T> = Result<Data<T>, String>;

/// Applies `op`; `ty` is the type of the result.
pub(super) fn apply<T: Number>(
    op: &Op,
    operands: &[&Tensor<T>],
    ty: &TensorType,
    ties: Ties,
) -> Elements<T> {
    if ty.element.is_float() && !T::holds(ty.element) {
        return Err(format!("{ty} cannot be held by this kind of number"));
    }
    match (op, operands) {
        (Op::Constant(literal), []) => Tensor::from_literal(literal)
            .map(Tensor::into_data)
            .map_err(|error| error.to_string()),
        (Op::Iota { dim, .. }, []) => Ok(shape::iota(*dim, ty)),
        (Op::Unary(op), [x]) => elementwise::unary(*op, x),
        (Op::Binary(op), [a, b]) => elementwise::binary(*op, a, b),
        (Op::Compare(direction), [a, b]) => elementwise::compare(*direction, a, b),
        (Op::CompareTotal(direction), [a, b]) => elementwise::compare_total(*direction, a, b),
        (Op::Clamp, [min, x, max]) => elementwise::clamp(min, x, max),
        (Op::Select, [predicate, a, b]) => elementwise::select(predicate, a, b),
        (Op::Convert(element), [x]) => Ok(elementwise::convert(*element, x)),
        (Op::BitcastConvert(element), [x]) => Ok(elementwise::bitcast_convert(*element, x)),
        (Op::BroadcastInDim { dims, .. }, [x]) => Ok(shape::broadcast_in_dim(x, dims, ty)),
        (Op::Reshape { .. }, [x]) => Ok(x.data().clone()),
        (Op::Transpose { permutation }, [x]) => Ok(shape::transpose(x, permutation)),
        (Op::Reverse { dims }, [x]) => Ok(shape::reverse(x, dims)),
        (Op::Slice { start, strides, .. }, [x]) => Ok(shape::slice(x, start, strides, ty)),
        (Op::Pad { low, interior, .. }, [x, value]) => shape::pad(x, value, low, interior, ty),
        (Op::Concatenate { dim }, parts) => shape::concatenate(parts, *dim, ty),
        (Op::DynamicSlice { .. }, [x, starts @ ..]) => indexing::dynamic_slice(x, starts, ty),
        (Op::DynamicUpdateSlice, [x, update, starts @ ..]) => {
            indexing::dynamic_update_slice(x, update, starts)
        }
        (Op::Gather(gather), [x, indices]) => Ok(indexing::gather(gather, x, indices, ty)),
        (Op::Scatter(scatter), [x, indices, updates]) => {
            indexing::scatter(scatter, x, indices, updates)
        }
        (Op::DotGeneral(dot), [a, b]) => dot::dot_general(dot, a, b, ty),
        (Op::Convolution(conv), [x, w]) => convolution::convolution(conv, x, w, ty),
        (Op::Reduce { reducer, dims }, [x, init]) => reduction::reduce(*reducer, dims, x, init, ty),
        (Op::ReduceWindow { reducer, window }, [x, init]) => {
            window::reduce_window(*reducer, window, x, init, ty)
        }
        (Op::SelectAndScatter { window }, [x, source, init]) => {
            window::select_and_scatter(window, ties, x, source, init)
        }
        _ => Err(format!("cannot take {} operands", operands.len())),
    }
}

/// Refusal of operands of unlike kinds; inference has excluded it.
fn unlike() -> String {
    "the operands are partly integers, partly floating-point numbers".to_owned()
}
