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
//! What it is worth, and where it is off: `choice`.
//!
//! Rounding: F(4x4, 3x3) adds and subtracts multiples of up to 100 that
//! nearly cancel. For 128 channels the error in norm is 3e-6 of the result,
//! against 6e-7 for the direct form; a test holds it under 1e-5.

mod choice;
mod matrices;
mod transforms;

use super::layout::is_weight_gradient;
use super::taps::order;
use crate::simplify::{Matcher, Rewrite};
use crate::stablehlo::{Convolution, DotGeneral, Instruction, Module, Op, Result, Value};
use choice::{Shape, choice};
use transforms::Grid;

#[cfg(test)]
pub(super) use matrices::Form;
#[cfg(not(test))]
use matrices::Form;

/// Runs the pass.
///
/// # Errors
/// Only by a fault of this pass.
pub fn run(module: &Module) -> Result<Module> {
    super::rewrite_module(
        module,
        &[
            Rewrite {
                name: "winograd",
                apply: winograd,
            },
            Rewrite {
                name: "winograd-weight-gradient",
                apply: winograd_weight_gradient,
            },
        ],
    )
}

type Choice = fn(&Shape) -> Option<Form>;

/// Pattern: convolution(x, w) -> output(input(x) . kernel(w)) [if w is 3x3 and not strided, and `choice` says so]
fn winograd(m: &mut Matcher, i: &Instruction) -> Result<Option<Value>> {
    convolution(m, i, choice)
}

fn convolution(m: &mut Matcher, i: &Instruction, choice: Choice) -> Result<Option<Value>> {
    let Some(conv) = plain(m, i).filter(|conv| !is_weight_gradient(conv)) else {
        return Ok(None);
    };
    let (x, w) = (i.operands[0], i.operands[1]);
    let y_shape = m.result_shape.clone();
    let dims = &conv.dims;
    let w_shape = m.builder.shape(w);
    let kernel = [0, 1].map(|s| w_shape[dims.kernel_spatial[s]]);
    let shape = Shape {
        batch: y_shape[dims.output_batch],
        size: [0, 1].map(|s| y_shape[dims.output_spatial[s]]),
        inputs: w_shape[dims.kernel_input],
        outputs: w_shape[dims.kernel_output],
        gradient: false,
    };
    let Some(grid) = grid(&shape, kernel, choice) else {
        return Ok(None);
    };
    // The kernel of an input gradient is reversed: so is G then.
    let (w, reverse) = match m.definition(w) {
        Some(Instruction {
            op: Op::Reverse { dims: reversed },
            operands,
            ..
        }) if sorted(&reversed) == sorted(&dims.kernel_spatial) => (operands[0], true),
        _ => (w, false),
    };
    let b = &mut m.builder;
    let x = b.transpose(
        x,
        &order(dims.input_batch, &dims.input_spatial, dims.input_feature),
    )?;
    let mut hwio = dims.kernel_spatial.clone();
    hwio.extend([dims.kernel_input, dims.kernel_output]);
    let w = b.transpose(w, &hwio)?;
    let x = grid.input(b, x, [conv.padding[0][0], conv.padding[1][0]])?;
    let w = grid.kernel(b, w, reverse)?;
    let products = b.dot_general(x, w, batched(2, 1))?;
    let y = grid.output(b, products)?;
    let y_order = order(dims.output_batch, &dims.output_spatial, dims.output_feature);
    b.transpose_back(y, &y_order).map(Some)
}

/// Pattern: convolution(x, dy) -> kernel_gradient(input(x)^T . cotangent(dy)) [if its features stand before its batch, and for its forward pass `choice` says so]
fn winograd_weight_gradient(m: &mut Matcher, i: &Instruction) -> Result<Option<Value>> {
    weight_gradient(m, i, choice)
}

fn weight_gradient(m: &mut Matcher, i: &Instruction, choice: Choice) -> Result<Option<Value>> {
    let Some(conv) = plain(m, i).filter(|conv| is_weight_gradient(conv)) else {
        return Ok(None);
    };
    let dw_shape = m.result_shape.clone();
    let b = &mut m.builder;
    let dims = &conv.dims;
    let dy_shape = b.shape(i.operands[1]);
    let kernel = [0, 1].map(|s| dw_shape[dims.output_spatial[s]]);
    let shape = Shape {
        batch: dy_shape[dims.kernel_input],
        size: [0, 1].map(|s| dy_shape[dims.kernel_spatial[s]]),
        inputs: dw_shape[dims.output_batch],
        outputs: dw_shape[dims.output_feature],
        gradient: true,
    };
    let Some(grid) = grid(&shape, kernel, choice) else {
        return Ok(None);
    };
    let x_order = order(dims.input_feature, &dims.input_spatial, dims.input_batch);
    let x = b.transpose(i.operands[0], &x_order)?;
    let dy_order = order(dims.kernel_input, &dims.kernel_spatial, dims.kernel_output);
    let dy = b.transpose(i.operands[1], &dy_order)?;
    let x = grid.input(b, x, [conv.padding[0][0], conv.padding[1][0]])?;
    let dy = grid.cotangent(b, dy)?;
    let products = b.dot_general(x, dy, batched(1, 1))?;
    let dw = grid.kernel_gradient(b, products)?;
    let mut dw_order = dims.output_spatial.clone();
    dw_order.extend([dims.output_batch, dims.output_feature]);
    b.transpose_back(dw, &dw_order).map(Some)
}

/// The tiles, if the kernel and `choice` allow some.
fn grid(shape: &Shape, kernel: [i64; 2], choice: Choice) -> Option<Grid> {
    let form = choice(shape).filter(|_| kernel == [3, 3])?;
    Some(Grid {
        form,
        batch: shape.batch,
        size: shape.size,
    })
}

/// Runs the pass with one form for everything, however few channels there are.
#[cfg(test)]
pub(super) fn run_always(module: &Module, form: Form) -> Result<Module> {
    let apply: fn(&mut Matcher, &Instruction) -> Result<Option<Value>> = match form {
        Form::Two => |m, i| either(m, i, |_| Some(Form::Two)),
        Form::Four => |m, i| either(m, i, |_| Some(Form::Four)),
    };
    let name = "winograd";
    super::rewrite_module(module, &[Rewrite { name, apply }])
}

#[cfg(test)]
fn either(m: &mut Matcher, i: &Instruction, choice: Choice) -> Result<Option<Value>> {
    match convolution(m, i, choice)? {
        None => weight_gradient(m, i, choice),
        found => Ok(found),
    }
}

/// A convolution of images with nothing but padding. A kernel of integers has
/// no transform in integers.
fn plain<'i>(m: &Matcher, i: &'i Instruction) -> Option<&'i Convolution> {
    let Op::Convolution(conv) = &i.op else {
        return None;
    };
    let ones = |list: &[i64]| list.iter().all(|&d| d == 1);
    let element = m.builder.ty(i.operands[0]).element;
    let plain = conv.dims.input_spatial.len() == 2
        && element.is_float()
        && ones(&conv.strides)
        && ones(&conv.lhs_dilation)
        && ones(&conv.rhs_dilation)
        && ones(&[conv.feature_group_count, conv.batch_group_count])
        && !conv.window_reversal.contains(&true)
        && conv.padding.iter().flatten().all(|&p| p >= 0);
    plain.then_some(conv)
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
