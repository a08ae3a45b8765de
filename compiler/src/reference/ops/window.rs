//! Windows that slide over all dimensions.

use super::elementwise::number_binary;
use super::{Elements, unlike};
use crate::reference::integer;
use crate::reference::number::Number;
use crate::reference::tensor::{Data, Tensor, extents};
use crate::reference::walk::{Sliding, row_major};
use crate::stablehlo::{Direction, Reducer, TensorType, Window};

/// The most taps of a window, so that a slip in its size is an error and not a
/// lack of memory.
const MOST_TAPS: i64 = 1 << 26;

/// Folds each window from the initial value, in row-major order. Taps in the
/// padding and between cells hold the initial value, too.
pub(super) fn reduce_window<T: Number>(
    reducer: Reducer,
    window: &Window,
    x: &Tensor<T>,
    init: &Tensor<T>,
    ty: &TensorType,
) -> Elements<T> {
    let windows = Windows::new(window, &x.extents(), &extents(ty))?;
    match (x.data(), init.data()) {
        (Data::Numbers(x), Data::Numbers(init)) => {
            let function = number_binary(reducer.op())?;
            Ok(Data::Numbers(windows.fold(x, init, function)))
        }
        (Data::Integers(x), Data::Integers(init)) => {
            let function = integer::binary(reducer.op(), ty.element)?;
            Ok(Data::Integers(windows.fold(x, init, function)))
        }
        _ => Err(unlike()),
    }
}

/// Adds each cell of the source to the cell of the operand that its window
/// selects; the rest is the initial value. As the specification folds, a cell
/// stays selected while it is greater than or equal to the next, and padding
/// takes no part. The source of a window without cells is dropped.
pub(super) fn select_and_scatter<T: Number>(
    window: &Window,
    x: &Tensor<T>,
    source: &Tensor<T>,
    init: &Tensor<T>,
) -> Elements<T> {
    let windows = Windows::new(window, &x.extents(), &source.extents())?;
    let element = x.ty().element;
    match (x.data(), source.data(), init.data()) {
        (Data::Numbers(x), Data::Numbers(source), Data::Numbers(init)) => {
            let keeps = |a: T, b: T| a.compare(Direction::Ge, b);
            Ok(Data::Numbers(windows.scatter(
                x,
                source,
                init,
                keeps,
                T::add,
            )))
        }
        (Data::Integers(x), Data::Integers(source), Data::Integers(init)) => {
            let keeps = |a, b| integer::compare(Direction::Ge, element, a, b);
            let add = integer::binary(Reducer::Add.op(), element)?;
            Ok(Data::Integers(windows.scatter(x, source, init, keeps, add)))
        }
        _ => Err(unlike()),
    }
}

/// A window and its positions.
struct Windows {
    dims: Vec<Sliding>,
    cell_strides: Vec<isize>,
    cells: usize,
    positions: Vec<usize>,
    taps: Vec<usize>,
}

impl Windows {
    fn new(window: &Window, cells: &[usize], positions: &[usize]) -> Result<Self, String> {
        let count = window.size.iter().fold(1i64, |a, &b| a.saturating_mul(b));
        if count > MOST_TAPS {
            return Err(format!(
                "the window {:?} has more than {MOST_TAPS} cells",
                window.size
            ));
        }
        let taps: Vec<usize> = window
            .size
            .iter()
            .map(|&size| usize::try_from(size).unwrap_or(0))
            .collect();
        let dims = (0..cells.len())
            .map(|i| Sliding {
                cells: cells[i],
                positions: positions[i],
                taps: taps[i],
                stride: window.strides[i],
                tap_dilation: window.window_dilations[i],
                cell_dilation: window.base_dilations[i],
                low: window.padding[i][0],
            })
            .collect();
        Ok(Windows {
            dims,
            cell_strides: row_major(cells),
            cells: cells.iter().product(),
            positions: positions.to_vec(),
            taps,
        })
    }

    /// Visits the windows in row-major order, each with the offset of the cell
    /// under every tap, row-major.
    fn each(&self, mut visit: impl FnMut(usize, &[Option<usize>])) {
        let mut under = Vec::new();
        let mut scratch = Vec::new();
        let strides = row_major(&self.positions);
        for place in 0..self.positions.iter().product() {
            under.clear();
            under.push(Some(0));
            for (dim, sliding) in self.dims.iter().enumerate() {
                let position = place / strides[dim] as usize % self.positions[dim];
                scratch.clear();
                for &cell in &under {
                    for tap in 0..self.taps[dim] {
                        let own = sliding.cell(position, tap);
                        scratch.push(cell.zip(own).map(|(cell, own): (usize, usize)| {
                            cell + own * self.cell_strides[dim] as usize
                        }));
                    }
                }
                std::mem::swap(&mut under, &mut scratch);
            }
            visit(place, &under);
        }
    }

    fn fold<V: Copy>(&self, x: &[V], init: &[V], function: impl Fn(V, V) -> V) -> Vec<V> {
        let Some(&init) = init.first() else {
            return Vec::new();
        };
        let mut result = Vec::with_capacity(self.positions.iter().product());
        self.each(|_, under| {
            let cells = under.iter().map(|cell| cell.map_or(init, |at| x[at]));
            result.push(cells.fold(init, &function));
        });
        result
    }

    fn scatter<V: Copy>(
        &self,
        x: &[V],
        source: &[V],
        init: &[V],
        keeps: impl Fn(V, V) -> bool,
        add: impl Fn(V, V) -> V,
    ) -> Vec<V> {
        let Some(&init) = init.first() else {
            return Vec::new();
        };
        let mut result = vec![init; self.cells];
        self.each(|place, under| {
            let cells = under.iter().copied().flatten();
            let selected = cells.reduce(|a, b| if keeps(x[a], x[b]) { a } else { b });
            if let Some(at) = selected {
                result[at] = add(result[at], source[place]);
            }
        });
        result
    }
}
