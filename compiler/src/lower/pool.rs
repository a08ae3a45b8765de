//! Pools of NCHW.

use super::axes::mean;
use crate::network::Window as Pool;
use crate::stablehlo::{
    Builder, ElementType, Literal, Op, Reducer, Result, Scalar, TensorType, Value, Window,
};

/// Maximum over windows; padding is -inf.
pub(super) fn max_pool(b: &mut Builder, pool: &Pool, x: Value) -> Result<Value> {
    b.reduce_window(Reducer::Max, x, nchw(pool))
}

/// Mean over windows: the sum, with zeros as padding, by the number of cells.
pub(super) fn avg_pool(
    b: &mut Builder,
    pool: &Pool,
    count_padding: bool,
    x: Value,
) -> Result<Value> {
    let input = b.shape(x);
    let sum = b.reduce_window(Reducer::Add, x, nchw(pool))?;
    let windows = b.shape(sum);
    let mut counts = Vec::new();
    for axis in 0..2 {
        counts.push(match count_padding {
            true => vec![pool.size[axis]],
            false => real_cells(pool, axis, input[2 + axis], windows[2 + axis]),
        });
    }
    let divisor = match (all_equal(&counts[0]), all_equal(&counts[1])) {
        (Some(height), Some(width)) => b.splat_like((height * width) as f64, sum)?,
        _ => {
            let shape = [windows[2], windows[3]];
            let height = along(b, &counts[0], 0, shape)?;
            let width = along(b, &counts[1], 1, shape)?;
            let cells = b.multiply(height, width)?;
            b.broadcast(cells, &[2, 3], &windows)?
        }
    };
    b.divide(sum, divisor)
}

/// The mean of each channel of an image, or over tokens.
pub(super) fn global_avg_pool(b: &mut Builder, x: Value) -> Result<Value> {
    match b.ty(x).rank() {
        3 => mean(b, x, &[1]),
        _ => mean(b, x, &[2, 3]),
    }
}

/// For each window of an axis the number of its cells that are no padding.
fn real_cells(pool: &Pool, axis: usize, extent: i64, windows: i64) -> Vec<i64> {
    (0..windows)
        .map(|window| {
            let start = window * pool.stride[axis] - pool.padding[axis][0];
            (start + pool.size[axis]).min(extent) - start.max(0)
        })
        .collect()
}

fn all_equal(counts: &[i64]) -> Option<i64> {
    let first = *counts.first()?;
    counts.iter().all(|&count| count == first).then_some(first)
}

/// Counts along one of two dimensions, repeated along the other.
fn along(b: &mut Builder, counts: &[i64], dim: usize, shape: [i64; 2]) -> Result<Value> {
    let values = counts.iter().map(|&count| Scalar::Float(count as f64));
    let literal = Literal {
        ty: TensorType::new([counts.len() as i64], ElementType::F32),
        values: values.collect(),
    };
    let counts = b.push(Op::Constant(literal), &[])?;
    b.broadcast(counts, &[dim], &shape)
}

fn nchw(pool: &Pool) -> Window {
    let mut window = Window::unit(4);
    for axis in 0..2 {
        window.size[2 + axis] = pool.size[axis];
        window.strides[2 + axis] = pool.stride[axis];
        window.padding[2 + axis] = pool.padding[axis];
    }
    window
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 5 cells, one of padding on each side, windows of 3 at steps of 2.
    #[test]
    fn padding_is_no_real_cell() {
        let pool = Pool {
            size: [3, 1],
            stride: [2, 1],
            padding: [[1, 1], [0, 0]],
        };
        assert_eq!(real_cells(&pool, 0, 5, 3), [2, 3, 2]);
        assert_eq!(real_cells(&pool, 1, 2, 2), [1, 1]);
    }
}
