//! Weight gradients as batched dot products.
//!
//! Before:
//! ```mlir
//! %dw = convolution(%x, %dy) [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]
//!     : (tensor<128x28x28x32xf32>, tensor<128x28x28x32xf32>) -> tensor<3x3x32x32xf32>
//! ```
//! After, for each of the nine taps:
//! ```mlir
//! %1 = slice %xt [0:128, 0:32, k:k+838]         // padded x, pixels last, one axis
//! %2 = dot_general %1, %dyf, batching [0] x [0], contracting [2] x [1]   // [128, 32, 32]
//! %3 = reduce add %2 over the batch
//! ```
//! As a convolution its kernel is the whole feature map, which IREE does not
//! tile: 250 ms against 8.8. Five forms: one channel (the taps become
//! channels, one dot), one channel per group (products and sums), few pixels
//! (batch and pixels are one axis, and one dot has all taps), stride 1 (the pixels of padded rows become one axis, `dy` is widened with
//! zeros, and each tap is one contiguous slice), and any stride, dilation and
//! grouping (one strided slice per tap). `choice` has when which is taken.

use super::Options;
use super::choice::{Form, Site};
use super::layout::is_weight_gradient;
use super::taps::{self, order};
use crate::simplify::{Matcher, Rewrite};
use crate::stablehlo::{
    Builder, Convolution, DotGeneral, Instruction, Module, Op, Result, Value, Window,
};

/// Kernels of more taps stay as they are.
const LARGEST: i64 = 256;

/// Runs the pass.
///
/// # Errors
/// Only by a fault of this pass.
pub fn run(module: &Module, options: &Options) -> Result<Module> {
    let rewrite = Rewrite {
        name: "weight-gradient",
        apply: &|m, i| weight_gradient(m, i, options),
    };
    super::rewrite_module(module, &[rewrite])
}

/// The contraction in terms of the forward convolution: `x` is [n, h, w, c]
/// and padded, `dy` [n, h', w', o].
struct Gradient {
    x: Value,
    dy: Value,
    /// Kernel height and width.
    kernel: [i64; 2],
    /// Distance of the kernel's taps.
    dilation: [i64; 2],
    /// Stride of the forward convolution.
    stride: [i64; 2],
    /// That of `dy` in the input gradient of stride 1.
    cotangent_padding: [[i64; 2]; 2],
    groups: i64,
}

/// Whether the pass rewrites a convolution with a result of this shape.
pub(super) fn covers(conv: &Convolution, y_shape: &[i64]) -> bool {
    let dims = &conv.dims;
    let taps: i64 = dims.output_spatial.iter().map(|&d| y_shape[d]).product();
    dims.input_spatial.len() == 2
        && is_weight_gradient(conv)
        && taps <= LARGEST
        && y_shape.iter().all(|&s| s > 0)
        && conv.lhs_dilation.iter().all(|&d| d == 1)
        && !conv.window_reversal.contains(&true)
        && conv.padding.iter().flatten().all(|&p| p >= 0)
}

/// Pattern: convolution(x, dy) -> dots over the batch and pixels [if its features stand before its batch]
fn weight_gradient(m: &mut Matcher, i: &Instruction, options: &Options) -> Result<Option<Value>> {
    let Op::Convolution(conv) = &i.op else {
        return Ok(None);
    };
    let y_shape = m.result_shape.clone();
    if !covers(conv, &y_shape) {
        return Ok(None);
    }
    let b = &mut m.builder;
    let dims = &conv.dims;
    let [x, dy] = [0, 1].map(|operand| b.ty(i.operands[operand]));
    let form = Site::of(conv, x, dy, &y_shape)
        .and_then(|site| options.choose(&site, |form| !form.is_winograd()));
    let g = gradient(b, i, conv, &y_shape)?;
    let channels = b.shape(g.x)[3];
    let stacked = if channels == 1 && g.groups == 1 {
        one_channel(b, &g)?
    } else if channels == g.groups {
        depthwise(b, &g)?
    } else {
        match form {
            Some(Form::FewPixels) => few_pixels(b, &g)?,
            Some(Form::Flattened) => flattened(b, &g)?,
            _ => strided(b, &g)?,
        }
    };
    // [kh, kw, c, o] to the order of the result.
    let mut hwio = dims.output_spatial.clone();
    hwio.extend([dims.output_batch, dims.output_feature]);
    b.transpose_back(stacked, &hwio).map(Some)
}

fn gradient(
    b: &mut Builder,
    i: &Instruction,
    conv: &Convolution,
    y_shape: &[i64],
) -> Result<Gradient> {
    let dims = &conv.dims;
    let x = b.transpose(
        i.operands[0],
        &order(dims.input_feature, &dims.input_spatial, dims.input_batch),
    )?;
    let dy = b.transpose(
        i.operands[1],
        &order(dims.kernel_input, &dims.kernel_spatial, dims.kernel_output),
    )?;
    let [[top, bottom], [left, right]] = [conv.padding[0], conv.padding[1]];
    let x = b.pad_zero(x, &[0, top, left, 0], &[0, bottom, right, 0], &[0; 4])?;
    // Feature groups of this convolution are batch groups of the forward one:
    // group k of the batch makes group k of the output features.
    let (x, dy, groups) = if conv.feature_group_count == 1 {
        (x, dy, conv.batch_group_count)
    } else {
        let groups = conv.feature_group_count;
        let x = batch_groups_to_channels(b, x, groups)?;
        (x, dy, groups)
    };
    let kernel = [0, 1].map(|s| y_shape[dims.output_spatial[s]]);
    let dilation = [conv.strides[0], conv.strides[1]];
    let cotangent_padding = [0, 1].map(|s| {
        let reach = (kernel[s] - 1) * dilation[s];
        [reach - conv.padding[s][0], reach - conv.padding[s][1]]
    });
    Ok(Gradient {
        x,
        dy,
        kernel,
        dilation,
        cotangent_padding,
        stride: [conv.rhs_dilation[0], conv.rhs_dilation[1]],
        groups,
    })
}

/// [(g, n), h, w, c] to [n, h, w, (g, c)]
fn batch_groups_to_channels(b: &mut Builder, x: Value, groups: i64) -> Result<Value> {
    let s = b.shape(x);
    let x = b.reshape(x, &[groups, s[0] / groups, s[1], s[2], s[3]])?;
    let x = b.transpose(x, &[1, 2, 3, 0, 4])?;
    b.reshape(x, &[s[0] / groups, s[1], s[2], groups * s[3]])
}

/// First input row and column of each tap.
fn starts(g: &Gradient) -> Vec<[i64; 2]> {
    let kernel = Window {
        size: g.kernel.to_vec(),
        ..Window::unit(2)
    };
    taps::offsets(&kernel)
        .iter()
        .map(|tap| [tap[0] * g.dilation[0], tap[1] * g.dilation[1]])
        .collect()
}

/// The pixels that one tap meets: [n, h', w', c].
fn tap_pixels(b: &mut Builder, g: &Gradient, start: [i64; 2]) -> Result<Value> {
    let x = b.shape(g.x);
    let dy = b.shape(g.dy);
    let limit = [
        x[0],
        start[0] + (dy[1] - 1) * g.stride[0] + 1,
        start[1] + (dy[2] - 1) * g.stride[1] + 1,
        x[3],
    ];
    b.slice(
        g.x,
        &[0, start[0], start[1], 0],
        &limit,
        &[1, g.stride[0], g.stride[1], 1],
    )
}

/// One input channel: the taps become channels, and one dot does them all.
fn one_channel(b: &mut Builder, g: &Gradient) -> Result<Value> {
    let patches = starts(g)
        .into_iter()
        .map(|start| tap_pixels(b, g, start))
        .collect::<Result<Vec<_>>>()?;
    let patches = b.concatenate(&patches, 3)?;
    let products = b.dot_general(
        patches,
        g.dy,
        DotGeneral {
            lhs_batch: vec![0],
            rhs_batch: vec![0],
            lhs_contract: vec![1, 2],
            rhs_contract: vec![1, 2],
        },
    )?;
    let sum = b.sum(products, &[0])?;
    let outputs = b.shape(sum)[1];
    b.reshape(sum, &[g.kernel[0], g.kernel[1], 1, outputs])
}

/// Stride 1: the pixels of the padded rows are one axis, on which each tap is
/// a shift. `dy` gets zeros where a row of `x` has padding to spare.
fn flattened(b: &mut Builder, g: &Gradient) -> Result<Value> {
    let [n, rows, width, c] = b.shape(g.x)[..] else {
        return strided(b, g);
    };
    let [_, h, w, o] = b.shape(g.dy)[..] else {
        return strided(b, g);
    };
    let length = (h - 1) * width + w;
    // Where padding as for the input gradient makes rows of this width, the two share the copy.
    let [[top, bottom], [left, right]] = g.cotangent_padding;
    let shared = w + left + right == width && [top, bottom, left, right].iter().all(|&p| p >= 0);
    let (low, high) = match shared {
        true => ([0, top, left, 0], [0, bottom, right, 0]),
        false => ([0; 4], [0, 0, width - w, 0]),
    };
    let wide = b.pad_zero(g.dy, &low, &high, &[0; 4])?;
    let rows_of_dy = low[1] + h + high[1];
    let wide = b.reshape(wide, &[n, rows_of_dy * width, o])?;
    let first = low[1] * width + low[2];
    let wide = b.slice(wide, &[0, first, 0], &[n, first + length, o], &[1; 3])?;
    let flat = b.reshape(g.x, &[n, rows * width, c])?;
    let flat = b.transpose(flat, &[0, 2, 1])?;
    let mut taps = Vec::new();
    for [row, column] in starts(g) {
        let at = row * width + column;
        let pixels = b.slice(flat, &[0, 0, at], &[n, c, at + length], &[1; 3])?;
        let products = b.dot_general(
            pixels,
            wide,
            DotGeneral {
                lhs_batch: vec![0],
                rhs_batch: vec![0],
                lhs_contract: vec![2],
                rhs_contract: vec![1],
            },
        )?;
        let sum = b.sum(products, &[0])?;
        taps.push(b.reshape(sum, &[1, c, o])?);
    }
    let stacked = b.concatenate(&taps, 0)?;
    b.reshape(stacked, &[g.kernel[0], g.kernel[1], c, o])
}

/// One channel per group: nothing is contracted but pixels, so each tap is a
/// product and a sum, with the channels side by side.
fn depthwise(b: &mut Builder, g: &Gradient) -> Result<Value> {
    let dy = b.shape(g.dy);
    let outputs = dy[3] / g.groups;
    let shape = [dy[0], dy[1], dy[2], g.groups, outputs];
    let grouped_dy = b.reshape(g.dy, &shape)?;
    let mut taps = Vec::new();
    for start in starts(g) {
        let pixels = tap_pixels(b, g, start)?;
        let pixels = b.broadcast(pixels, &[0, 1, 2, 3], &shape)?;
        let products = b.multiply(pixels, grouped_dy)?;
        let sum = b.sum(products, &[1, 2])?;
        let sum = b.sum(sum, &[0])?;
        taps.push(b.reshape(sum, &[1, 1, dy[3]])?);
    }
    let stacked = b.concatenate(&taps, 0)?;
    b.reshape(stacked, &[g.kernel[0], g.kernel[1], 1, dy[3]])
}

/// Few pixels: those of all examples are one axis, and one dot has all taps.
fn few_pixels(b: &mut Builder, g: &Gradient) -> Result<Value> {
    let (c, dy) = (b.shape(g.x)[3], b.shape(g.dy));
    let (pixels, o) = (dy[0] * dy[1] * dy[2], dy[3]);
    let mut taps = Vec::new();
    for start in starts(g) {
        let tap = tap_pixels(b, g, start)?;
        let tap = b.reshape(tap, &[pixels, c])?;
        taps.push(b.transpose(tap, &[1, 0])?);
    }
    let taps = b.concatenate(&taps, 0)?;
    let flat_dy = b.reshape(g.dy, &[pixels, o])?;
    let products = b.dot(taps, flat_dy, &[1], &[0])?;
    b.reshape(products, &[g.kernel[0], g.kernel[1], c, o])
}

/// Any stride and grouping: one strided slice per tap.
fn strided(b: &mut Builder, g: &Gradient) -> Result<Value> {
    let dy = b.shape(g.dy);
    let groups = g.groups;
    let (c, o) = (b.shape(g.x)[3] / groups, dy[3] / groups);
    let grouped_dy = b.reshape(g.dy, &[dy[0], dy[1], dy[2], groups, o])?;
    let mut taps = Vec::new();
    for start in starts(g) {
        let pixels = tap_pixels(b, g, start)?;
        let pixels = b.reshape(pixels, &[dy[0], dy[1], dy[2], groups, c])?;
        let products = b.dot_general(
            pixels,
            grouped_dy,
            DotGeneral {
                lhs_batch: vec![0, 3],
                rhs_batch: vec![0, 3],
                lhs_contract: vec![1, 2],
                rhs_contract: vec![1, 2],
            },
        )?;
        // [n, g, c, o]
        let sum = b.sum(products, &[0])?;
        let sum = b.transpose(sum, &[1, 0, 2])?;
        taps.push(b.reshape(sum, &[1, c, groups * o])?);
    }
    let stacked = b.concatenate(&taps, 0)?;
    b.reshape(stacked, &[g.kernel[0], g.kernel[1], c, groups * o])
}
