//! The layouts that convolutions wish for.

use crate::stablehlo::{Convolution, Function, Instruction};

/// Whether a convolution contracts more positions than it produces, as weight
/// gradients do: their kernel is a feature map.
pub(crate) fn is_weight_gradient(
    conv: &Convolution,
    kernel_shape: &[i64],
    output_shape: &[i64],
) -> bool {
    let extent =
        |dims: &[usize], shape: &[i64]| -> i64 { dims.iter().map(|&d| shape[d]).product() };
    extent(&conv.dims.kernel_spatial, kernel_shape)
        > extent(&conv.dims.output_spatial, output_shape)
}

/// Storage orders of input, kernel and output.
///
/// A plain convolution wants NHWC, HWIO and NHWC. A weight gradient contracts
/// the batch as its feature dimension, so that its operands are NHWC as well
/// and its output is HWIO.
pub(super) fn wishes(
    function: &Function,
    instruction: &Instruction,
    conv: &Convolution,
) -> [Vec<usize>; 3] {
    let dims = &conv.dims;
    let order =
        |first: &[usize], spatial: &[usize], last: &[usize]| [first, spatial, last].concat();
    let kernel_shape = &function.ty(instruction.operands[1]).shape;
    let output_shape = &function.ty(instruction.result).shape;
    if is_weight_gradient(conv, kernel_shape, output_shape) {
        [
            order(
                &[dims.input_feature],
                &dims.input_spatial,
                &[dims.input_batch],
            ),
            order(
                &[dims.kernel_input],
                &dims.kernel_spatial,
                &[dims.kernel_output],
            ),
            order(
                &[],
                &dims.output_spatial,
                &[dims.output_batch, dims.output_feature],
            ),
        ]
    } else {
        [
            order(
                &[dims.input_batch],
                &dims.input_spatial,
                &[dims.input_feature],
            ),
            order(
                &[],
                &dims.kernel_spatial,
                &[dims.kernel_input, dims.kernel_output],
            ),
            order(
                &[dims.output_batch],
                &dims.output_spatial,
                &[dims.output_feature],
            ),
        ]
    }
}
