//! The Euclidean norm.

use crate::stablehlo::{Builder, Result, Value};

/// The norm of all elements of all tensors together.
///
/// Each tensor is first summed along all dimensions but its first, so that
/// the sums can be taken side by side.
pub(super) fn norm(b: &mut Builder, tensors: &[Value]) -> Result<Value> {
    let mut total = None;
    for &x in tensors {
        let square = b.multiply(x, x)?;
        let rank = b.shape(square).len();
        let inner: Vec<usize> = (1..rank).collect();
        let partial = match inner.is_empty() {
            true => square,
            false => b.sum(square, &inner)?,
        };
        let sum = match rank {
            0 => partial,
            _ => b.sum(partial, &[0])?,
        };
        total = Some(match total {
            Some(total) => b.add(total, sum)?,
            None => sum,
        });
    }
    let total = match total {
        Some(total) => total,
        None => b.splat(0.0, crate::stablehlo::TensorType::f32([]))?,
    };
    b.sqrt(total)
}
