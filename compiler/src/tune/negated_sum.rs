//! Sums of negated values.
//!
//! Before, in the backward pass of a norm, where a mean was subtracted:
//! ```mlir
//! %1 = negate %dy
//! %s = reduce add %1 across [1, 2, 3]
//! ```
//! After:
//! ```mlir
//! %1 = reduce add %dy across [1, 2, 3]
//! %s = negate %1
//! ```
//! The same to the bit: a sign changes nothing in rounding. IREE makes the
//! first a reduction that subtracts, and its GPU code generators fail to find
//! what to begin one with.

use crate::simplify::{Matcher, Rewrite};
use crate::stablehlo::{Instruction, Module, Op, Result, UnaryOp, Value};

/// Runs the pass.
///
/// # Errors
/// Only by a fault of this pass.
pub fn run(module: &Module) -> Result<Module> {
    let rewrite = Rewrite {
        name: "negated-sum",
        apply: &negated_sum,
    };
    super::rewrite_module(module, &[rewrite])
}

/// Pattern: reduce(negate(x), add) -> negate(reduce(x, add))
fn negated_sum(m: &mut Matcher, i: &Instruction) -> Result<Option<Value>> {
    let Some(dims) = m.summed(i) else {
        return Ok(None);
    };
    match m.definition(i.operands[0]) {
        Some(negate) if negate.op == Op::Unary(UnaryOp::Negate) => {
            let sum = m.builder.sum(negate.operands[0], dims)?;
            m.builder.negate(sum).map(Some)
        }
        _ => Ok(None),
    }
}
