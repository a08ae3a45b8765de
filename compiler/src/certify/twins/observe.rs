//! A function that shows what goes into the max-pools.

use crate::simplify::simplify;
use crate::stablehlo::{Builder, Function, Op, Reducer, Result, Value};

/// The forward function cut off at its max-pools: the same arguments, and as
/// the only result the inputs of all max-pools, each in C, H, W order and one
/// after the other, `[N, cells]`. `None` where there is no max-pool.
///
/// # Errors
/// If an input has no batch dimension, which lowering does not emit.
pub fn observe(forward: &Function) -> Result<Option<Function>> {
    let inputs: Vec<Value> = forward
        .body
        .iter()
        .filter(|instruction| {
            let reducer = match &instruction.op {
                Op::ReduceWindow { reducer, .. } => Some(*reducer),
                _ => None,
            };
            reducer == Some(Reducer::Max)
        })
        .filter_map(|instruction| instruction.operands.first().copied())
        .collect();
    if inputs.is_empty() {
        return Ok(None);
    }
    let mut b = Builder::new(forward.clone());
    b.function.outputs.clear();
    let mut parts = Vec::new();
    for input in inputs {
        let shape = b.shape(input);
        let batch = shape.first().copied().unwrap_or(1);
        let cells = shape.iter().skip(1).product();
        parts.push(b.reshape(input, &[batch, cells])?);
    }
    let all = match parts[..] {
        [one] => one,
        _ => b.concatenate(&parts, 1)?,
    };
    b.function.output(Some("cells"), all);
    Ok(Some(simplify(&b.function)?))
}
