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

/// Which of a window's equal maximal cells `select_and_scatter` selects.
///
/// Only [`Ties::First`] is what the specification says. The others are there
/// to ask whether it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ties {
    /// The first one.
    #[default]
    First,
    /// The one of this number, counted from 0 and round again.
    Nth(usize),
    /// Any one, drawn by this seed for each window.
    Drawn(u64),
}

impl Ties {
    /// Which of `count` equal cells the window at `place` selects.
    fn choose(self, place: usize, count: usize) -> usize {
        match self {
            Ties::First => 0,
            Ties::Nth(number) => number % count.max(1),
            Ties::Drawn(seed) => {
                let mut bits = seed ^ (place as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                // The finaliser of SplitMix64.
                bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
                ((bits ^ bits >> 31) % (count as u64).max(1)) as usize
            }
        }
    }
}

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
/// takes no part. The source of a window without cells is dropped. Among cells
/// that equal the selected one, `ties` has the last word.
pub(super) fn select_and_scatter<T: Number>(
    window: &Window,
    ties: Ties,
    x: &Tensor<T>,
    source: &Tensor<T>,
    init: &Tensor<T>,
) -> Elements<T> {
    let windows = Windows::new(window, &x.extents(), &source.extents())?;
    let element = x.ty().element;
    match (x.data(), source.data(), init.data()) {
        (Data::Numbers(x), Data::Numbers(source), Data::Numbers(init)) => {
            let compare = |direction, a: T, b: T| a.compare(direction, b);
            let select = |place, under: &_| select(x, place, under, ties, compare);
            Ok(Data::Numbers(windows.scatter(source, init, select, T::add)))
        }
        (Data::Integers(x), Data::Integers(source), Data::Integers(init)) => {
            let compare = |direction, a, b| integer::compare(direction, element, a, b);
            let select = |place, under: &_| select(x, place, under, ties, compare);
            let add = integer::binary(Reducer::Add.op(), element)?;
            Ok(Data::Integers(windows.scatter(source, init, select, add)))
        }
        _ => Err(unlike()),
    }
}

/// The cell that a window selects, if it has any.
fn select<V: Copy>(
    x: &[V],
    place: usize,
    under: &[Option<usize>],
    ties: Ties,
    compare: impl Fn(Direction, V, V) -> bool,
) -> Option<usize> {
    let cells = || under.iter().copied().flatten();
    let keeps = |a: &usize, b: &usize| compare(Direction::Ge, x[*a], x[*b]);
    let first = cells().reduce(|a, b| if keeps(&a, &b) { a } else { b })?;
    if ties == Ties::First {
        return Some(first);
    }
    let equal = || cells().filter(|&cell| compare(Direction::Eq, x[cell], x[first]));
    let number = ties.choose(place, equal().count());
    equal().nth(number).or(Some(first))
}

/// A window and its positions over the cells of a tensor.
pub(crate) struct Windows {
    dims: Vec<Sliding>,
    cell_strides: Vec<isize>,
    cells: usize,
    positions: Vec<usize>,
    taps: Vec<usize>,
}

impl Windows {
    /// A window over a tensor of extents `cells`, at `positions` places per
    /// dimension.
    ///
    /// # Errors
    /// If the window has more taps than could be meant.
    pub(crate) fn new(
        window: &Window,
        cells: &[usize],
        positions: &[usize],
    ) -> Result<Self, String> {
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
    pub(crate) fn each(&self, mut visit: impl FnMut(usize, &[Option<usize>])) {
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
        source: &[V],
        init: &[V],
        select: impl Fn(usize, &[Option<usize>]) -> Option<usize>,
        add: impl Fn(V, V) -> V,
    ) -> Vec<V> {
        let Some(&init) = init.first() else {
            return Vec::new();
        };
        let mut result = vec![init; self.cells];
        self.each(|place, under| {
            if let Some(at) = select(place, under) {
                result[at] = add(result[at], source[place]);
            }
        });
        result
    }
}
