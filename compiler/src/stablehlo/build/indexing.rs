//! Operations that index by values.

use super::Builder;
use crate::stablehlo::Result;
use crate::stablehlo::function::Value;
use crate::stablehlo::op::{Gather, Op, Scatter};

impl Builder {
    /// The box of `x` of these sizes that begins at the scalars `starts`.
    ///
    /// # Errors
    /// If the starts or sizes do not fit.
    pub fn dynamic_slice(&mut self, x: Value, starts: &[Value], sizes: &[i64]) -> Result<Value> {
        let operands: Vec<Value> = [&[x], starts].concat();
        let sizes = sizes.to_vec();
        self.push(Op::DynamicSlice { sizes }, &operands)
    }

    /// `x` with `update` in place of the box that begins at the scalars
    /// `starts`.
    ///
    /// # Errors
    /// If the starts or the update do not fit.
    pub fn dynamic_update_slice(
        &mut self,
        x: Value,
        update: Value,
        starts: &[Value],
    ) -> Result<Value> {
        let operands: Vec<Value> = [&[x, update], starts].concat();
        self.push(Op::DynamicUpdateSlice, &operands)
    }

    /// Slices of `x` that begin at `indices`.
    ///
    /// # Errors
    /// If the attributes do not fit the shapes.
    pub fn gather(&mut self, x: Value, indices: Value, gather: Gather) -> Result<Value> {
        self.push(Op::Gather(gather), &[x, indices])
    }

    /// `x` with slices at `indices` updated.
    ///
    /// # Errors
    /// If the attributes do not fit the shapes.
    pub fn scatter(
        &mut self,
        x: Value,
        indices: Value,
        updates: Value,
        scatter: Scatter,
    ) -> Result<Value> {
        self.push(Op::Scatter(scatter), &[x, indices, updates])
    }
}
