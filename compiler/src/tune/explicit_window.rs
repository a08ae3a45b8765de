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
use crate::stablehlo::{Instruction, Module, Op, Result, Value};

/// Runs the pass.
///
/// # Errors
/// Only by a fault of this pass.
pub fn run(module: &Module) -> Result<Module> {
    let rewrite = Rewrite {
        name: "explicit-window",
        apply: &explicit_window,
    };
    super::rewrite_module(module, &[rewrite])
}

/// Pattern: reduce_window(x, pads) -> reduce_window(slice(x), pads that are not negative and cover no spare cells)
fn explicit_window(m: &mut Matcher, i: &Instruction) -> Result<Option<Value>> {
    let Op::ReduceWindow { reducer, window } = &i.op else {
        return Ok(None);
    };
    let windows = m.result_shape.clone();
    if windows.contains(&0) {
        return Ok(None);
    }
    let b = &mut m.builder;
    let (x, init) = (i.operands[0], i.operands[1]);
    let mut shape = b.shape(x);
    let rank = shape.len();
    let (mut start, mut limit) = (vec![0; rank], shape.clone());
    let mut interior = vec![0; rank];
    let mut explicit = window.clone();
    for d in 0..rank {
        let extent = dilated(window.size[d], window.window_dilations[d]);
        let covered = (windows[d] - 1) * window.strides[d] + extent;
        let spread = dilated(shape[d], window.base_dilations[d]);
        let low = window.padding[d][0];
        let high = covered - spread - low;
        explicit.padding[d] = [low.max(0), high.max(0)];
        if low < 0 || high < 0 {
            // The operand's own dilation is written out, so that the crop can
            // fall between its cells.
            interior[d] = window.base_dilations[d] - 1;
            explicit.base_dilations[d] = 1;
            shape[d] = spread;
            start[d] = (-low).max(0);
            limit[d] = spread - (-high).max(0);
        }
    }
    let crops = start.iter().any(|&s| s != 0) || limit != shape;
    let empty = start.iter().zip(&limit).any(|(s, l)| s > l);
    if empty || !crops && explicit.padding == window.padding {
        return Ok(None);
    }
    let none = vec![0; rank];
    let x = b.pad(x, init, &none, &none, &interior)?;
    let x = b.slice(x, &start, &limit, &vec![1; rank])?;
    let op = Op::ReduceWindow {
        reducer: *reducer,
        window: explicit,
    };
    b.push(op, &[x, init]).map(Some)
}
