//! Operations that move elements, each as a walk by strides.

use super::{Elements, unlike};
use crate::reference::integer;
use crate::reference::number::Number;
use crate::reference::tensor::{Data, Tensor, extents};
use crate::reference::walk::{row_major, walk};
use crate::stablehlo::TensorType;

pub(super) fn iota<T: Number>(dim: usize, ty: &TensorType) -> Data<T> {
    let shape = extents(ty);
    // The only stride is along `dim`, so offsets are indices.
    let mut strides = vec![0; shape.len()];
    strides[dim] = 1;
    let mut indices = Vec::new();
    walk(&shape, [(0, &strides)], |[index]| {
        indices.push(index as i64)
    });
    if ty.element.is_float() {
        let number = |&index: &i64| T::from_integer(i128::from(index));
        Data::Numbers(indices.iter().map(number).collect())
    } else {
        let wrap = |&index: &i64| integer::wrap(ty.element, index);
        Data::Integers(indices.iter().map(wrap).collect())
    }
}

pub(super) fn broadcast_in_dim<T: Number>(
    x: &Tensor<T>,
    dims: &[usize],
    ty: &TensorType,
) -> Data<T> {
    let small = x.extents();
    let mut strides = vec![0; ty.rank()];
    for ((&dim, &size), stride) in dims.iter().zip(&small).zip(row_major(&small)) {
        // A dimension of size 1 stands still, whether it is stretched or not.
        strides[dim] = if size == 1 { 0 } else { stride };
    }
    gather(x.data(), &extents(ty), 0, &strides)
}

pub(super) fn transpose<T: Number>(x: &Tensor<T>, permutation: &[usize]) -> Data<T> {
    let from = x.extents();
    let strides = row_major(&from);
    let shape: Vec<usize> = permutation.iter().map(|&d| from[d]).collect();
    let strides: Vec<isize> = permutation.iter().map(|&d| strides[d]).collect();
    gather(x.data(), &shape, 0, &strides)
}

pub(super) fn reverse<T: Number>(x: &Tensor<T>, dims: &[usize]) -> Data<T> {
    let shape = x.extents();
    let mut strides = row_major(&shape);
    let mut start = 0;
    for &dim in dims {
        start += (shape[dim] as isize - 1) * strides[dim];
        strides[dim] = -strides[dim];
    }
    gather(x.data(), &shape, start, &strides)
}

pub(super) fn slice<T: Number>(
    x: &Tensor<T>,
    start: &[i64],
    steps: &[i64],
    ty: &TensorType,
) -> Data<T> {
    let mut strides = row_major(&x.extents());
    let mut first = 0;
    for ((stride, &start), &step) in strides.iter_mut().zip(start).zip(steps) {
        first += start as isize * *stride;
        *stride *= step as isize;
    }
    gather(x.data(), &extents(ty), first, &strides)
}

pub(super) fn pad<T: Number>(
    x: &Tensor<T>,
    value: &Tensor<T>,
    low: &[i64],
    interior: &[i64],
    ty: &TensorType,
) -> Elements<T> {
    let from = x.extents();
    let to = extents(ty);
    // Negative padding crops: per dimension, the cells that stay.
    let mut shape = Vec::new();
    let mut layouts = [(0, row_major(&from)), (0, row_major(&to))];
    for dim in 0..from.len() {
        let step = interior[dim] + 1;
        let place = |cell: i64| low[dim] + cell * step;
        let stays = |&cell: &i64| (0..to[dim] as i64).contains(&place(cell));
        let cells: Vec<i64> = (0..from[dim] as i64).filter(stays).collect();
        shape.push(cells.len());
        let first = cells.first().copied().unwrap_or(0);
        layouts[0].0 += first as isize * layouts[0].1[dim];
        layouts[1].0 += place(first) as isize * layouts[1].1[dim];
        layouts[1].1[dim] *= step as isize;
    }
    let place = Placement {
        size: to.iter().product(),
        shape,
        layouts,
    };
    match (x.data(), value.data()) {
        (Data::Numbers(x), Data::Numbers(value)) => Ok(Data::Numbers(place.fill(x, value))),
        (Data::Integers(x), Data::Integers(value)) => Ok(Data::Integers(place.fill(x, value))),
        _ => Err(unlike()),
    }
}

/// Where a box of an operand lies in a larger result.
struct Placement {
    size: usize,
    shape: Vec<usize>,
    layouts: [(isize, Vec<isize>); 2],
}

impl Placement {
    fn fill<V: Copy>(&self, x: &[V], value: &[V]) -> Vec<V> {
        let Some(&value) = value.first() else {
            return Vec::new();
        };
        let mut result = vec![value; self.size];
        let [(from, from_strides), (to, to_strides)] = &self.layouts;
        let layouts = [(*from, &from_strides[..]), (*to, &to_strides[..])];
        walk(&self.shape, layouts, |[from, to]| result[to] = x[from]);
        result
    }
}

pub(super) fn concatenate<T: Number>(
    parts: &[&Tensor<T>],
    dim: usize,
    ty: &TensorType,
) -> Elements<T> {
    let rows: usize = extents(ty)[..dim].iter().product();
    let data: Vec<&Data<T>> = parts.iter().map(|part| part.data()).collect();
    if ty.element.is_float() {
        let lists: Option<Vec<&[T]>> = data
            .iter()
            .map(|data| match data {
                Data::Numbers(values) => Some(&values[..]),
                Data::Integers(_) => None,
            })
            .collect();
        lists
            .map(|l| Data::Numbers(interleave(&l, rows)))
            .ok_or_else(unlike)
    } else {
        let lists: Option<Vec<&[i64]>> = data
            .iter()
            .map(|data| match data {
                Data::Numbers(_) => None,
                Data::Integers(values) => Some(&values[..]),
            })
            .collect();
        lists
            .map(|l| Data::Integers(interleave(&l, rows)))
            .ok_or_else(unlike)
    }
}

/// Row by row, the rows of all lists.
fn interleave<V: Copy>(lists: &[&[V]], rows: usize) -> Vec<V> {
    let mut result = Vec::with_capacity(lists.iter().map(|list| list.len()).sum());
    for row in 0..rows {
        for list in lists {
            let width = list.len() / rows;
            result.extend_from_slice(&list[row * width..(row + 1) * width]);
        }
    }
    result
}

fn gather<T: Copy>(data: &Data<T>, shape: &[usize], start: isize, strides: &[isize]) -> Data<T> {
    match data {
        Data::Numbers(values) => Data::Numbers(gather_elements(values, shape, start, strides)),
        Data::Integers(values) => Data::Integers(gather_elements(values, shape, start, strides)),
    }
}

/// The elements of a strided box, row-major.
pub(super) fn gather_elements<V: Copy>(
    values: &[V],
    shape: &[usize],
    start: isize,
    strides: &[isize],
) -> Vec<V> {
    let mut result = Vec::with_capacity(shape.iter().product());
    walk(shape, [(start, strides)], |[at]| result.push(values[at]));
    result
}
