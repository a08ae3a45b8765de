//! Reductions and windowed operations.

use super::Builder;
use crate::stablehlo::Result;
use crate::stablehlo::function::Value;
use crate::stablehlo::op::{Op, Reducer, Window};

impl Builder {
    /// Reduction over `dims` from the neutral element; `x` itself if there
    /// are none.
    ///
    /// # Errors
    /// If a dimension exceeds the rank.
    pub fn reduce(&mut self, reducer: Reducer, x: Value, dims: &[usize]) -> Result<Value> {
        if dims.is_empty() {
            return Ok(x);
        }
        let init = self.scalar_like(reducer.neutral(self.ty(x).element), x)?;
        let op = Op::Reduce {
            reducer,
            dims: dims.to_vec(),
        };
        self.push(op, &[x, init])
    }

    /// Sum over `dims`.
    ///
    /// # Errors
    /// If a dimension exceeds the rank.
    pub fn sum(&mut self, x: Value, dims: &[usize]) -> Result<Value> {
        self.reduce(Reducer::Add, x, dims)
    }

    /// Reduction over windows from the neutral element.
    ///
    /// # Errors
    /// If the window does not fit the rank.
    pub fn reduce_window(&mut self, reducer: Reducer, x: Value, window: Window) -> Result<Value> {
        let init = self.scalar_like(reducer.neutral(self.ty(x).element), x)?;
        self.push(Op::ReduceWindow { reducer, window }, &[x, init])
    }

    /// Adds each cell of `source` to the first maximal cell of its window of
    /// `x`; all other cells are 0.
    ///
    /// # Errors
    /// If the window does not fit the shapes.
    pub fn select_and_scatter(&mut self, x: Value, source: Value, window: Window) -> Result<Value> {
        let zero = self.scalar_like(0.0, x)?;
        self.push(Op::SelectAndScatter { window }, &[x, source, zero])
    }
}
