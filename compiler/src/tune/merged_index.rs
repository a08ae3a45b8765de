//! Reversals and orders of numbers with as few dimensions as they need.
//!
//! Before:
//! ```mlir
//! %r = reverse %w, dims = [0, 1] : tensor<3x3x256x384xf32>
//! %t = transpose (reshape (iota)), dims = [2, 3, 1, 0] : tensor<384x256x3x3> -> tensor<3x3x256x384>
//! ```
//! After:
//! ```mlir
//! %1 = reverse (reshape %w), dims = [0] : tensor<9x256x384xf32>
//! %r = reshape (optimization_barrier %1)
//! %2 = transpose (reshape (iota)), dims = [2, 1, 0] : tensor<384x256x9> -> tensor<9x256x384>
//! %t = reshape %2
//! ```
//! IREE makes both a loop over one index, from which it computes the others by
//! division. LLVM does a division of four values at once in 16 bits where it
//! can tell that they are small (the second one here, by 3, of an index shifted
//! right by 16 bits), and its PTX generator ends the process on that one:
//! `Cannot select: v2i16,v2i16 = umul_lohi`. Without the second division there
//! is nothing to narrow. The barrier keeps IREE from taking the reshape back.

use crate::simplify::{Matcher, Rewrite};
use crate::stablehlo::{Instruction, Module, Op, Result, Value};

/// Runs the pass.
///
/// # Errors
/// Only by a fault of this pass.
pub fn run(module: &Module) -> Result<Module> {
    let rewrites = [
        Rewrite {
            name: "merged-reversal",
            apply: &merged_reversal,
        },
        Rewrite {
            name: "merged-order",
            apply: &merged_order,
        },
    ];
    super::rewrite_module(module, &rewrites)
}

/// Pattern: reverse(x) -> reshape(barrier(reverse(reshape(x)))) [if neighbours are reversed]
fn merged_reversal(m: &mut Matcher, i: &Instruction) -> Result<Option<Value>> {
    let Op::Reverse { dims } = &i.op else {
        return Ok(None);
    };
    let x = i.operands[0];
    let shape = m.builder.ty(x).shape.clone();
    let reversed = |dim: usize| dims.contains(&dim);
    let runs = runs(shape.len(), |dim| reversed(dim) && reversed(dim + 1));
    if runs.len() == shape.len() {
        return Ok(None);
    }
    let merged = m.builder.reshape(x, &sizes(&shape, &runs))?;
    let dims: Vec<usize> = (0..runs.len()).filter(|&r| reversed(runs[r][0])).collect();
    let result = m.builder.reverse(merged, &dims)?;
    let result = super::barrier::barrier(&mut m.builder, result)?;
    m.builder.reshape(result, &shape).map(Some)
}

/// Pattern: transpose(x) -> reshape(transpose(reshape(x))) [if x is a reshaped iota and neighbours stay neighbours]
fn merged_order(m: &mut Matcher, i: &Instruction) -> Result<Option<Value>> {
    let Op::Transpose { permutation } = &i.op else {
        return Ok(None);
    };
    let x = i.operands[0];
    let numbers = match m.definition(x) {
        Some(reshape) if matches!(reshape.op, Op::Reshape { .. }) => {
            m.definition(reshape.operands[0])
        }
        other => other,
    };
    if !numbers.is_some_and(|numbers| matches!(numbers.op, Op::Iota { .. })) {
        return Ok(None);
    }
    let shape = m.builder.ty(x).shape.clone();
    let follows = |dim: usize| {
        let place = permutation.iter().position(|&p| p == dim);
        place.is_some_and(|place| permutation.get(place + 1) == Some(&(dim + 1)))
    };
    let runs = runs(shape.len(), follows);
    if runs.len() == shape.len() {
        return Ok(None);
    }
    let merged = m.builder.reshape(x, &sizes(&shape, &runs))?;
    let mut order: Vec<usize> = (0..runs.len()).collect();
    order.sort_by_key(|&run| permutation.iter().position(|&p| p == runs[run][0]));
    let result = m.builder.transpose(merged, &order)?;
    let shape: Vec<i64> = permutation.iter().map(|&dim| shape[dim]).collect();
    m.builder.reshape(result, &shape).map(Some)
}

/// The dimensions in groups of neighbours.
fn runs(rank: usize, with_next: impl Fn(usize) -> bool) -> Vec<Vec<usize>> {
    let mut runs: Vec<Vec<usize>> = Vec::new();
    for dim in 0..rank {
        match runs.last_mut() {
            Some(run) if with_next(dim - 1) => run.push(dim),
            _ => runs.push(vec![dim]),
        }
    }
    runs
}

fn sizes(shape: &[i64], runs: &[Vec<usize>]) -> Vec<i64> {
    let size = |run: &Vec<usize>| run.iter().map(|&dim| shape[dim]).product();
    runs.iter().map(size).collect()
}
