//! Windowed reductions that cover all of their operand.
//!
//! Before:
//! ```mlir
//! %1 = reduce_window add %x, window_dimensions = [1, 4], window_strides = [1, 3] : tensor<8x6xf32>
//! ```
//! After:
//! ```mlir
//! %1 = slice %x [0:8, 0:4]
//! %2 = reduce_window add %1, window_dimensions = [1, 4], window_strides = [1, 3] : tensor<8x4xf32>
//! ```
//! IREE fails to compile windows that leave rows uncovered if there is one
//! position only, and negative padding.

use crate::simplify::{Matcher, Rewrite};
use crate::stablehlo::infer::dilated;
use crate::stablehlo::{Instruction, Module, Op, Result, Value, Window};

/// Runs the pass.
///
/// # Errors
/// Only by a fault of this pass.
pub fn run(module: &Module) -> Result<Module> {
    let rewrite = Rewrite {
        name: "explicit-window",
        apply: explicit_window,
    };
    super::rewrite_module(module, &[rewrite])
}

/// Pattern: reduce_window(x, pads) -> reduce_window(slice(x), pads that are not negative and cover no spare cells) [if x is not dilated]
fn explicit_window(m: &mut Matcher, i: &Instruction) -> Result<Option<Value>> {
    let Op::ReduceWindow { reducer, window } = &i.op else {
        return Ok(None);
    };
    let windows = m.result_shape.clone();
    let b = &mut m.builder;
    let (x, init) = (i.operands[0], i.operands[1]);
    let shape = b.shape(x);
    if window.base_dilations.iter().any(|&d| d != 1) || windows.contains(&0) {
        return Ok(None);
    }
    let (mut start, mut limit) = (vec![0; shape.len()], shape.clone());
    let mut padding = window.padding.clone();
    for (d, [low, high]) in padding.iter_mut().enumerate() {
        let extent = dilated(window.size[d], window.window_dilations[d]);
        let covered = (windows[d] - 1) * window.strides[d] + extent;
        *high = covered - shape[d] - *low;
        start[d] = (-*low).max(0);
        limit[d] -= (-*high).max(0);
        [*low, *high] = [(*low).max(0), (*high).max(0)];
    }
    let whole = limit == shape && start.iter().all(|&s| s == 0);
    if whole && padding == window.padding || start.iter().zip(&limit).any(|(s, l)| s > l) {
        return Ok(None);
    }
    let x = b.slice(x, &start, &limit, &vec![1; shape.len()])?;
    let op = Op::ReduceWindow {
        reducer: *reducer,
        window: Window {
            padding,
            ..window.clone()
        },
    };
    b.push(op, &[x, init]).map(Some)
}
