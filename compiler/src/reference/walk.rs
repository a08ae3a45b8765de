//! Walks over index spaces by strides, and the cells under a sliding window.

/// Row-major strides of a shape.
pub(super) fn row_major(shape: &[usize]) -> Vec<isize> {
    let mut strides = vec![1isize; shape.len()];
    for dim in (1..shape.len()).rev() {
        strides[dim - 1] = strides[dim].saturating_mul(shape[dim] as isize);
    }
    strides
}

/// Visits the indices of `shape` in row-major order with the offset of each in
/// N layouts; a layout is the offset of the first index and a stride per
/// dimension.
pub(super) fn walk<const N: usize>(
    shape: &[usize],
    layouts: [(isize, &[isize]); N],
    mut visit: impl FnMut([usize; N]),
) {
    if shape.contains(&0) {
        return;
    }
    let mut offsets = layouts.map(|(start, _)| start);
    let Some((&inner, outer)) = shape.split_last() else {
        return visit(offsets.map(|o| o as usize));
    };
    let steps = layouts.map(|(_, strides)| strides[outer.len()]);
    let mut index = vec![0; outer.len()];
    loop {
        let mut at = offsets;
        for _ in 0..inner {
            visit(at.map(|o| o as usize));
            for (at, step) in at.iter_mut().zip(steps) {
                *at += step;
            }
        }
        let mut dim = outer.len();
        loop {
            let Some(previous) = dim.checked_sub(1) else {
                return;
            };
            dim = previous;
            index[dim] += 1;
            let carry = index[dim] == outer[dim];
            for (offset, (_, strides)) in offsets.iter_mut().zip(layouts) {
                *offset += strides[dim];
                if carry {
                    *offset -= strides[dim] * outer[dim] as isize;
                }
            }
            if !carry {
                break;
            }
            index[dim] = 0;
        }
    }
}

/// One dimension of a sliding window.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sliding {
    /// Cells of the operand.
    pub cells: usize,
    /// Positions of the window.
    pub positions: usize,
    /// Taps of the window.
    pub taps: usize,
    /// Step between positions.
    pub stride: i64,
    /// Step between taps.
    pub tap_dilation: i64,
    /// Step between cells.
    pub cell_dilation: i64,
    /// Padding before the first cell; may be negative.
    pub low: i64,
}

impl Sliding {
    /// The cell under a tap at a position: none in the padding and between
    /// cells.
    pub fn cell(&self, position: usize, tap: usize) -> Option<usize> {
        let place = position as i64 * self.stride + tap as i64 * self.tap_dilation - self.low;
        let cell = usize::try_from(place.div_euclid(self.cell_dilation)).ok()?;
        (place.rem_euclid(self.cell_dilation) == 0 && cell < self.cells).then_some(cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_in_row_major_order() {
        let mut seen = Vec::new();
        walk(&[2, 3], [(0, &[3, 1]), (5, &[-3, -1])], |[a, b]| {
            seen.push((a, b));
        });
        assert_eq!(seen, [(0, 5), (1, 4), (2, 3), (3, 2), (4, 1), (5, 0)]);
    }

    #[test]
    fn a_scalar_has_one_index_and_an_empty_shape_none() {
        let mut count = 0;
        walk(&[], [(7, &[])], |[at]| {
            assert_eq!(at, 7);
            count += 1;
        });
        walk(&[4, 0], [(0, &[0, 1])], |_| count += 1);
        assert_eq!(count, 1);
    }

    #[test]
    fn cells_under_a_window() {
        // Padding 1, cells 2 apart: places -1..=6 hold . 0 . 1 . 2 . .
        let sliding = Sliding {
            cells: 3,
            positions: 3,
            taps: 3,
            stride: 2,
            tap_dilation: 2,
            cell_dilation: 2,
            low: 2,
        };
        let cells = |position| [0, 1, 2].map(|tap| sliding.cell(position, tap));
        assert_eq!(cells(0), [None, Some(0), Some(1)]);
        assert_eq!(cells(1), [Some(0), Some(1), Some(2)]);
        assert_eq!(cells(2), [Some(1), Some(2), None]);
        let odd = Sliding { low: 1, ..sliding };
        assert_eq!(odd.cell(0, 0), None);
        assert_eq!(odd.cell(0, 1), None);
    }
}
