//! Result types of element-wise operations.

use super::Refusal;
use crate::stablehlo::op::{BinaryOp, UnaryOp};
use crate::stablehlo::types::{ElementType, TensorType};

pub(super) fn unary(op: UnaryOp, operand: &TensorType) -> Result<TensorType, Refusal> {
    let float_only = !matches!(op, UnaryOp::Abs | UnaryOp::Negate | UnaryOp::Not);
    if float_only && !operand.element.is_float() || op == UnaryOp::Not && operand.element.is_float()
    {
        return Err(format!("is not defined for {operand}"));
    }
    Ok(operand.clone())
}

pub(super) fn binary(
    op: BinaryOp,
    lhs: &TensorType,
    rhs: &TensorType,
) -> Result<TensorType, Refusal> {
    if lhs != rhs {
        return Err(format!("operands have different types {lhs} and {rhs}"));
    }
    let bitwise = matches!(
        op,
        BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRightLogical
    );
    if bitwise && lhs.element.is_float() {
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
