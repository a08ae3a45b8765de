//! The layouts that convolutions wish for.

use crate::stablehlo::Convolution;

/// Whether a convolution is a weight gradient: reverse mode makes the batch its
/// features and the features its batch, so that they stand the other way round.
pub(crate) fn is_weight_gradient(conv: &Convolution) -> bool {
    conv.dims.input_feature < conv.dims.input_batch
}

/// Storage orders of input, kernel and output.
///
/// A plain convolution wants NHWC, HWIO and NHWC. A weight gradient contracts
/// the batch as its feature dimension, so that its operands are NHWC as well
/// and its output is HWIO.
pub(super) fn wishes(conv: &Convolution) -> [Vec<usize>; 3] {
    let dims = &conv.dims;
    let order =
        |first: &[usize], spatial: &[usize], last: &[usize]| [first, spatial, last].concat();
    if is_weight_gradient(conv) {
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
