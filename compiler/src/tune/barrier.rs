//! Barriers that SPIR-V keeps whole.

use crate::stablehlo::{Builder, Compound, ElementType, Op, Result, Value};

/// `x`, across which IREE moves nothing. A barrier is written to memory, where
/// bytes are not safe: if their number is no multiple of four, IREE's SPIR-V
/// loses the last ones. So they become words first.
pub(super) fn barrier(b: &mut Builder, x: Value) -> Result<Value> {
    in_words(b, x, Builder::optimization_barrier)
}

/// What `move_elements` makes of `x`, done in words.
pub(super) fn in_words(
    b: &mut Builder,
    x: Value,
    move_elements: impl FnOnce(&mut Builder, Value) -> Result<Value>,
) -> Result<Value> {
    let element = b.ty(x).element;
    if element.bits() >= 32 {
        return move_elements(b, x);
    }
    let words = b.convert(x, ElementType::I32)?;
    let words = move_elements(b, words)?;
    b.convert(words, element)
}

/// Whether it is a barrier.
pub(super) fn is_barrier(op: &Op) -> bool {
    match op {
        Op::Compound { op, .. } => *op == Compound::Barrier,
        _ => false,
    }
}
