//! A function that shows what goes into the max-pools.

use crate::simplify::simplify;
use crate::stablehlo::{Builder, Function, Instruction, Location, Op, Reducer, Result};

/// The forward function cut off at its max-pools.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    /// The same arguments, and as the only result the inputs of all max-pools,
    /// each in C, H, W order and one after the other: `[N, cells]`.
    pub function: Function,
    /// Where the max-pools come from.
    pub locations: Vec<Location>,
}

/// Cuts off a forward function at its max-pools. `None` where it has none.
///
/// # Errors
/// If an input has no batch dimension, which lowering does not emit.
pub fn observe(forward: &Function) -> Result<Option<Observed>> {
    let is_pool = |instruction: &&Instruction| {
        let op = &instruction.op;
        matches!(op, Op::ReduceWindow { reducer, .. } if *reducer == Reducer::Max)
    };
    let pools: Vec<&Instruction> = forward.body.iter().filter(is_pool).collect();
    let mut b = Builder::new(forward.clone());
    b.function.outputs.clear();
    let mut parts = Vec::new();
    for input in pools.iter().filter_map(|pool| pool.operands.first()) {
        let shape = b.shape(*input);
        let batch = shape.first().copied().unwrap_or(1);
        let cells = shape.iter().skip(1).product();
        parts.push(b.reshape(*input, &[batch, cells])?);
    }
    let all = match parts[..] {
        [] => return Ok(None),
        [one] => one,
        _ => b.concatenate(&parts, 1)?,
    };
    b.function.output(Some("cells"), all);
    Ok(Some(Observed {
        function: simplify(&b.function)?,
        locations: pools.iter().map(|pool| pool.location.clone()).collect(),
    }))
}
