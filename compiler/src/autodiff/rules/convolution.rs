//! Rule of `convolution`, for every attribute.
//!
//! Per spatial dimension, with n the input size spread by its dilation, k the
//! kernel size spread by its dilation r, s the stride, l the low padding and m
//! output cells: `y[p] = sum over j of x[p s + j r - l] w[j]`. Hence
//! - `x'[q] = sum over p, j with p s + j r - l = q of y'[p] w[j]`: a
//!   convolution of y', spread by s, with the reversed kernel, low padding
//!   k - 1 - l, at steps of the input dilation, and as much high padding as
//!   gives n cells;
//! - `w'[j] = sum over p of x[p s + j r - l] y'[p]`: a convolution of x with y'
//!   spread by s, low padding l, at steps of r, and as much high padding as
//!   gives the kernel's size.
//!
//! In the feature dimensions both are the transposes of a matrix product, with
//! groups carried along.

use super::{Cotangents, Rule};
use crate::stablehlo::infer::dilated;
use crate::stablehlo::{Builder, Convolution, ConvolutionDims, Result, Value};

pub(super) fn convolution(
    rule: &mut Rule<'_>,
    conv: &Convolution,
    ct: Value,
) -> Result<Cotangents> {
    let (x, w) = (rule.operand(0), rule.operand(1));
    let sizes = Sizes::new(
        conv,
        &rule.shape(x),
        &rule.shape(w),
        &rule.builder.shape(ct),
    );
    let dx = if rule.needed[0] {
        Some(input(rule.builder, conv, &sizes, w, ct)?)
    } else {
        None
    };
    let dw = if rule.needed[1] {
        Some(kernel(rule.builder, conv, &sizes, x, ct)?)
    } else {
        None
    };
    Ok(vec![dx, dw])
}

/// Extents per spatial dimension, spread by their dilations.
struct Sizes {
    input: Vec<i64>,
    kernel: Vec<i64>,
    output: Vec<i64>,
}

impl Sizes {
    fn new(conv: &Convolution, x: &[i64], w: &[i64], y: &[i64]) -> Self {
        let spread = |dims: &[usize], shape: &[i64], dilation: &[i64]| -> Vec<i64> {
            dims.iter()
                .zip(dilation)
                .map(|(&dim, &dilation)| dilated(shape[dim], dilation))
                .collect()
        };
        Sizes {
            input: spread(&conv.dims.input_spatial, x, &conv.lhs_dilation),
            kernel: spread(&conv.dims.kernel_spatial, w, &conv.rhs_dilation),
            output: spread(&conv.dims.output_spatial, y, &conv.strides),
        }
    }
}

fn input(b: &mut Builder, conv: &Convolution, sizes: &Sizes, w: Value, ct: Value) -> Result<Value> {
    let dims = &conv.dims;
    let groups = conv.feature_group_count.max(conv.batch_group_count);
    let transposed = swap_features(b, w, dims, groups)?;
    let reversed: Vec<usize> = dims
        .kernel_spatial
        .iter()
        .zip(&conv.window_reversal)
        .filter(|(_, reversed)| !**reversed)
        .map(|(&dim, _)| dim)
        .collect();
    let flipped = b.reverse(transposed, &reversed)?;
    let padding = (0..sizes.input.len())
        .map(|i| {
            let low = sizes.kernel[i] - 1 - conv.padding[i][0];
            [
                low,
                sizes.input[i] - sizes.output[i] - low + sizes.kernel[i] - 1,
            ]
        })
        .collect();
    let backward = Convolution {
        dims: ConvolutionDims {
            input_batch: dims.output_batch,
            input_feature: dims.output_feature,
            input_spatial: dims.output_spatial.clone(),
            output_batch: dims.input_batch,
            output_feature: dims.input_feature,
            output_spatial: dims.input_spatial.clone(),
            ..dims.clone()
        },
        strides: conv.lhs_dilation.clone(),
        padding,
        lhs_dilation: conv.strides.clone(),
        rhs_dilation: conv.rhs_dilation.clone(),
        window_reversal: vec![false; sizes.input.len()],
        feature_group_count: groups,
        batch_group_count: 1,
    };
    let dx = b.convolution(ct, flipped, backward)?;
    // Features (g, c) of batch groups belong to the batch (g, n).
    b.move_groups(
        dx,
        dims.input_feature,
        dims.input_batch,
        conv.batch_group_count,
    )
}

/// Exchanges input and output features of a kernel, within each group:
/// `[o = (g, o'), i]` becomes `[(g, i), o']`.
fn swap_features(b: &mut Builder, w: Value, dims: &ConvolutionDims, groups: i64) -> Result<Value> {
    let (input, output) = (dims.kernel_input, dims.kernel_output);
    let grouped = b.move_groups(w, output, input, groups)?;
    let mut permutation: Vec<usize> = (0..b.ty(w).rank()).collect();
    permutation.swap(input, output);
    b.transpose(grouped, &permutation)
}

/// Batch and feature swap roles: the batch is contracted, and each pair of an
/// input and an output feature makes one kernel cell.
fn kernel(
    b: &mut Builder,
    conv: &Convolution,
    sizes: &Sizes,
    x: Value,
    ct: Value,
) -> Result<Value> {
    let dims = &conv.dims;
    let padding = (0..sizes.input.len())
        .map(|i| {
            let low = conv.padding[i][0];
            [
                low,
                sizes.kernel[i] - 1 + sizes.output[i] - sizes.input[i] - low,
            ]
        })
        .collect();
    let backward = Convolution {
        dims: ConvolutionDims {
            input_batch: dims.input_feature,
            input_feature: dims.input_batch,
            input_spatial: dims.input_spatial.clone(),
            kernel_input: dims.output_batch,
            kernel_output: dims.output_feature,
            kernel_spatial: dims.output_spatial.clone(),
            output_batch: dims.kernel_input,
            output_feature: dims.kernel_output,
            output_spatial: dims.kernel_spatial.clone(),
        },
        strides: conv.rhs_dilation.clone(),
        padding,
        lhs_dilation: conv.lhs_dilation.clone(),
        rhs_dilation: conv.strides.clone(),
        window_reversal: vec![false; sizes.input.len()],
        feature_group_count: conv.batch_group_count,
        batch_group_count: conv.feature_group_count,
    };
    let dw = b.convolution(x, ct, backward)?;
    let reversed: Vec<usize> = dims
        .kernel_spatial
        .iter()
        .zip(&conv.window_reversal)
        .filter(|(_, reversed)| **reversed)
        .map(|(&dim, _)| dim)
        .collect();
    b.reverse(dw, &reversed)
}
