//! Reductions that are written before they are spread.
//!
//! Before:
//! ```mlir
//! %1 = convolution(%x, %w) : -> tensor<2x14x14x6xf32>
//! %2 = broadcast_in_dim %1, dims = [0, 1, 3, 5] : -> tensor<2x14x2x14x2x6xf32>
//! ```
//! After:
//! ```mlir
//! %1 = convolution(%x, %w)
//! %2 = optimization_barrier %1
//! %3 = broadcast_in_dim %2, dims = [0, 1, 3, 5]
//! ```
//! IREE computes both at once. Its SPIR-V gives the cells of the broadcast to
//! other invocations than those of the convolution, and they do not wait: a
//! fifth of the cells is wrong. What keeps the shape, such as a bias and a
//! relu, stays with the reduction.

use std::collections::HashSet;

use super::barrier::{barrier, is_barrier};
use crate::simplify::{Matcher, Rewrite};
use crate::stablehlo::{Instruction, Module, Op, Result, Value};

/// Runs the pass.
///
/// # Errors
/// Only by a fault of this pass.
pub fn run(module: &Module) -> Result<Module> {
    let rewrite = Rewrite {
        name: "settled-reduction",
        apply: &settled_reduction,
    };
    super::rewrite_module(module, &[rewrite])
}

/// Pattern: broadcast(x), transpose(x) -> the same of barrier(x) [if x is computed from a reduction]
fn settled_reduction(m: &mut Matcher, i: &Instruction) -> Result<Option<Value>> {
    let spreads = matches!(i.op, Op::BroadcastInDim { .. } | Op::Transpose { .. });
    if !spreads || !reduces(m, i.operands[0]) {
        return Ok(None);
    }
    let x = barrier(&mut m.builder, i.operands[0])?;
    m.builder.push(i.op.clone(), &[x]).map(Some)
}

/// Whether `value` may be computed together with a reduction.
fn reduces(m: &mut Matcher, value: Value) -> bool {
    let mut open = vec![value];
    let mut seen = HashSet::new();
    while let Some(value) = open.pop() {
        if !seen.insert(value) {
            continue;
        }
        let Some(instruction) = m.definition(value) else {
            continue;
        };
        match instruction.op {
            Op::Convolution(_)
            | Op::DotGeneral(_)
            | Op::Reduce { .. }
            | Op::ReduceWindow { .. }
            | Op::SelectAndScatter { .. } => return true,
            ref op if is_barrier(op) => {}
            _ => open.extend(instruction.operands),
        }
    }
    false
}
