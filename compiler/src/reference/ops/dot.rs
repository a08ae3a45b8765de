//! General dot products.

use super::shape::gather_elements;
use super::{Elements, unlike};
use crate::reference::integer;
use crate::reference::number::Number;
use crate::reference::tensor::{Data, Tensor};
use crate::reference::walk::row_major;
use crate::stablehlo::{DotGeneral, TensorType};

pub(super) fn dot_general<T: Number>(
    dot: &DotGeneral,
    a: &Tensor<T>,
    b: &Tensor<T>,
    ty: &TensorType,
) -> Elements<T> {
    let free = |rank: usize, batch: &[usize], contract: &[usize]| -> Vec<usize> {
        (0..rank)
            .filter(|d| !batch.contains(d) && !contract.contains(d))
            .collect()
    };
    let a_free = free(a.ty().rank(), &dot.lhs_batch, &dot.lhs_contract);
    let b_free = free(b.ty().rank(), &dot.rhs_batch, &dot.rhs_contract);
    let a_order = [&dot.lhs_batch[..], &a_free, &dot.lhs_contract].concat();
    let b_order = [&dot.rhs_batch[..], &dot.rhs_contract, &b_free].concat();
    let (a_shape, b_shape) = (a.extents(), b.extents());
    let size = |shape: &[usize], dims: &[usize]| dims.iter().map(|&d| shape[d]).product();
    let product = Product {
        batch: size(&a_shape, &dot.lhs_batch),
        rows: size(&a_shape, &a_free),
        inner: size(&a_shape, &dot.lhs_contract),
        columns: size(&b_shape, &b_free),
    };
    match (a.data(), b.data()) {
        (Data::Numbers(x), Data::Numbers(y)) => {
            let x = ordered(x, &a_shape, &a_order);
            let y = ordered(y, &b_shape, &b_order);
            let zero = T::from_f64(0.0);
            Ok(Data::Numbers(
                product.run(&x, &y, zero, |sum, a, b| sum + a * b),
            ))
        }
        (Data::Integers(x), Data::Integers(y)) => {
            let x = ordered(x, &a_shape, &a_order);
            let y = ordered(y, &b_shape, &b_order);
            let mut sums = product.run(&x, &y, 0, |sum: i64, a, b| {
                sum.wrapping_add(a.wrapping_mul(b))
            });
            for sum in &mut sums {
                *sum = integer::wrap(ty.element, *sum);
            }
            Ok(Data::Integers(sums))
        }
        _ => Err(unlike()),
    }
}

/// The elements with the dimensions in another order.
pub(super) fn ordered<V: Copy>(values: &[V], shape: &[usize], order: &[usize]) -> Vec<V> {
    if order.is_sorted() {
        return values.to_vec();
    }
    let strides = row_major(shape);
    let ordered_shape: Vec<usize> = order.iter().map(|&d| shape[d]).collect();
    let ordered_strides: Vec<isize> = order.iter().map(|&d| strides[d]).collect();
    gather_elements(values, &ordered_shape, 0, &ordered_strides)
}

/// [batch, rows, inner] x [batch, inner, columns].
struct Product {
    batch: usize,
    rows: usize,
    inner: usize,
    columns: usize,
}

impl Product {
    fn run<V: Copy>(&self, a: &[V], b: &[V], zero: V, add: impl Fn(V, V, V) -> V) -> Vec<V> {
        let mut result = vec![zero; self.batch * self.rows * self.columns];
        for batch in 0..self.batch {
            let b = &b[batch * self.inner * self.columns..];
            for row in batch * self.rows..(batch + 1) * self.rows {
                let a = &a[row * self.inner..(row + 1) * self.inner];
                let sums = &mut result[row * self.columns..(row + 1) * self.columns];
                for (k, &a) in a.iter().enumerate() {
                    let b = &b[k * self.columns..(k + 1) * self.columns];
                    for (sum, &b) in sums.iter_mut().zip(b) {
                        *sum = add(*sum, a, b);
                    }
                }
            }
        }
        result
    }
}
