//! Dot products and convolutions.

use super::Builder;
use crate::stablehlo::Result;
use crate::stablehlo::function::Value;
use crate::stablehlo::op::{Convolution, DotGeneral, Op};

impl Builder {
    /// General dot product. Result dimensions: batching, then free dimensions
    /// of `a`, then free dimensions of `b`.
    ///
    /// # Errors
    /// If the sizes do not match.
    pub fn dot_general(&mut self, a: Value, b: Value, dot: DotGeneral) -> Result<Value> {
        self.push(Op::DotGeneral(dot), &[a, b])
    }

    /// Contraction of `a` and `b` over the given dimensions, without batching.
    ///
    /// # Errors
    /// If the sizes do not match.
    pub fn dot(
        &mut self,
        a: Value,
        b: Value,
        contract_a: &[usize],
        contract_b: &[usize],
    ) -> Result<Value> {
        self.dot_general(
            a,
            b,
            DotGeneral {
                lhs_contract: contract_a.to_vec(),
                rhs_contract: contract_b.to_vec(),
                ..DotGeneral::default()
            },
        )
    }

    /// Convolution.
    ///
    /// # Errors
    /// If the operands do not fit the attributes.
    pub fn convolution(&mut self, x: Value, w: Value, conv: Convolution) -> Result<Value> {
        self.push(Op::Convolution(conv), &[x, w])
    }
}
