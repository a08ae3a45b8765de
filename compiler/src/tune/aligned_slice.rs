//! Slices that IREE's SPIR-V reads right.
//!
//! Before:
//! ```mlir
//! %1 = slice %x [0:64, 1:65] : (tensor<64x68xf32>) -> tensor<64x64xf32>
//! ```
//! After:
//! ```mlir
//! %1 = optimization_barrier %x
//! %2 = slice %1 [0:64, 1:65] : (tensor<64x68xf32>) -> tensor<64x64xf32>
//! %3 = optimization_barrier %2
//! ```
//! Rows whose length has a factor of 2 or 4 are read as vectors of so many
//! elements. The index is divided by the factor and the remainder dropped: the
//! sum of columns 1 to 64 becomes that of columns 0 to 63. A slice by itself
//! is copied element by element, which is right; so nothing may be merged with
//! it.

use super::barrier::{in_words, is_barrier};
use crate::simplify::{Matcher, Rewrite};
use crate::stablehlo::infer::dilated;
use crate::stablehlo::{ElementType, Instruction, Module, Op, Result, Value};

/// The longest vector, in bits.
const VECTOR: i64 = 128;

/// Runs the pass.
///
/// # Errors
/// Only by a fault of this pass.
pub fn run(module: &Module) -> Result<Module> {
    super::rewrite_module(
        module,
        &[
            Rewrite {
                name: "crop-by-slice",
                apply: &crop_by_slice,
            },
            Rewrite {
                name: "aligned-slice",
                apply: &aligned_slice,
            },
        ],
    )
}

/// Pattern: pad(x, low, high) -> slice(pad(x, low and high that are not negative)) [if one is negative]
fn crop_by_slice(m: &mut Matcher, i: &Instruction) -> Result<Option<Value>> {
    let Op::Pad {
        low,
        high,
        interior,
    } = &i.op
    else {
        return Ok(None);
    };
    if low.iter().chain(high).all(|&p| p >= 0) {
        return Ok(None);
    }
    let b = &mut m.builder;
    let (x, value) = (i.operands[0], i.operands[1]);
    let outside = |pads: &[i64]| pads.iter().map(|&p| p.max(0)).collect::<Vec<i64>>();
    let start: Vec<i64> = low.iter().map(|&p| (-p).max(0)).collect();
    let sizes = b.shape(x);
    let limit: Vec<i64> = (0..sizes.len())
        .map(|d| dilated(sizes[d], interior[d] + 1) + low[d].max(0) + high[d])
        .collect();
    if start.iter().zip(&limit).any(|(start, limit)| start > limit) {
        return Ok(None);
    }
    let padded = b.pad(x, value, &outside(low), &outside(high), interior)?;
    b.slice(padded, &start, &limit, &vec![1; sizes.len()])
        .map(Some)
}

/// Pattern: slice(x) -> barrier(slice(barrier(x))) [if its rows begin off a vector]
fn aligned_slice(m: &mut Matcher, i: &Instruction) -> Result<Option<Value>> {
    let Op::Slice {
        start,
        limit,
        strides,
    } = &i.op
    else {
        return Ok(None);
    };
    let x = i.operands[0];
    let ty = m.builder.ty(x).clone();
    if !off_a_vector(&ty.shape, start, limit, ty.element) {
        return Ok(None);
    }
    if m.operands_if(x, is_barrier).is_some() {
        return Ok(None);
    }
    // Bytes would be written in between.
    let cut = in_words(&mut m.builder, x, |b, x| {
        let x = b.optimization_barrier(x)?;
        let cut = b.slice(x, start, limit, strides)?;
        b.optimization_barrier(cut)
    });
    cut.map(Some)
}

/// Whether the cut rows, dimensions behind them included, divide into vectors
/// but do not begin where one does.
fn off_a_vector(shape: &[i64], start: &[i64], limit: &[i64], element: ElementType) -> bool {
    let cut = (0..shape.len()).rev();
    let mut cut = cut.filter(|&d| start[d] != 0 || limit[d] != shape[d]);
    let Some(last) = cut.next() else {
        return false;
    };
    let behind: i64 = shape[last + 1..].iter().product();
    let (row, first) = (shape[last] * behind, start[last] * behind);
    if row == 0 {
        return false;
    }
    // Truth values are stored as bytes.
    let longest = VECTOR / i64::from(element.bits().max(8));
    let vector = (1 << row.trailing_zeros()).min(longest);
    first % vector != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn off(shape: &[i64], start: &[i64], limit: &[i64]) -> bool {
        off_a_vector(shape, start, limit, ElementType::F32)
    }

    #[test]
    fn rows_that_begin_off_a_vector() {
        assert!(off(&[64, 68], &[0, 1], &[64, 65]));
        assert!(off(&[64, 68], &[0, 2], &[64, 66]));
        assert!(!off(&[64, 68], &[0, 4], &[64, 68]));
        assert!(!off(&[64, 68], &[1, 0], &[64, 68]));
        // Rows of 70 are read in pairs, rows of 65 one by one.
        assert!(off(&[64, 70], &[0, 1], &[64, 65]));
        assert!(!off(&[64, 70], &[0, 2], &[64, 66]));
        assert!(!off(&[64, 65], &[0, 1], &[64, 65]));
        // Channels belong to the row.
        assert!(off(&[2, 10, 2], &[0, 1, 0], &[2, 9, 2]));
        assert!(!off(&[2, 10, 4], &[0, 1, 0], &[2, 9, 4]));
        assert!(!off(&[2, 10, 4], &[0, 0, 0], &[2, 10, 4]));
        assert!(off_a_vector(&[64], &[4], &[8], ElementType::I1));
    }
}
