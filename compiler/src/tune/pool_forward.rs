//! Max-pools as maxima of strided slices.
//!
//! Before:
//! ```mlir
//! %1 = reduce_window max %x, window_dimensions = [1, 2, 2, 1], window_strides = [1, 2, 2, 1]
//! ```
//! After:
//! ```mlir
//! %1 = slice %x [0:8, 0:28:2, 0:28:2, 0:32]   // and three more
//! %5 = maximum %1, %2
//! %6 = maximum %3, %4
//! %7 = maximum %5, %6
//! ```
//! The slices are those of [`super::pool_backward`], so that both share them,
//! and they fuse with what surrounds them; a `reduce_window` does not.

use super::taps;
use crate::simplify::{Matcher, Rewrite};
use crate::stablehlo::{Instruction, Module, Op, Reducer, Result, Value};

/// Larger windows stay as they are.
const LARGEST: i64 = 16;

/// Runs the pass.
///
/// # Errors
/// Only by a fault of this pass.
pub fn run(module: &Module) -> Result<Module> {
    let rewrite = Rewrite {
        name: "pool-forward",
        apply: &pool_forward,
    };
    super::rewrite_module(module, &[rewrite])
}

/// Pattern: reduce_window(x, max) -> maximum of slices [if there are at most 16 cells and no dilation]
fn pool_forward(m: &mut Matcher, i: &Instruction) -> Result<Option<Value>> {
    let Op::ReduceWindow {
        reducer: Reducer::Max,
        window,
    } = &i.op
    else {
        return Ok(None);
    };
    let x = i.operands[0];
    let neutral = Reducer::Max.neutral(m.builder.ty(x).element);
    if !taps::undilated(window)
        || taps::count(window) > LARGEST
        || m.splat(i.operands[1]) != Some(neutral)
    {
        return Ok(None);
    }
    let windows = m.result_shape.clone();
    if windows.contains(&0) {
        return Ok(None);
    }
    taps::maximum(&mut m.builder, x, window, &windows).map(Some)
}
