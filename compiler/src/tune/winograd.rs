//! 3x3 convolutions with a fraction of the multiplications, after Winograd.
//!
//! Before:
//! ```mlir
//! %y = convolution(%x, %w), pad = [[1, 1], [1, 1]]
//!     : (tensor<64x16x16x128xf32>, tensor<3x3x128x128xf32>) -> tensor<64x16x16x128xf32>
//! ```
//! After, with integer matrices B, G, A and d = 576:
//! ```mlir
//! %v = dot B, (36 strided slices of the padded %x)     // [36, 64 * 4 * 4, 128]: tiles of 6x6
//! %u = (dot G, %w) / d                                 // [36, 128, 128]
//! %p = dot_general %v, %u, batching [0] x [0]          // [36, 64 * 4 * 4, 128]
//! %y = dot A, %p                                       // tiles of 4x4, put side by side
//! ```
//! The gradient with respect to the kernel is the transpose of that map, read
//! from right to left: `dot G^T, (v^T . (dot A^T, dy)) / d`. It has `%v` in
//! common with the forward pass, so that merging equal instructions leaves
//! one.
//!
//! Tiles of pixels are expensive to transform, so that images of few channels
//! are transformed along the height only (`rows`).
//!
//! What it is worth, and where it is taken: `choice`.
//!
//! Rounding: F(4x4, 3x3) adds and subtracts multiples of up to 100 that
//! nearly cancel. For 128 channels the error in norm is 3e-6 of the result,
//! against 6e-7 for the direct form; a test holds it under 1e-5.

mod matrices;
mod rows;
mod transforms;

use super::layout::is_weight_gradient;
use super::taps::order;
use super::{Options, choice};
use crate::simplify::{Matcher, Rewrite};
use crate::stablehlo::{
    Convolution, DotGeneral, Instruction, Module, Op, Result, TensorType, Value,
};
use rows::Bands;
use transforms::Grid;

pub use matrices::Form;
pub(super) use transforms::count as tiles;

/// Runs the pass.
///
/// # Errors
/// Only by a fault of this pass.
pub fn run(module: &Module, options: &Options) -> Result<Module> {
    run_with(module, &|conv, [x, w], y| {
        let site = choice::Site::of(conv, x, w, y)?;
        match options.choose(&site, |_| true)? {
            choice::Form::Winograd(form) => Some(form),
            _ => None,
        }
    })
}

/// Runs the pass with one form for everything, however few channels there are.
#[cfg(test)]
pub(super) fn run_always(module: &Module, form: Form) -> Result<Module> {
    run_with(module, &|_, _, _| Some(form))
}

fn run_with(module: &Module, choose: &Choice) -> Result<Module> {
    let rewrites = [
        Rewrite {
            name: "winograd",
            apply: &|m, i| winograd(m, i, choose),
        },
        Rewrite {
            name: "winograd-weight-gradient",
            apply: &|m, i| winograd_weight_gradient(m, i, choose),
        },
    ];
    super::rewrite_module(module, &rewrites)
}

/// The form for a convolution of these operands, if it is to take one.
type Choice<'a> = dyn Fn(&Convolution, [&TensorType; 2], &[i64]) -> Option<Form> + 'a;

/// Pattern: convolution(x, w) -> output(input(x) . kernel(w)) [if w is 3x3 and not strided, and it is chosen]
fn winograd(m: &mut Matcher, i: &Instruction, choose: &Choice) -> Result<Option<Value>> {
    let Some((conv, shape)) = chosen(m, i, choose).filter(|(conv, _)| !is_weight_gradient(conv))
    else {
        return Ok(None);
    };
    let (x, w, dims) = (i.operands[0], i.operands[1], &conv.dims);
    // The kernel of an input gradient is reversed: so is G then.
    let unreversed = match m.definition(w) {
        Some(Instruction {
            op: Op::Reverse { dims: reversed },
            operands,
            ..
        }) if sorted(&reversed) == sorted(&dims.kernel_spatial) => Some(operands[0]),
        _ => None,
    };
    let b = &mut m.builder;
    let x = b.transpose(
        x,
        &order(dims.input_batch, &dims.input_spatial, dims.input_feature),
    )?;
    let mut hwio = dims.kernel_spatial.clone();
    hwio.extend([dims.kernel_input, dims.kernel_output]);
    let y = match shape {
        Shape::Bands(bands) => {
            let w = b.transpose(w, &hwio)?;
            bands.convolution(b, x, w)?
        }
        Shape::Tiles(grid) => {
            let reverse = unreversed.is_some();
            let w = b.transpose(unreversed.unwrap_or(w), &hwio)?;
            let x = grid.input(b, x)?;
            let w = grid.kernel(b, w, reverse)?;
            let products = b.dot_general(x, w, batched(2, 1))?;
            grid.output(b, products)?
        }
    };
    let y_order = order(dims.output_batch, &dims.output_spatial, dims.output_feature);
    b.transpose_back(y, &y_order).map(Some)
}

/// Pattern: convolution(x, dy) -> kernel_gradient(input(x)^T . cotangent(dy)) [if its features stand before its batch, dw is 3x3, and it is chosen]
fn winograd_weight_gradient(
    m: &mut Matcher,
    i: &Instruction,
    choose: &Choice,
) -> Result<Option<Value>> {
    let Some((conv, shape)) = chosen(m, i, choose).filter(|(conv, _)| is_weight_gradient(conv))
    else {
        return Ok(None);
    };
    let b = &mut m.builder;
    let dims = &conv.dims;
    let x_order = order(dims.input_feature, &dims.input_spatial, dims.input_batch);
    let x = b.transpose(i.operands[0], &x_order)?;
    let dy_order = order(dims.kernel_input, &dims.kernel_spatial, dims.kernel_output);
    let dy = b.transpose(i.operands[1], &dy_order)?;
    let dw = match shape {
        Shape::Bands(bands) => bands.weight_gradient(b, x, dy)?,
        Shape::Tiles(grid) => {
            let x = grid.input(b, x)?;
            let dy = grid.cotangent(b, dy)?;
            let products = b.dot_general(x, dy, batched(1, 1))?;
            grid.kernel_gradient(b, products)?
        }
    };
    let mut dw_order = dims.output_spatial.clone();
    dw_order.extend([dims.output_batch, dims.output_feature]);
    b.transpose_back(dw, &dw_order).map(Some)
}

/// How an image is taken apart.
enum Shape {
    Tiles(Grid),
    Bands(Bands),
}

/// The convolution and what becomes of its image, if it is to take a form.
fn chosen<'i>(
    m: &Matcher,
    i: &'i Instruction,
    choose: &Choice,
) -> Option<(&'i Convolution, Shape)> {
    let Op::Convolution(conv) = &i.op else {
        return None;
    };
    let [x, w] = [0, 1].map(|operand| m.builder.ty(i.operands[operand]));
    if !fits(conv, x) {
        return None;
    }
    let sizes = choice::Sizes::of(conv, &w.shape, &m.result_shape);
    let form = choose(conv, [x, w], &m.result_shape).filter(|_| sizes.kernel == [3, 3])?;
    let (batch, size) = (sizes.batch, sizes.size);
    let low = [conv.padding[0][0], conv.padding[1][0]];
    let shape = match form {
        Form::Rows => Shape::Bands(Bands { batch, size, low }),
        Form::Two | Form::Four => Shape::Tiles(Grid {
            form,
            batch,
            size,
            low,
        }),
    };
    Some((conv, shape))
}

/// Whether it is a convolution of images with nothing but padding. A kernel of
/// integers has no transform in integers.
pub(super) fn fits(conv: &Convolution, x: &TensorType) -> bool {
    let ones = |list: &[i64]| list.iter().all(|&d| d == 1);
    conv.dims.input_spatial.len() == 2
        && x.element.is_float()
        && ones(&conv.strides)
        && ones(&conv.lhs_dilation)
        && ones(&conv.rhs_dilation)
        && ones(&[conv.feature_group_count, conv.batch_group_count])
        && !conv.window_reversal.contains(&true)
        && conv.padding.iter().flatten().all(|&p| p >= 0)
}

fn sorted(dims: &[usize]) -> Vec<usize> {
    let mut dims = dims.to_vec();
    dims.sort_unstable();
    dims
}

/// A dot product for each plane.
fn batched(lhs: usize, rhs: usize) -> DotGeneral {
    DotGeneral {
        lhs_batch: vec![0],
        rhs_batch: vec![0],
        lhs_contract: vec![lhs],
        rhs_contract: vec![rhs],
    }
}
