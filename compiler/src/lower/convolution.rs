//! Convolutions.

use super::axes::add_channels;
use crate::network::Conv;
use crate::stablehlo::{Builder, Convolution, ConvolutionDims, Result, Value};

/// Cross-correlation of NCHW with OIHW, plus the bias of each channel.
pub(super) fn conv(b: &mut Builder, conv: &Conv, x: Value, weights: &[Value]) -> Result<Value> {
    let attributes = Convolution {
        dims: ConvolutionDims::nchw(2),
        strides: conv.stride.to_vec(),
        padding: conv.padding.to_vec(),
        lhs_dilation: vec![1, 1],
        rhs_dilation: conv.dilation.to_vec(),
        window_reversal: vec![false, false],
        feature_group_count: conv.groups,
        batch_group_count: 1,
    };
    let y = b.convolution(x, weights[0], attributes)?;
    match weights.get(1) {
        Some(&bias) => add_channels(b, y, bias),
        None => Ok(y),
    }
}
