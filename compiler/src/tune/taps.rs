//! Windows taken apart: one strided slice per cell of the window; and the order
//! of dimensions in which they are.

use crate::stablehlo::{Builder, Reducer, Result, Value, Window};

/// The offsets of a window's cells, in row-major order.
pub(super) fn offsets(window: &Window) -> Vec<Vec<i64>> {
    let mut offsets = vec![Vec::new()];
    for &size in &window.size {
        offsets = offsets
            .into_iter()
            .flat_map(|prefix: Vec<i64>| {
                (0..size).map(move |i| prefix.iter().copied().chain([i]).collect())
            })
            .collect();
    }
    offsets
}

/// The dimensions of images, their spatial ones between two others.
pub(super) fn order(first: usize, spatial: &[usize], last: usize) -> Vec<usize> {
    [&[first], spatial, &[last]].concat()
}

/// Number of cells of a window.
pub(super) fn count(window: &Window) -> i64 {
    window.size.iter().product()
}

/// Whether neither operand nor window is dilated.
pub(super) fn undilated(window: &Window) -> bool {
    let ones = |list: &[i64]| list.iter().all(|&d| d == 1);
    ones(&window.base_dilations) && ones(&window.window_dilations)
}

/// `x` with the window's padding, filled with `value`.
pub(super) fn pad(b: &mut Builder, x: Value, window: &Window, value: f64) -> Result<Value> {
    let low: Vec<i64> = window.padding.iter().map(|p| p[0]).collect();
    let high: Vec<i64> = window.padding.iter().map(|p| p[1]).collect();
    if low.iter().chain(&high).all(|&p| p == 0) {
        return Ok(x);
    }
    let value = b.scalar_like(value, x)?;
    b.pad(x, value, &low, &high, &vec![0; low.len()])
}

/// For each offset the cell that every window has there: slices of the padded
/// tensor, of the windows' shape.
pub(super) fn slices(
    b: &mut Builder,
    padded: Value,
    window: &Window,
    windows: &[i64],
) -> Result<Vec<Value>> {
    offsets(window)
        .into_iter()
        .map(|offset| {
            let limit: Vec<i64> = (0..windows.len())
                .map(|d| offset[d] + (windows[d] - 1) * window.strides[d] + 1)
                .collect();
            b.slice(padded, &offset, &limit, &window.strides)
        })
        .collect()
}

/// The maximum of every window, by a tree over the slices.
pub(super) fn maximum(
    b: &mut Builder,
    x: Value,
    window: &Window,
    windows: &[i64],
) -> Result<Value> {
    let lowest = Reducer::Max.neutral(b.ty(x).element);
    let padded = pad(b, x, window, lowest)?;
    let mut level = slices(b, padded, window, windows)?;
    while level.len() > 1 {
        level = level
            .chunks(2)
            .map(|pair| match pair {
                [left, right] => b.maximum(*left, *right),
                rest => Ok(rest[0]),
            })
            .collect::<Result<_>>()?;
    }
    level.first().copied().map_or_else(|| Ok(x), Ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_row_major() {
        let window = Window {
            size: vec![1, 2, 2],
            ..Window::unit(3)
        };
        assert_eq!(
            offsets(&window),
            [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1]]
        );
    }
}
