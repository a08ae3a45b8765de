//! Convolutions without the attributes that IREE gets wrong or refuses.
//!
//! Before:
//! ```mlir
//! %y = convolution(%x, %w) window = {pad = [[-1, 0]], reverse = [true]} {batch_group_count = 2}
//! ```
//! After:
//! ```mlir
//! %1 = slice %x [.., 1:n, ..]
//! %2 = reverse %w
//! %3 = the groups of the batch of %1, moved to its features
//! %y = convolution(%3, %2) {feature_group_count = 2}
//! ```
//! IREE ignores window reversal where there are feature groups, and fails to
//! compile convolutions with negative padding, with batch groups, or whose
//! windows leave rows uncovered.

use super::{Options, WEIGHT_GRADIENT, weight_gradient};
use crate::simplify::{Matcher, Pattern, Rewrite};
use crate::stablehlo::infer::dilated;
use crate::stablehlo::{Convolution, Instruction, Module, Op, Result, Value};

/// Runs the pass.
///
/// # Errors
/// Only by a fault of this pass.
pub fn run(module: &Module, options: &Options) -> Result<Module> {
    // `weight-gradient` takes batch groups as they are.
    match options.keep(WEIGHT_GRADIENT) {
        true => rewrite_with(module, &unless_covered),
        false => run_alone(module),
    }
}

/// Runs the pass where `weight-gradient` does not come after it: no convolution
/// keeps batch groups.
///
/// # Errors
/// As [`run`].
pub fn run_alone(module: &Module) -> Result<Module> {
    rewrite_with(module, &batch_groups_as_feature_groups)
}

fn rewrite_with(module: &Module, batch_groups: &Pattern) -> Result<Module> {
    super::rewrite_module(
        module,
        &[
            Rewrite {
                name: "explicit-reversal",
                apply: &explicit_reversal,
            },
            Rewrite {
                name: "explicit-crop",
                apply: &explicit_crop,
            },
            Rewrite {
                name: "batch-groups-as-feature-groups",
                apply: batch_groups,
            },
        ],
    )
}

/// Weight gradients become dot products, groups and all.
fn unless_covered(m: &mut Matcher, i: &Instruction) -> Result<Option<Value>> {
    match convolution(i) {
        Some(conv) if weight_gradient::covers(conv, &m.result_shape) => Ok(None),
        _ => batch_groups_as_feature_groups(m, i),
    }
}

fn convolution(i: &Instruction) -> Option<&Convolution> {
    match &i.op {
        Op::Convolution(conv) => Some(conv),
        _ => None,
    }
}

/// Pattern: convolution(x, w, reversed) -> convolution(x, reverse(w))
fn explicit_reversal(m: &mut Matcher, i: &Instruction) -> Result<Option<Value>> {
    let Some(conv) = convolution(i) else {
        return Ok(None);
    };
    let reversed: Vec<usize> = conv
        .dims
        .kernel_spatial
        .iter()
        .zip(&conv.window_reversal)
        .filter(|(_, reversed)| **reversed)
        .map(|(&dim, _)| dim)
        .collect();
    if reversed.is_empty() {
        return Ok(None);
    }
    let w = m.builder.reverse(i.operands[1], &reversed)?;
    let conv = Convolution {
        window_reversal: vec![false; conv.window_reversal.len()],
        ..conv.clone()
    };
    m.builder.convolution(i.operands[0], w, conv).map(Some)
}

/// Pattern: convolution(x, w, pads) -> convolution(slice(x), w, pads that are not negative and cover no spare cells)
fn explicit_crop(m: &mut Matcher, i: &Instruction) -> Result<Option<Value>> {
    let Some(conv) = convolution(i) else {
        return Ok(None);
    };
    let y_shape = m.result_shape.clone();
    let b = &mut m.builder;
    let (x, w) = (i.operands[0], i.operands[1]);
    let (x_shape, w_shape) = (b.shape(x), b.shape(w));
    let dims = &conv.dims;
    let mut padding = conv.padding.clone();
    for (s, pads) in padding.iter_mut().enumerate() {
        let input = dilated(x_shape[dims.input_spatial[s]], conv.lhs_dilation[s]);
        let extent = dilated(w_shape[dims.kernel_spatial[s]], conv.rhs_dilation[s]);
        let output = y_shape[dims.output_spatial[s]];
        if output > 0 {
            let covered = (output - 1) * conv.strides[s] + extent;
            pads[1] = covered - input - pads[0];
        }
    }
    if padding == conv.padding && padding.iter().flatten().all(|&p| p >= 0) {
        return Ok(None);
    }
    // Where something is cropped, the input's own dilation is written out, so
    // that the crop can fall between its cells.
    let rank = x_shape.len();
    let mut interior = vec![0; rank];
    let (mut start, mut limit) = (vec![0; rank], x_shape.clone());
    let mut lhs_dilation = conv.lhs_dilation.clone();
    for (s, pads) in padding.iter_mut().enumerate() {
        if pads.iter().all(|&p| p >= 0) {
            continue;
        }
        let dim = dims.input_spatial[s];
        interior[dim] = lhs_dilation[s] - 1;
        limit[dim] = dilated(x_shape[dim], lhs_dilation[s]);
        lhs_dilation[s] = 1;
        start[dim] = (-pads[0]).max(0);
        limit[dim] -= (-pads[1]).max(0);
        *pads = [pads[0].max(0), pads[1].max(0)];
    }
    if start
        .iter()
        .zip(&limit)
        .any(|(start, limit)| start >= limit)
    {
        // Every window lies in the padding.
        let ty = b.ty(x).with_shape(y_shape);
        return b.splat(0.0, ty).map(Some);
    }
    let none = vec![0; rank];
    let x = b.pad_zero(x, &none, &none, &interior)?;
    let x = b.slice(x, &start, &limit, &vec![1; rank])?;
    let conv = Convolution {
        padding,
        lhs_dilation,
        ..conv.clone()
    };
    b.convolution(x, w, conv).map(Some)
}

/// Pattern: convolution(x, w, batch groups g) -> convolution(x with batch (g, n) as features (g, c), w, feature groups g)
fn batch_groups_as_feature_groups(m: &mut Matcher, i: &Instruction) -> Result<Option<Value>> {
    let Some(conv) = convolution(i) else {
        return Ok(None);
    };
    let groups = conv.batch_group_count;
    if groups == 1 {
        return Ok(None);
    }
    let (batch, feature) = (conv.dims.input_batch, conv.dims.input_feature);
    let x = m
        .builder
        .move_groups(i.operands[0], batch, feature, groups)?;
    let conv = Convolution {
        feature_group_count: groups,
        batch_group_count: 1,
        ..conv.clone()
    };
    m.builder.convolution(x, i.operands[1], conv).map(Some)
}
