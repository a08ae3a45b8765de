//! Operations that move elements.

use super::Builder;
use crate::stablehlo::Result;
use crate::stablehlo::function::Value;
use crate::stablehlo::op::Op;
use crate::stablehlo::types::TensorType;

impl Builder {
    /// Indices along `dim` of a tensor of type `ty`.
    ///
    /// # Errors
    /// If `dim` exceeds the rank.
    pub fn iota(&mut self, dim: usize, ty: TensorType) -> Result<Value> {
        self.push(Op::Iota { dim, ty }, &[])
    }

    /// Broadcast: dimension i of `x` becomes dimension `dims[i]` of `shape`.
    ///
    /// # Errors
    /// If the sizes do not fit.
    pub fn broadcast(&mut self, x: Value, dims: &[usize], shape: &[i64]) -> Result<Value> {
        let op = Op::BroadcastInDim {
            dims: dims.to_vec(),
            shape: shape.to_vec(),
        };
        self.push(op, &[x])
    }

    /// A scalar repeated to `shape`; `x` itself if it has that shape.
    ///
    /// # Errors
    /// If it is neither.
    pub fn broadcast_to(&mut self, x: Value, shape: &[i64]) -> Result<Value> {
        if self.ty(x).shape == shape {
            return Ok(x);
        }
        self.broadcast(x, &[], shape)
    }

    /// The elements of `x` in another shape; `x` itself if it has that shape.
    ///
    /// # Errors
    /// If the number of elements differs.
    pub fn reshape(&mut self, x: Value, shape: &[i64]) -> Result<Value> {
        if self.ty(x).shape == shape {
            return Ok(x);
        }
        self.push(
            Op::Reshape {
                shape: shape.to_vec(),
            },
            &[x],
        )
    }

    /// Result dimension i is dimension `permutation[i]` of `x`; `x` itself if
    /// the permutation is the identity.
    ///
    /// # Errors
    /// If it is no permutation of the dimensions.
    pub fn transpose(&mut self, x: Value, permutation: &[usize]) -> Result<Value> {
        let rank = self.ty(x).rank();
        if permutation.len() == rank && permutation.iter().enumerate().all(|(i, &p)| i == p) {
            return Ok(x);
        }
        self.push(
            Op::Transpose {
                permutation: permutation.to_vec(),
            },
            &[x],
        )
    }

    /// What [`Builder::transpose`] by `permutation` made `x` of.
    ///
    /// # Errors
    /// As there.
    pub fn transpose_back(&mut self, x: Value, permutation: &[usize]) -> Result<Value> {
        let places = 0..permutation.len();
        let inverse = places.map(|d| permutation.iter().position(|&p| p == d));
        let inverse: Option<Vec<usize>> = inverse.collect();
        // What is no permutation is refused as it stands.
        self.transpose(x, inverse.as_deref().unwrap_or(permutation))
    }

    /// Reversal along `dims`; `x` itself if there are none.
    ///
    /// # Errors
    /// If a dimension exceeds the rank.
    pub fn reverse(&mut self, x: Value, dims: &[usize]) -> Result<Value> {
        if dims.is_empty() {
            return Ok(x);
        }
        self.push(
            Op::Reverse {
                dims: dims.to_vec(),
            },
            &[x],
        )
    }

    /// The box `start..limit` at steps of `strides`; `x` itself if that is
    /// all of it.
    ///
    /// # Errors
    /// If the box leaves the tensor.
    pub fn slice(
        &mut self,
        x: Value,
        start: &[i64],
        limit: &[i64],
        strides: &[i64],
    ) -> Result<Value> {
        let whole = start.iter().all(|&s| s == 0)
            && limit == self.ty(x).shape
            && strides.iter().all(|&s| s == 1);
        if whole {
            return Ok(x);
        }
        let op = Op::Slice {
            start: start.to_vec(),
            limit: limit.to_vec(),
            strides: strides.to_vec(),
        };
        self.push(op, &[x])
    }

    /// Padding with the scalar `value`; `x` itself if there is none.
    ///
    /// # Errors
    /// If the lists do not fit the rank, or a size becomes negative.
    pub fn pad(
        &mut self,
        x: Value,
        value: Value,
        low: &[i64],
        high: &[i64],
        interior: &[i64],
    ) -> Result<Value> {
        let moves_nothing = [low, high, interior]
            .iter()
            .all(|list| list.iter().all(|&v| v == 0));
        if moves_nothing {
            return Ok(x);
        }
        let op = Op::Pad {
            low: low.to_vec(),
            high: high.to_vec(),
            interior: interior.to_vec(),
        };
        self.push(op, &[x, value])
    }

    /// Padding with zeros.
    ///
    /// # Errors
    /// As [`Builder::pad`].
    pub fn pad_zero(
        &mut self,
        x: Value,
        low: &[i64],
        high: &[i64],
        interior: &[i64],
    ) -> Result<Value> {
        let zero = self.scalar_like(0.0, x)?;
        self.pad(x, zero, low, high, interior)
    }

    /// Joins tensors along `dim`; the tensor itself if there is one.
    ///
    /// # Errors
    /// If the other sizes differ.
    pub fn concatenate(&mut self, parts: &[Value], dim: usize) -> Result<Value> {
        if let [only] = parts {
            return Ok(*only);
        }
        self.push(Op::Concatenate { dim }, parts)
    }
}
