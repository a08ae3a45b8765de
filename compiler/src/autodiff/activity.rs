//! Which values depend differentiably on the arguments of interest.

use super::rules;
use crate::stablehlo::{Function, Value};

/// For each value of `function` whether a derivative can flow from `wrt` to
/// it: it is one of them, or a floating-point result of an operation that is
/// not inactive, not marked as stopped, and has an active operand.
pub(super) fn active(function: &Function, wrt: &[Value]) -> Vec<bool> {
    let mut active = vec![false; function.value_count()];
    for value in wrt {
        active[value.index()] = true;
    }
    for instruction in &function.body {
        active[instruction.result.index()] = !instruction.stop_gradient
            && function.ty(instruction.result).element.is_float()
            && !rules::is_inactive(&instruction.op)
            && instruction.operands.iter().any(|o| active[o.index()]);
    }
    active
}
