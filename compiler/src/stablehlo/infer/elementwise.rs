//! Result types of element-wise operations.

use super::Refusal;
use crate::stablehlo::op::{BinaryOp, UnaryOp};
use crate::stablehlo::types::{ElementType, TensorType};

/// Whether the operation is defined for elements of this type.
fn takes(op: UnaryOp, element: ElementType) -> bool {
    let integer = !element.is_float() && element != ElementType::I1;
    match op {
        UnaryOp::Abs | UnaryOp::Negate => true,
        UnaryOp::CountLeadingZeros | UnaryOp::Popcnt => integer,
        UnaryOp::Not => !element.is_float(),
        UnaryOp::Sign => element.is_float() || integer && !element.is_unsigned(),
        _ => element.is_float(),
    }
}

pub(super) fn unary(op: UnaryOp, operand: &TensorType) -> Result<TensorType, Refusal> {
    if !takes(op, operand.element) {
        return Err(format!("is not defined for {operand}"));
    }
    Ok(match op {
        UnaryOp::IsFinite => operand.with_element(ElementType::I1),
        _ => operand.clone(),
    })
}

pub(super) fn binary(
    op: BinaryOp,
    lhs: &TensorType,
    rhs: &TensorType,
) -> Result<TensorType, Refusal> {
    if lhs != rhs {
        return Err(format!("operands have different types {lhs} and {rhs}"));
    }
    let float = lhs.element.is_float();
    if op.is_bitwise() && float || op == BinaryOp::Atan2 && !float {
        return Err(format!("is not defined for {lhs}"));
    }
    Ok(lhs.clone())
}

pub(super) fn compare(lhs: &TensorType, rhs: &TensorType) -> Result<TensorType, Refusal> {
    if lhs != rhs {
        return Err(format!("operands have different types {lhs} and {rhs}"));
    }
    Ok(lhs.with_element(ElementType::I1))
}

pub(super) fn compare_total(lhs: &TensorType, rhs: &TensorType) -> Result<TensorType, Refusal> {
    if !lhs.element.is_float() {
        return Err(format!("(C3) {lhs} has no total order of its own"));
    }
    compare(lhs, rhs)
}

pub(super) fn select(
    predicate: &TensorType,
    on_true: &TensorType,
    on_false: &TensorType,
) -> Result<TensorType, Refusal> {
    if on_true != on_false {
        return Err(format!(
            "(C2) the alternatives have different types {on_true} and {on_false}"
        ));
    }
    if predicate.element != ElementType::I1
        || !(predicate.rank() == 0 || predicate.shape == on_true.shape)
    {
        return Err(format!(
            "(C1) predicate {predicate} does not fit alternatives {on_true}"
        ));
    }
    Ok(on_true.clone())
}

pub(super) fn bitcast_convert(
    operand: &TensorType,
    element: ElementType,
) -> Result<TensorType, Refusal> {
    if operand.element.bits() != element.bits() {
        return Err(format!(
            "(C1) only bits of elements of one width are known here, not of {operand} as {element}"
        ));
    }
    Ok(operand.with_element(element))
}

pub(super) fn clamp(
    min: &TensorType,
    operand: &TensorType,
    max: &TensorType,
) -> Result<TensorType, Refusal> {
    for (label, bound) in [("(C1, C3)", min), ("(C2, C3)", max)] {
        let fits = bound.rank() == 0 || bound.shape == operand.shape;
        if !fits || bound.element != operand.element {
            return Err(format!("{label} bound {bound} does not fit {operand}"));
        }
    }
    Ok(operand.clone())
}
