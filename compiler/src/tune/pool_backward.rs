//! The backward pass of max-pool by the index of each window's first maximum.
//!
//! Before:
//! ```mlir
//! %dx = select_and_scatter(%x, %dy, 0) GE add, window_dimensions = [1, 2, 2, 1], window_strides = [1, 2, 2, 1]
//! ```
//! After, for windows that tile the tensor:
//! ```mlir
//! %index = 0 where slice 0 equals the maximum, else 1 where slice 1 does, else ...
//! %hit = compare EQ, broadcast(%index), iota            // [n, h, 2, w, 2, c]
//! %dx = reshape(select(%hit, broadcast(%dy), 0))
//! ```
//! and for windows that overlap or are padded, for each cell t of the window:
//! ```mlir
//! %t = pad(select(compare EQ, %index, t, %dy, 0), low = t, interior = stride - 1)
//! ```
//! with the sum of these cropped to the tensor. IREE gives ties to the last
//! maximal cell and cannot lower overlapping windows at all; this form is
//! right for every window, and five times faster.

use super::barrier::barrier;
use super::taps;
use crate::simplify::{Matcher, Rewrite};
use crate::stablehlo::{
    Builder, Direction, ElementType, Instruction, Module, Op, Result, TensorType, Value, Window,
};

/// Runs the pass; an index is a byte where the window allows.
///
/// # Errors
/// Only by a fault of this pass.
pub fn run(module: &Module) -> Result<Module> {
    let rewrite = Rewrite {
        name: "pool-backward",
        apply: &pool_backward,
    };
    super::rewrite_module(module, &[rewrite])
}

/// Runs the pass where bytes do not do: IREE's SPIR-V loses the last of them
/// if their number is no multiple of four.
///
/// # Errors
/// As [`run`].
pub fn run_wide(module: &Module) -> Result<Module> {
    let rewrite = Rewrite {
        name: "pool-backward",
        apply: &wide_pool_backward,
    };
    super::rewrite_module(module, &[rewrite])
}

/// Runs the pass with a barrier behind the cotangent: IREE would spread it over
/// the windows inside of the convolution that it comes from, with more shared
/// memory than AMD's GPUs have.
///
/// # Errors
/// As [`run`].
pub fn run_apart(module: &Module) -> Result<Module> {
    let rewrite = Rewrite {
        name: "pool-backward",
        apply: &pool_backward_apart,
    };
    super::rewrite_module(module, &[rewrite])
}

/// Pattern: select_and_scatter(x, dy, 0) -> first-maximum index form [if x is floating-point or not padded]
///
/// Integers have no NaN to pad with.
fn pool_backward(m: &mut Matcher, i: &Instruction) -> Result<Option<Value>> {
    by_index(m, i, narrow, false)
}

/// Pattern: select_and_scatter(x, dy, 0) -> the same form of barrier(dy)
fn pool_backward_apart(m: &mut Matcher, i: &Instruction) -> Result<Option<Value>> {
    by_index(m, i, narrow, true)
}

/// Pattern: select_and_scatter(x, dy, 0) -> the same form with i32 indices
fn wide_pool_backward(m: &mut Matcher, i: &Instruction) -> Result<Option<Value>> {
    by_index(m, i, |_| ElementType::I32, false)
}

fn narrow(window: &Window) -> ElementType {
    match taps::count(window) <= 127 {
        true => ElementType::I8,
        false => ElementType::I32,
    }
}

fn by_index(
    m: &mut Matcher,
    i: &Instruction,
    element: fn(&Window) -> ElementType,
    apart: bool,
) -> Result<Option<Value>> {
    let Op::SelectAndScatter { window } = &i.op else {
        return Ok(None);
    };
    let (x, dy) = (i.operands[0], i.operands[1]);
    if m.splat(i.operands[2]) != Some(0.0) {
        return Ok(None);
    }
    let b = &mut m.builder;
    let padded = window.padding.iter().any(|p| *p != [0, 0]);
    if padded && !b.ty(x).element.is_float() {
        return Ok(None);
    }
    let windows = b.shape(dy);
    if windows.contains(&0) {
        return b.splat_like(0.0, x).map(Some);
    }
    let dy = if apart { barrier(b, dy)? } else { dy };
    let index = TensorType::new(windows, element(window));
    let index = first_maximum(b, x, window, index)?;
    let tiles = window.size == window.strides && window.padding.iter().all(|p| *p == [0, 0]);
    let dx = if tiles {
        tiled(b, x, dy, index, window)?
    } else {
        overlapping(b, x, dy, index, window)?
    };
    Ok(Some(dx))
}

/// For each window the number, in row-major order, of its first cell that
/// equals the maximum. Padding is NaN here, which equals nothing.
fn first_maximum(b: &mut Builder, x: Value, window: &Window, ty: TensorType) -> Result<Value> {
    let largest = taps::maximum(b, x, window, &ty.shape)?;
    let padded = taps::pad(b, x, window, f64::NAN)?;
    let cells = taps::slices(b, padded, window, &ty.shape)?;
    let last = cells.len().saturating_sub(1);
    let mut index = b.splat(last as f64, ty.clone())?;
    for (number, &cell) in cells.iter().enumerate().take(last).rev() {
        let is_largest = b.compare(Direction::Eq, cell, largest)?;
        let own = b.splat(number as f64, ty.clone())?;
        index = b.select(is_largest, own, index)?;
    }
    Ok(index)
}

/// Windows side by side: every cell of the tensor belongs to one window, so
/// the cotangent is spread over the window and kept where the index says.
fn tiled(b: &mut Builder, x: Value, dy: Value, index: Value, window: &Window) -> Result<Value> {
    let windows = b.shape(dy);
    // Dimension d of extent n k becomes two: n windows, k cells each.
    let mut split = Vec::new();
    let mut kept = Vec::new();
    let mut cells = Vec::new();
    for (d, &size) in window.size.iter().enumerate() {
        kept.push(split.len());
        split.push(windows[d]);
        if size > 1 {
            cells.push((split.len(), size));
            split.push(size);
        }
    }
    let numbers = b.ty(index).with_shape(split.clone());
    let mut number = None;
    for &(dim, size) in &cells {
        let along = b.iota(dim, numbers.clone())?;
        number = Some(match number {
            None => along,
            Some(outer) => {
                let size = b.splat(size as f64, numbers.clone())?;
                let scaled = b.multiply(outer, size)?;
                b.add(scaled, along)?
            }
        });
    }
    let number = match number {
        Some(number) => number,
        None => b.splat(0.0, numbers)?,
    };
    let spread_index = b.broadcast(index, &kept, &split)?;
    let hit = b.compare(Direction::Eq, spread_index, number)?;
    let spread = b.broadcast(dy, &kept, &split)?;
    let zero = b.splat_like(0.0, spread)?;
    let chosen = b.select(hit, spread, zero)?;
    let covered: Vec<i64> = (0..windows.len())
        .map(|d| windows[d] * window.size[d])
        .collect();
    let chosen = b.reshape(chosen, &covered)?;
    let shape = b.shape(x);
    let high: Vec<i64> = (0..shape.len()).map(|d| shape[d] - covered[d]).collect();
    let none = vec![0; shape.len()];
    b.pad_zero(chosen, &none, &high, &none)
}

/// Any windows: each cell of the window scatters its share; overlaps add.
fn overlapping(
    b: &mut Builder,
    x: Value,
    dy: Value,
    index: Value,
    window: &Window,
) -> Result<Value> {
    let shape = b.shape(x);
    let windows = b.shape(dy);
    let rank = shape.len();
    let interior: Vec<i64> = window.strides.iter().map(|s| s - 1).collect();
    let padded: Vec<i64> = (0..rank)
        .map(|d| window.padding[d][0] + shape[d] + window.padding[d][1])
        .collect();
    let zero = b.splat_like(0.0, dy)?;
    let mut sum = None;
    for (number, offset) in taps::offsets(window).into_iter().enumerate() {
        let own = b.splat_like(number as f64, index)?;
        let hit = b.compare(Direction::Eq, index, own)?;
        let share = b.select(hit, dy, zero)?;
        let high: Vec<i64> = (0..rank)
            .map(|d| padded[d] - offset[d] - (windows[d] - 1) * window.strides[d] - 1)
            .collect();
        let scattered = b.pad_zero(share, &offset, &high, &interior)?;
        sum = Some(match sum {
            None => scattered,
            Some(sum) => b.add(sum, scattered)?,
        });
    }
    let sum = match sum {
        Some(sum) => sum,
        None => b.splat_like(0.0, x)?,
    };
    // Padding is cut off; what negative padding cut off was in no window.
    let part = |side: usize, sign: i64| -> Vec<i64> {
        window
            .padding
            .iter()
            .map(|p| (sign * p[side]).max(0))
            .collect()
    };
    let start = part(0, 1);
    let limit: Vec<i64> = padded
        .iter()
        .zip(part(1, 1))
        .map(|(p, high)| p - high)
        .collect();
    let kept = b.slice(sum, &start, &limit, &vec![1; rank])?;
    b.pad_zero(kept, &part(0, -1), &part(1, -1), &vec![0; rank])
}
