//! Sums over batch and space in two stages.
//!
//! Before:
//! ```mlir
//! %db = reduce add %dy across [0, 1, 2] : tensor<128x28x28x32xf32> -> tensor<32xf32>
//! ```
//! After:
//! ```mlir
//! %1 = reduce add %dy across [1, 2] : tensor<128x28x28x32xf32> -> tensor<128x32xf32>
//! %db = reduce add %1 across [0] : tensor<128x32xf32> -> tensor<32xf32>
//! ```
//! IREE shares a reduction among cores by its kept dimensions. With only the
//! channels kept, each core strides through the whole tensor for a few of
//! them; with the batch kept first, each reads its examples once, in order.

use crate::simplify::{Matcher, Rewrite};
use crate::stablehlo::{Instruction, Module, Result, Value};

/// Runs the pass.
///
/// # Errors
/// Only by a fault of this pass.
pub fn run(module: &Module) -> Result<Module> {
    let rewrite = Rewrite {
        name: "two-stage-sum",
        apply: &two_stage_sum,
    };
    super::rewrite_module(module, &[rewrite])
}

/// Pattern: reduce(x, add, {0} + rest) -> reduce(reduce(x, add, rest), add, {0}) [if the last dimension is kept]
fn two_stage_sum(m: &mut Matcher, i: &Instruction) -> Result<Option<Value>> {
    let Some(dims) = m.summed(i) else {
        return Ok(None);
    };
    let x = i.operands[0];
    let rank = m.builder.ty(x).rank();
    let rest: Vec<usize> = dims.iter().copied().filter(|&d| d != 0).collect();
    let fits = dims.contains(&0) && !rest.is_empty() && !dims.contains(&(rank - 1));
    if !fits {
        return Ok(None);
    }
    let per_example = m.builder.sum(x, &rest)?;
    m.builder.sum(per_example, &[0]).map(Some)
}
