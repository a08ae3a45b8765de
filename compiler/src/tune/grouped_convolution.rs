//! Grouped convolutions as batched dot products.
//!
//! Before:
//! ```mlir
//! %y = convolution(%x, %w) {feature_group_count = 2}
//!     : (tensor<8x6x6x4xf32>, tensor<3x3x2x6xf32>) -> tensor<8x4x4x6xf32>
//! ```
//! After, for each of the nine taps:
//! ```mlir
//! %1 = slice %x, as [8, 4, 4, 2, 2]        // the pixels that it meets, by group
//! %2 = slice %w, as [2, 2, 3]              // its weights, by group
//! %3 = dot_general %1, %2, batching [3] x [1], contracting [4] x [0]   // added up
//! ```
//! IREE's SPIR-V has one invocation clear a cell of the result and another one
//! add to it, without waiting: most cells come out as zero. Where there are
//! fewer positions than taps, as in a weight gradient, there is a dot product
//! for each position instead, which contracts the taps, too. Depthwise
//! convolutions have a lowering of their own, and stay.

use crate::simplify::{Matcher, Rewrite};
use crate::stablehlo::{
    Builder, Convolution, DotGeneral, Instruction, Module, Op, Result, Value, Window,
};

use super::taps::{self, order};

/// Runs the pass.
///
/// # Errors
/// Only by a fault of this pass.
pub fn run(module: &Module) -> Result<Module> {
    let rewrite = Rewrite {
        name: "grouped-convolution",
        apply: &grouped_convolution,
    };
    super::rewrite_module(module, &[rewrite])
}

/// A convolution without padding or dilation of the input, of `x`
/// [n, spatial.., groups, i] and `w` [spatial.., i, groups, o].
struct Grouped {
    x: Value,
    w: Value,
    kernel: Vec<i64>,
    windows: Vec<i64>,
    strides: Vec<i64>,
    dilation: Vec<i64>,
    batch: i64,
    groups: i64,
    /// Per group.
    inputs: i64,
    outputs: i64,
}

/// Pattern: convolution(x, w, groups) -> dots batched over the groups [if each has several channels]
fn grouped_convolution(m: &mut Matcher, i: &Instruction) -> Result<Option<Value>> {
    let Op::Convolution(conv) = &i.op else {
        return Ok(None);
    };
    let y_shape = m.result_shape.clone();
    let b = &mut m.builder;
    let depthwise = b.shape(i.operands[1])[conv.dims.kernel_input] == 1;
    let fits = conv.feature_group_count > 1
        && conv.batch_group_count == 1
        && !depthwise
        && y_shape.iter().all(|&size| size > 0)
        && !conv.window_reversal.contains(&true)
        && conv.padding.iter().flatten().all(|&p| p >= 0);
    if !fits {
        return Ok(None);
    }
    let grouped = Grouped::new(b, i, conv, &y_shape)?;
    let taps: i64 = grouped.kernel.iter().product();
    let positions: i64 = grouped.windows.iter().product();
    let y = match positions < taps {
        true => grouped.by_position(b)?,
        false => grouped.by_tap(b)?,
    };
    // [n, spatial.., o] to the order of the result.
    let dims = &conv.dims;
    let order = order(dims.output_batch, &dims.output_spatial, dims.output_feature);
    b.transpose_back(y, &order).map(Some)
}

impl Grouped {
    fn new(b: &mut Builder, i: &Instruction, conv: &Convolution, y_shape: &[i64]) -> Result<Self> {
        let dims = &conv.dims;
        let groups = conv.feature_group_count;
        let images = order(dims.input_batch, &dims.input_spatial, dims.input_feature);
        let x = b.transpose(i.operands[0], &images)?;
        let around = |pads: &dyn Fn(&[i64; 2]) -> i64| {
            let inside = conv.padding.iter().map(pads);
            std::iter::once(0)
                .chain(inside)
                .chain([0])
                .collect::<Vec<i64>>()
        };
        let spread = conv.lhs_dilation.iter().map(|d| d - 1);
        let spread: Vec<i64> = std::iter::once(0).chain(spread).chain([0]).collect();
        let x = b.pad_zero(x, &around(&|p| p[0]), &around(&|p| p[1]), &spread)?;
        let mut sizes = b.shape(x);
        let inputs = sizes.pop().unwrap_or_default() / groups;
        sizes.extend([groups, inputs]);
        let x = b.reshape(x, &sizes)?;
        let mut order = dims.kernel_spatial.clone();
        order.extend([dims.kernel_input, dims.kernel_output]);
        let w = b.transpose(i.operands[1], &order)?;
        let mut kernel = b.shape(w);
        let outputs = kernel.pop().unwrap_or_default() / groups;
        let mut sizes = kernel.clone();
        sizes.extend([groups, outputs]);
        kernel.pop();
        Ok(Grouped {
            x,
            w: b.reshape(w, &sizes)?,
            kernel,
            windows: dims.output_spatial.iter().map(|&d| y_shape[d]).collect(),
            strides: conv.strides.clone(),
            dilation: conv.rhs_dilation.clone(),
            batch: y_shape[dims.output_batch],
            groups,
            inputs,
            outputs,
        })
    }

    /// A box of pixels: from `start`, `count` of them, `step` apart.
    fn pixels(&self, b: &mut Builder, start: &[i64], count: &[i64], step: &[i64]) -> Result<Value> {
        let ends = [self.groups, self.inputs];
        let limit = (0..start.len()).map(|s| start[s] + (count[s] - 1) * step[s] + 1);
        let limit: Vec<i64> = [self.batch].into_iter().chain(limit).chain(ends).collect();
        let within = |first: i64, inside: &[i64], last: i64| {
            let mut list = vec![first];
            list.extend(inside);
            list.extend([last; 2]);
            list
        };
        b.slice(self.x, &within(0, start, 0), &limit, &within(1, step, 1))
    }

    /// The sum over the taps of the kernel.
    fn by_tap(&self, b: &mut Builder) -> Result<Value> {
        let spatial = self.kernel.len();
        let dot = DotGeneral {
            lhs_batch: vec![spatial + 1],
            rhs_batch: vec![1],
            lhs_contract: vec![spatial + 2],
            rhs_contract: vec![0],
        };
        let weights = [self.inputs, self.groups, self.outputs];
        let mut sum = None;
        for tap in offsets(&self.kernel) {
            let start: Vec<i64> = tap.iter().zip(&self.dilation).map(|(t, d)| t * d).collect();
            let x = self.pixels(b, &start, &self.windows, &self.strides)?;
            let first: Vec<i64> = tap.iter().copied().chain([0; 3]).collect();
            let limit: Vec<i64> = tap.iter().map(|t| t + 1).chain(weights).collect();
            let w = b.slice(self.w, &first, &limit, &vec![1; spatial + 3])?;
            let w = b.reshape(w, &weights)?;
            // [groups, n, spatial.., o]
            let product = b.dot_general(x, w, dot.clone())?;
            sum = Some(match sum {
                None => product,
                Some(sum) => b.add(sum, product)?,
            });
        }
        let Some(sum) = sum else {
            return self.zero(b);
        };
        let permutation: Vec<usize> = (1..spatial + 2).chain([0, spatial + 2]).collect();
        let sum = b.transpose(sum, &permutation)?;
        b.reshape(sum, &self.shape())
    }

    /// One dot product for each position of the window.
    fn by_position(&self, b: &mut Builder) -> Result<Value> {
        let spatial = self.kernel.len();
        let dot = DotGeneral {
            lhs_batch: vec![spatial + 1],
            rhs_batch: vec![spatial + 1],
            lhs_contract: (1..=spatial).chain([spatial + 2]).collect(),
            rhs_contract: (0..=spatial).collect(),
        };
        let mut cells = Vec::new();
        for position in offsets(&self.windows) {
            let start = position.iter().zip(&self.strides);
            let start: Vec<i64> = start.map(|(p, s)| p * s).collect();
            let x = self.pixels(b, &start, &self.kernel, &self.dilation)?;
            // [groups, n, o]
            let product = b.dot_general(x, self.w, dot.clone())?;
            let product = b.transpose(product, &[1, 0, 2])?;
            let features = self.groups * self.outputs;
            cells.push(b.reshape(product, &[self.batch, 1, features])?);
        }
        let y = b.concatenate(&cells, 1)?;
        b.reshape(y, &self.shape())
    }

    /// An empty kernel's sum.
    fn zero(&self, b: &mut Builder) -> Result<Value> {
        let ty = b.ty(self.x).with_shape(self.shape());
        b.splat(0.0, ty)
    }

    /// [n, spatial.., o] of all groups.
    fn shape(&self) -> Vec<i64> {
        let mut shape = vec![self.batch];
        shape.extend(&self.windows);
        shape.push(self.groups * self.outputs);
        shape
    }
}

/// Every index of a box.
fn offsets(size: &[i64]) -> Vec<Vec<i64>> {
    taps::offsets(&Window {
        size: size.to_vec(),
        ..Window::unit(size.len())
    })
}
