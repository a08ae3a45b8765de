//! Operations with several results or with regions.

use super::Builder;
use crate::stablehlo::Result;
use crate::stablehlo::error::Error;
use crate::stablehlo::function::Value;
use crate::stablehlo::infer;
use crate::stablehlo::op::{Compound, Op};

impl Builder {
    /// Appends `op` with all its results.
    ///
    /// # Errors
    /// If the operands do not fit the operation.
    pub fn compound(&mut self, op: &Compound, operands: &[Value]) -> Result<Vec<Value>> {
        let types: Vec<_> = operands.iter().map(|&v| self.ty(v)).collect();
        let results = infer::result_types(op, &types).map_err(|message| Error::Constraint {
            op: op.name(),
            message,
            location: self.location.clone(),
        })?;
        (0..results.len())
            .map(|result| {
                let op = op.clone();
                self.push(Op::Compound { op, result }, operands)
            })
            .collect()
    }

    /// x, across which IREE moves, merges and folds nothing.
    ///
    /// # Errors
    /// As [`Builder::compound`].
    pub fn optimization_barrier(&mut self, x: Value) -> Result<Value> {
        let op = Compound::Barrier;
        self.push(Op::Compound { op, result: 0 }, &[x])
    }
}
