//! Builders: one method per operation, by family. Each checks its operands,
//! computes the result type and appends one instruction.

mod compound;
mod contraction;
mod elementwise;
mod groups;
mod indexing;
mod shape;
mod window;

use super::Result;
use super::error::Error;
use super::function::{Function, Instruction, Location, Value};
use super::infer;
use super::op::Op;
use super::types::TensorType;

/// Appends instructions to a function.
#[derive(Debug)]
pub struct Builder {
    /// The function so far.
    pub function: Function,
    /// Location of the instructions that follow.
    pub location: Location,
}

impl Builder {
    /// A builder that continues `function`.
    pub fn new(function: Function) -> Self {
        Builder {
            function,
            location: Location::UNKNOWN,
        }
    }

    /// A builder of an empty function.
    pub fn named(name: impl Into<String>) -> Self {
        Self::new(Function::new(name))
    }

    /// Type of a value.
    pub fn ty(&self, value: Value) -> &TensorType {
        self.function.ty(value)
    }

    /// Shape of a value.
    pub fn shape(&self, value: Value) -> Vec<i64> {
        self.ty(value).shape.clone()
    }

    /// Appends `op` applied to `operands`.
    ///
    /// # Errors
    /// [`Error::Constraint`] if the operands do not fit the operation.
    pub fn push(&mut self, op: Op, operands: &[Value]) -> Result<Value> {
        let types: Vec<&TensorType> = operands.iter().map(|&v| self.function.ty(v)).collect();
        let ty = infer::result_type(&op, &types).map_err(|message| Error::Constraint {
            op: op.name(),
            message,
            location: self.location.clone(),
        })?;
        let result = self.function.new_value(ty);
        self.function.body.push(Instruction {
            op,
            operands: operands.to_vec(),
            result,
            stop_gradient: false,
            location: self.location.clone(),
        });
        Ok(result)
    }

    /// Marks the instruction that defined `value` as a constant for reverse
    /// mode.
    pub fn stop_gradient(&mut self, value: Value) -> Value {
        if let Some(instruction) = self.function.body.iter_mut().find(|i| i.result == value) {
            instruction.stop_gradient = true;
        }
        value
    }
}
