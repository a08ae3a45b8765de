//! Vector-Jacobian products, one rule per operation: from the cotangent of
//! the result to a cotangent for each operand. A rule reads the instruction
//! and appends to the builder; the walk adds up what it returns.

mod compound;
mod contraction;
mod convolution;
mod elementwise;
mod indexing;
mod reduction;
mod shape;

use super::PASS;
use crate::stablehlo::{Builder, Error, Function, Instruction, Op, Result, Scalar, UnaryOp, Value};

/// What a rule sees.
pub(super) struct Rule<'a> {
    /// Where to append.
    pub builder: &'a mut Builder,
    /// The function being differentiated.
    pub function: &'a Function,
    /// Its instructions by value.
    pub definitions: &'a [Option<usize>],
    /// The instruction whose cotangent is known.
    pub instruction: &'a Instruction,
    /// Which operands need a cotangent.
    pub needed: &'a [bool],
}

/// One cotangent per operand; `None` is zero, or not needed.
pub(super) type Cotangents = Vec<Option<Value>>;

impl Rule<'_> {
    fn operand(&self, index: usize) -> Value {
        self.instruction.operands[index]
    }

    fn shape(&self, value: Value) -> Vec<i64> {
        self.function.ty(value).shape.clone()
    }

    /// The value of all elements of `value`, if it is a constant that has one,
    /// or made of such by broadcasting.
    fn splat_of(&self, value: Value) -> Option<f64> {
        let index = (*self.definitions.get(value.index())?)?;
        let instruction = self.function.body.get(index)?;
        match &instruction.op {
            Op::Constant(literal) => literal.splat_value().map(Scalar::as_f64),
            Op::BroadcastInDim { .. } | Op::Reshape { .. } => {
                self.splat_of(*instruction.operands.first()?)
            }
            _ => None,
        }
    }

    fn refuse(&self, why: &str) -> Error {
        Error::Pass {
            pass: PASS,
            message: format!(
                "no derivative rule for `stablehlo.{}`{why}",
                self.instruction.op.name()
            ),
            location: self.instruction.location.clone(),
        }
    }

    /// Refuses if operand `index` needs a cotangent.
    fn constant_operand(&self, index: usize, what: &str) -> Result<()> {
        if self.needed[index] {
            return Err(self.refuse(&format!(" with respect to its {what}")));
        }
        Ok(())
    }
}

/// Operations through which no derivative flows.
pub(super) fn is_inactive(op: &Op) -> bool {
    match op {
        Op::Compare(_) | Op::CompareTotal(_) | Op::Constant(_) | Op::Iota { .. } => true,
        Op::Unary(op) => op.is_step() || *op == UnaryOp::Not,
        _ => false,
    }
}

/// Applies the rule of the instruction's operation.
pub(super) fn apply(rule: &mut Rule<'_>, ct: Value) -> Result<Cotangents> {
    match &rule.instruction.op {
        Op::Unary(op) => elementwise::unary(rule, *op, ct),
        Op::Binary(op) => elementwise::binary(rule, *op, ct),
        Op::Select => elementwise::select(rule, ct),
        Op::Clamp => elementwise::clamp(rule, ct),
        Op::Convert(_) => elementwise::convert(rule, ct),
        Op::BroadcastInDim { dims, .. } => shape::broadcast_in_dim(rule, dims, ct),
        Op::Reshape { .. } => shape::reshape(rule, ct),
        Op::Transpose { permutation } => shape::transpose(rule, permutation, ct),
        Op::Reverse { dims } => shape::reverse(rule, dims, ct),
        Op::Slice { start, strides, .. } => shape::slice(rule, start, strides, ct),
        Op::Pad {
            low,
            high,
            interior,
        } => shape::pad(rule, low, high, interior, ct),
        Op::Concatenate { dim } => shape::concatenate(rule, *dim, ct),
        Op::DynamicSlice { .. } => indexing::dynamic_slice(rule, ct),
        Op::DynamicUpdateSlice => indexing::dynamic_update_slice(rule, ct),
        Op::Gather(gather) => indexing::gather(rule, gather, ct),
        Op::Scatter(scatter) => indexing::scatter(rule, scatter, ct),
        Op::DotGeneral(dot) => contraction::dot_general(rule, dot, ct),
        Op::Convolution(conv) => convolution::convolution(rule, conv, ct),
        Op::Reduce { reducer, dims } => reduction::reduce(rule, *reducer, dims, ct),
        Op::ReduceWindow { reducer, window } => {
            reduction::reduce_window(rule, *reducer, window, ct)
        }
        Op::Compound { op, result } => compound::compound(rule, op, *result, ct),
        Op::SelectAndScatter { .. }
        | Op::BitcastConvert(_)
        | Op::Compare(_)
        | Op::CompareTotal(_)
        | Op::Constant(_)
        | Op::Iota { .. } => Err(rule.refuse("")),
    }
}
