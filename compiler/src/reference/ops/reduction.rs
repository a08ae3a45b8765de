//! Reductions over dimensions.

use super::elementwise::number_binary;
use super::{Elements, unlike};
use crate::reference::integer;
use crate::reference::number::Number;
use crate::reference::tensor::{Data, Tensor, extents};
use crate::reference::walk::{row_major, walk};
use crate::stablehlo::{Reducer, TensorType};

/// Folds from the initial value, in row-major order.
pub(super) fn reduce<T: Number>(
    reducer: Reducer,
    dims: &[usize],
    x: &Tensor<T>,
    init: &Tensor<T>,
    ty: &TensorType,
) -> Elements<T> {
    let shape = x.extents();
    let result = extents(ty);
    let mut kept = row_major(&result).into_iter();
    let strides: Vec<isize> = (0..shape.len())
        .map(|dim| {
            if dims.contains(&dim) {
                0
            } else {
                kept.next().unwrap_or(0)
            }
        })
        .collect();
    let size = result.iter().product();
    match (x.data(), init.data()) {
        (Data::Numbers(x), Data::Numbers(init)) => {
            let function = number_binary(reducer.op())?;
            Ok(Data::Numbers(fold(
                x, init, &shape, size, &strides, function,
            )))
        }
        (Data::Integers(x), Data::Integers(init)) => {
            let function = integer::binary(reducer.op(), ty.element)?;
            Ok(Data::Integers(fold(
                x, init, &shape, size, &strides, function,
            )))
        }
        _ => Err(unlike()),
    }
}

fn fold<V: Copy>(
    x: &[V],
    init: &[V],
    shape: &[usize],
    size: usize,
    strides: &[isize],
    function: impl Fn(V, V) -> V,
) -> Vec<V> {
    let Some(&init) = init.first() else {
        return Vec::new();
    };
    let mut result = vec![init; size];
    let layouts = [(0, &row_major(shape)[..]), (0, strides)];
    walk(shape, layouts, |[from, to]| {
        result[to] = function(result[to], x[from]);
    });
    result
}
