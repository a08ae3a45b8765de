//! Operations that index by values, each as a walk over the slices and one
//! over the cells of a slice.

use super::elementwise::number_binary;
use super::shape::gather_elements;
use super::{Elements, unlike};
use crate::reference::integer;
use crate::reference::number::Number;
use crate::reference::tensor::{Data, Tensor, extents};
use crate::reference::walk::{row_major, walk};
use crate::stablehlo::{Gather, Scatter, TensorType};

/// The first cells of a box that begins at these scalars, moved inside.
fn starts<T: Number>(
    scalars: &[&Tensor<T>],
    shape: &[usize],
    sizes: &[usize],
) -> Result<Vec<usize>, String> {
    let whole = shape.iter().zip(sizes);
    scalars
        .iter()
        .zip(whole)
        .map(|(scalar, (&whole, &size))| {
            let bits = scalar.as_integers().first().ok_or_else(unlike)?;
            let start = integer::value(scalar.ty().element, *bits);
            Ok(inside(start, whole - size))
        })
        .collect()
}

/// `start` moved into `0..=last`.
fn inside(start: i128, last: usize) -> usize {
    usize::try_from(start.max(0)).map_or(last, |start| start.min(last))
}

/// The offset of a cell.
fn offset(cell: &[usize], strides: &[isize]) -> isize {
    let terms = cell.iter().zip(strides);
    terms.map(|(&at, &stride)| at as isize * stride).sum()
}

pub(super) fn dynamic_slice<T: Number>(
    x: &Tensor<T>,
    scalars: &[&Tensor<T>],
    ty: &TensorType,
) -> Elements<T> {
    let (shape, sizes) = (x.extents(), extents(ty));
    let strides = row_major(&shape);
    let start = offset(&starts(scalars, &shape, &sizes)?, &strides);
    Ok(match x.data() {
        Data::Numbers(x) => Data::Numbers(gather_elements(x, &sizes, start, &strides)),
        Data::Integers(x) => Data::Integers(gather_elements(x, &sizes, start, &strides)),
    })
}

pub(super) fn dynamic_update_slice<T: Number>(
    x: &Tensor<T>,
    update: &Tensor<T>,
    scalars: &[&Tensor<T>],
) -> Elements<T> {
    let (shape, sizes) = (x.extents(), update.extents());
    let strides = row_major(&shape);
    let start = offset(&starts(scalars, &shape, &sizes)?, &strides);
    let from = row_major(&sizes);
    let layouts = [(0, &from[..]), (start, &strides[..])];
    match (x.data(), update.data()) {
        (Data::Numbers(x), Data::Numbers(update)) => {
            let mut result = x.clone();
            walk(&sizes, layouts, |[from, to]| result[to] = update[from]);
            Ok(Data::Numbers(result))
        }
        (Data::Integers(x), Data::Integers(update)) => {
            let mut result = x.clone();
            walk(&sizes, layouts, |[from, to]| result[to] = update[from]);
            Ok(Data::Integers(result))
        }
        _ => Err(unlike()),
    }
}

/// Slices of a tensor of shape `operand`, and the dense tensor that holds them
/// side by side.
struct Slices<'a> {
    operand: &'a [usize],
    dense: &'a [usize],
    /// Dimensions of the dense tensor that lie within slices.
    window_dims: &'a [usize],
    /// Dimensions of the operand that slices have.
    kept: Vec<usize>,
    batching: &'a [usize],
    indices_batching: &'a [usize],
    map: &'a [usize],
    vector: usize,
}

impl Slices<'_> {
    /// Visits the slices: the offset of its first cell in the dense tensor,
    /// and where it begins in the operand, which may be outside.
    fn each(&self, indices: &[i128], shape: &[usize], mut visit: impl FnMut(usize, &[i128])) {
        let index_strides = row_major(shape);
        let dense_strides = row_major(self.dense);
        let batch: Vec<usize> = (0..shape.len()).filter(|&d| d != self.vector).collect();
        let sizes: Vec<usize> = batch.iter().map(|&d| shape[d]).collect();
        let from: Vec<isize> = batch.iter().map(|&d| index_strides[d]).collect();
        let to: Vec<isize> = (0..self.dense.len())
            .filter(|d| !self.window_dims.contains(d))
            .map(|d| dense_strides[d])
            .collect();
        let step = index_strides.get(self.vector).copied().unwrap_or(0);
        let counting = row_major(&sizes);
        let along = |dim: usize| {
            let position = batch.iter().position(|&d| d == dim).unwrap_or(0);
            (counting[position] as usize, sizes[position])
        };
        let batching = self.batching.iter().zip(self.indices_batching);
        let batching: Vec<_> = batching.map(|(&dim, &d)| (dim, along(d))).collect();
        let mut start = vec![0i128; self.operand.len()];
        let layouts = [(0, &from[..]), (0, &to[..]), (0, &counting[..])];
        walk(&sizes, layouts, |[index, place, number]| {
            for (component, &dim) in self.map.iter().enumerate() {
                start[dim] = indices[index + component * step as usize];
            }
            for &(dim, (stride, size)) in &batching {
                start[dim] = (number / stride % size) as i128;
            }
            visit(place, &start);
        });
    }

    /// Visits the cells of a slice that lie inside: the offset in the dense
    /// tensor and that in the operand.
    fn cells(&self, place: usize, start: &[i128], mut visit: impl FnMut(usize, usize)) {
        let strides = row_major(self.operand);
        let dense_strides = row_major(self.dense);
        let mut shape = Vec::with_capacity(self.kept.len());
        let (mut from, mut to) = (place as isize, 0);
        let (mut from_strides, mut to_strides) = (Vec::new(), Vec::new());
        for dim in 0..self.operand.len() {
            let window = self.kept.iter().position(|&kept| kept == dim);
            let (size, stride) = match window.and_then(|w| self.window_dims.get(w)) {
                Some(&along) => (self.dense[along], dense_strides[along]),
                None => (1, 0),
            };
            // Cells first..last of the slice lie inside.
            let first = inside(start[dim].saturating_neg(), size);
            let last = inside((self.operand[dim] as i128).saturating_sub(start[dim]), size);
            if first >= last {
                return;
            }
            from += first as isize * stride;
            to += (start[dim] + first as i128) as isize * strides[dim];
            shape.push(last - first);
            from_strides.push(stride);
            to_strides.push(strides[dim]);
        }
        let layouts = [(from, &from_strides[..]), (to, &to_strides[..])];
        walk(&shape, layouts, |[from, to]| visit(from, to));
    }
}

fn index_values<T: Number>(indices: &Tensor<T>) -> Vec<i128> {
    let element = indices.ty().element;
    let bits = indices.as_integers().iter();
    bits.map(|&bits| integer::value(element, bits)).collect()
}

/// Dimensions that are in neither list.
fn others(rank: usize, a: &[usize], b: &[usize]) -> Vec<usize> {
    let apart = |dim: &usize| !a.contains(dim) && !b.contains(dim);
    (0..rank).filter(apart).collect()
}

/// Slices that reach out are moved inside.
pub(super) fn gather<T: Number>(
    gather: &Gather,
    x: &Tensor<T>,
    indices: &Tensor<T>,
    ty: &TensorType,
) -> Data<T> {
    let (operand, dense) = (x.extents(), extents(ty));
    let slices = Slices {
        operand: &operand,
        dense: &dense,
        window_dims: &gather.offset_dims,
        kept: others(
            operand.len(),
            &gather.collapsed_slice_dims,
            &gather.operand_batching_dims,
        ),
        batching: &gather.operand_batching_dims,
        indices_batching: &gather.start_indices_batching_dims,
        map: &gather.start_index_map,
        vector: gather.index_vector_dim,
    };
    let mut from = vec![0; dense.iter().product()];
    slices.each(
        &index_values(indices),
        &indices.extents(),
        |place, start| {
            let mut start = start.to_vec();
            for &dim in &gather.start_index_map {
                let last = operand[dim] - gather.slice_sizes[dim] as usize;
                start[dim] = inside(start[dim], last) as i128;
            }
            slices.cells(place, &start, |to, cell| from[to] = cell);
        },
    );
    // Of a slice without cells there is none to take.
    match x.data() {
        Data::Numbers(x) => Data::Numbers(taken(x, &from)),
        Data::Integers(x) => Data::Integers(taken(x, &from)),
    }
}

fn taken<V: Copy>(x: &[V], cells: &[usize]) -> Vec<V> {
    let cells = cells.iter();
    cells.filter_map(|&cell| x.get(cell).copied()).collect()
}

/// Updates in row-major order, so that of several that replace one cell the
/// last one stays. The specification leaves the order open.
pub(super) fn scatter<T: Number>(
    scatter: &Scatter,
    x: &Tensor<T>,
    indices: &Tensor<T>,
    updates: &Tensor<T>,
) -> Elements<T> {
    let (operand, dense) = (x.extents(), updates.extents());
    let slices = Slices {
        operand: &operand,
        dense: &dense,
        window_dims: &scatter.update_window_dims,
        kept: others(
            operand.len(),
            &scatter.inserted_window_dims,
            &scatter.input_batching_dims,
        ),
        batching: &scatter.input_batching_dims,
        indices_batching: &scatter.scatter_indices_batching_dims,
        map: &scatter.scatter_dims_to_operand_dims,
        vector: scatter.index_vector_dim,
    };
    let element = x.ty().element;
    let mut pairs = Vec::with_capacity(dense.iter().product());
    slices.each(
        &index_values(indices),
        &indices.extents(),
        |place, start| {
            slices.cells(place, start, |from, cell| pairs.push((from, cell)));
        },
    );
    match (x.data(), updates.data()) {
        (Data::Numbers(x), Data::Numbers(updates)) => {
            let function = scatter.reducer.map(|r| number_binary(r.op())).transpose()?;
            Ok(Data::Numbers(update(x, updates, &pairs, function)))
        }
        (Data::Integers(x), Data::Integers(updates)) => {
            let function = scatter.reducer.map(|r| integer::binary(r.op(), element));
            let function = function.transpose()?;
            Ok(Data::Integers(update(x, updates, &pairs, function)))
        }
        _ => Err(unlike()),
    }
}

fn update<V: Copy>(
    x: &[V],
    updates: &[V],
    pairs: &[(usize, usize)],
    function: Option<impl Fn(V, V) -> V>,
) -> Vec<V> {
    let mut result = x.to_vec();
    for &(from, cell) in pairs {
        result[cell] = match &function {
            Some(function) => function(result[cell], updates[from]),
            None => updates[from],
        };
    }
    result
}
