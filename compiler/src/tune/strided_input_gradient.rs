//! Input gradients of strided convolutions as one dot product.
//!
//! Before, with three quarters of the multiplications by zeros:
//! ```mlir
//! %dx = convolution(%dy, %w), pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2]
//!     : (tensor<8x16x16x128xf32>, tensor<3x3x128x64xf32>) -> tensor<8x32x32x64xf32>
//! ```
//! After:
//! ```mlir
//! %1 = dot %padded_dy, %w             // [8, 17, 17, 3, 3, 64]: each pixel by each tap
//! %2 = add of four slices of %1       // rows 0, 2, .., columns 0, 2, ..: four taps meet cells
//! %3 = add of two slices of %1        // columns 1, 3, ..
//! %4, %5                              // rows 1, 3, ..
//! %dx = transpose (concatenate %2, %3, %4, %5)
//! ```
//! Where only one of the phases is met by taps, as in a 1x1 convolution, its
//! cells are padded apart instead.
//!
//! Processor time against the convolution, with IREE 3.13 for the example at
//! batch 64: 0.39, and 0.25 to 0.4 for 1x1 kernels. A dense convolution per
//! phase takes 3.3 (IREE is slow at kernels of 1x2), a dot per tap 0.58, one
//! convolution with all phases as channels of a 2x2 kernel 0.52.

use super::layout::is_weight_gradient;
use super::taps::{self, order};
use crate::simplify::{Matcher, Rewrite};
use crate::stablehlo::{Builder, Convolution, Instruction, Module, Op, Result, Value, Window};

/// Kernels of more taps stay as they are: each tap is a tensor in memory.
const LARGEST: i64 = 32;

/// Runs the pass.
///
/// # Errors
/// Only by a fault of this pass.
pub fn run(module: &Module) -> Result<Module> {
    let rewrite = Rewrite {
        name: "strided-input-gradient",
        apply: &strided_input_gradient,
    };
    super::rewrite_module(module, &[rewrite])
}

/// Pattern: convolution(x, w) -> phases of slices of dot(x, w) [if x is dilated]
fn strided_input_gradient(m: &mut Matcher, i: &Instruction) -> Result<Option<Value>> {
    let Op::Convolution(conv) = &i.op else {
        return Ok(None);
    };
    let y_shape = m.result_shape.clone();
    let b = &mut m.builder;
    let (x_shape, w_shape) = (b.shape(i.operands[0]), b.shape(i.operands[1]));
    if !fits(conv, &x_shape, &w_shape, &y_shape) {
        return Ok(None);
    }
    let dims = &conv.dims;
    let axes: Vec<Axis> = (0..dims.input_spatial.len())
        .map(|s| {
            Axis::new(
                conv,
                s,
                x_shape[dims.input_spatial[s]],
                w_shape[dims.kernel_spatial[s]],
                y_shape[dims.output_spatial[s]],
            )
        })
        .collect();
    let products = products(b, i, conv, &axes)?;
    let sums = phases(b, products, &axes, w_shape[dims.kernel_output])?;
    let y = joined(b, &sums, &axes)?;
    // [n, spatial.., o] to the order of the result.
    let order = order(dims.output_batch, &dims.output_spatial, dims.output_feature);
    b.transpose_back(y, &order).map(Some)
}

fn fits(conv: &Convolution, x: &[i64], w: &[i64], y: &[i64]) -> bool {
    let taps: i64 = conv.dims.kernel_spatial.iter().map(|&d| w[d]).product();
    conv.lhs_dilation.iter().any(|&d| d > 1)
        && conv.strides.iter().all(|&s| s == 1)
        && conv.feature_group_count == 1
        && conv.batch_group_count == 1
        && !is_weight_gradient(conv)
        && taps <= LARGEST
        && [x, w, y]
            .iter()
            .all(|shape| shape.iter().all(|&size| size > 0))
}

/// A spatial dimension.
struct Axis {
    /// Cells of the output.
    size: i64,
    /// How far apart the cells of the input are in the output.
    dilation: i64,
    /// Taps of the kernel.
    kernel: i64,
    /// Cells of the output in each phase, of which the last may be too many.
    cells: i64,
    /// For each phase of the output the taps that meet cells of the input, and
    /// the cell that the first of its cells meets.
    phases: Vec<Vec<(i64, i64)>>,
    /// The range of those cells, padding included.
    range: [i64; 2],
    /// Cells of the input.
    input: i64,
    reversed: bool,
}

impl Axis {
    fn new(conv: &Convolution, s: usize, input: i64, kernel: i64, size: i64) -> Self {
        let dilation = conv.lhs_dilation[s];
        let cells = (size + dilation - 1) / dilation;
        let phases: Vec<Vec<(i64, i64)>> = (0..dilation)
            .map(|phase| {
                let at = |tap: i64| phase + tap * conv.rhs_dilation[s] - conv.padding[s][0];
                (0..kernel)
                    .filter(|&tap| at(tap).rem_euclid(dilation) == 0)
                    .map(|tap| (tap, at(tap).div_euclid(dilation)))
                    .collect()
            })
            .collect();
        let met = || phases.iter().flatten().map(|&(_, cell)| cell);
        let range = [met().min().unwrap_or(0), met().max().unwrap_or(0) + cells];
        Axis {
            size,
            dilation,
            kernel,
            cells,
            range,
            phases,
            input,
            reversed: conv.window_reversal[s],
        }
    }

    fn met(&self) -> i64 {
        self.range[1] - self.range[0]
    }
}

/// Each pixel that is met by each tap: [n, pixels.., taps * o].
fn products(b: &mut Builder, i: &Instruction, conv: &Convolution, axes: &[Axis]) -> Result<Value> {
    let dims = &conv.dims;
    let images = order(dims.input_batch, &dims.input_spatial, dims.input_feature);
    let x = b.transpose(i.operands[0], &images)?;
    let around = |of: &dyn Fn(&Axis) -> i64, ends: [i64; 2]| -> Vec<i64> {
        let inside = axes.iter().map(of);
        [ends[0]]
            .into_iter()
            .chain(inside)
            .chain([ends[1]])
            .collect()
    };
    let none = vec![0; images.len()];
    let low = around(&|a| (-a.range[0]).max(0), [0; 2]);
    let high = around(&|a| (a.range[1] - a.input).max(0), [0; 2]);
    let x = b.pad_zero(x, &low, &high, &none)?;
    let shape = b.shape(x);
    let (batch, features) = (shape[0], shape[shape.len() - 1]);
    let start = around(&|a| a.range[0].max(0), [0; 2]);
    let limit = around(&|a| a.range[0].max(0) + a.met(), [batch, features]);
    let x = b.slice(x, &start, &limit, &vec![1; images.len()])?;
    let reversed = dims.kernel_spatial.iter().zip(axes);
    let reversed = reversed.filter(|(_, axis)| axis.reversed);
    let reversed: Vec<usize> = reversed.map(|(&dim, _)| dim).collect();
    let w = b.reverse(i.operands[1], &reversed)?;
    let kernels = order(dims.kernel_input, &dims.kernel_spatial, dims.kernel_output);
    let w = b.transpose(w, &kernels)?;
    let taps: i64 = axes.iter().map(|axis| axis.kernel).product();
    let outputs = taps * b.shape(w)[kernels.len() - 1];
    let pixels: i64 = axes.iter().map(Axis::met).product();
    let x = b.reshape(x, &[batch * pixels, features])?;
    let w = b.reshape(w, &[features, outputs])?;
    let products = b.dot(x, w, &[1], &[0])?;
    b.reshape(products, &around(&Axis::met, [batch, outputs]))
}

/// The cells of each phase, row-major: [n, cells.., o]; none where no tap
/// meets anything.
fn phases(b: &mut Builder, products: Value, axes: &[Axis], o: i64) -> Result<Vec<Option<Value>>> {
    let batch = b.shape(products)[0];
    let strides = vec![1; axes.len() + 2];
    let mut sums = Vec::new();
    for phase in indices(axes.iter().map(|axis| axis.dilation)) {
        let met: Vec<&Vec<(i64, i64)>> = axes
            .iter()
            .zip(&phase)
            .filter_map(|(axis, &phase)| axis.phases.get(phase as usize))
            .collect();
        let mut sum = None;
        for choice in indices(met.iter().map(|taps| taps.len() as i64)) {
            let (mut start, mut limit, mut tap) = (vec![0], vec![batch], 0);
            for ((axis, taps), &choice) in axes.iter().zip(&met).zip(&choice) {
                let (own, cell) = taps[choice as usize];
                tap = tap * axis.kernel + own;
                start.push(cell - axis.range[0]);
                limit.push(cell - axis.range[0] + axis.cells);
            }
            start.push(tap * o);
            limit.push(tap * o + o);
            let term = b.slice(products, &start, &limit, &strides)?;
            sum = Some(match sum {
                None => term,
                Some(sum) => b.add(sum, term)?,
            });
        }
        sums.push(sum);
    }
    Ok(sums)
}

/// The phases side by side: [n, spatial.., o].
fn joined(b: &mut Builder, sums: &[Option<Value>], axes: &[Axis]) -> Result<Value> {
    let rank = axes.len() + 2;
    let mut found = sums.iter().flatten();
    let Some(&first) = found.next() else {
        // Every kernel has a tap, and it meets some phase.
        return Err(crate::stablehlo::Error::Pass {
            pass: "strided-input-gradient",
            message: "no phase is met".to_owned(),
            location: b.location.clone(),
        });
    };
    let alone = found.next().is_none();
    let shape = b.shape(first);
    let (batch, o) = (shape[0], shape[rank - 1]);
    let mut whole = vec![batch];
    let spread = if alone {
        let index = sums.iter().position(Option::is_some).unwrap_or_default();
        let all = indices(axes.iter().map(|axis| axis.dilation));
        let phase = all.get(index).cloned().unwrap_or_default();
        let (mut low, mut high, mut interior) = (vec![0], vec![0], vec![0]);
        for (axis, &phase) in axes.iter().zip(&phase) {
            low.push(phase);
            high.push(axis.dilation - 1 - phase);
            interior.push(axis.dilation - 1);
            whole.push(axis.size);
        }
        for list in [&mut low, &mut high, &mut interior] {
            list.push(0);
        }
        b.pad_zero(first, &low, &high, &interior)?
    } else {
        let mut layers = Vec::new();
        let mut layer = vec![1];
        layer.extend(&shape);
        for &sum in sums {
            let sum = match sum {
                Some(sum) => sum,
                None => b.splat_like(0.0, first)?,
            };
            layers.push(b.reshape(sum, &layer)?);
        }
        let layers = b.concatenate(&layers, 0)?;
        let mut sizes: Vec<i64> = axes.iter().map(|axis| axis.dilation).collect();
        sizes.extend(&shape);
        let layers = b.reshape(layers, &sizes)?;
        // Phases behind the cells that they are the phases of.
        let mut permutation = vec![axes.len()];
        let mut merged = vec![batch];
        for (s, axis) in axes.iter().enumerate() {
            permutation.extend([axes.len() + 1 + s, s]);
            merged.push(axis.cells * axis.dilation);
            whole.push(axis.size);
        }
        permutation.push(2 * axes.len() + 1);
        merged.push(o);
        let layers = b.transpose(layers, &permutation)?;
        b.reshape(layers, &merged)?
    };
    whole.push(o);
    b.slice(spread, &vec![0; rank], &whole, &vec![1; rank])
}

/// Every index of a box.
fn indices(size: impl Iterator<Item = i64>) -> Vec<Vec<i64>> {
    let size: Vec<i64> = size.collect();
    taps::offsets(&Window {
        size: size.clone(),
        ..Window::unit(size.len())
    })
}
