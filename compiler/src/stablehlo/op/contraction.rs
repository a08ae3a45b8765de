//! Attributes of dot products and convolutions.

/// Which dimension of each tensor plays which role in a convolution.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ConvolutionDims {
    /// Batch dimension of the input.
    pub input_batch: usize,
    /// Feature dimension of the input.
    pub input_feature: usize,
    /// Spatial dimensions of the input.
    pub input_spatial: Vec<usize>,
    /// Input-feature dimension of the kernel.
    pub kernel_input: usize,
    /// Output-feature dimension of the kernel.
    pub kernel_output: usize,
    /// Spatial dimensions of the kernel.
    pub kernel_spatial: Vec<usize>,
    /// Batch dimension of the output.
    pub output_batch: usize,
    /// Feature dimension of the output.
    pub output_feature: usize,
    /// Spatial dimensions of the output.
    pub output_spatial: Vec<usize>,
}

impl ConvolutionDims {
    /// NCHW x OIHW -> NCHW, for any number of spatial dimensions.
    pub fn nchw(spatial: usize) -> Self {
        let axes: Vec<usize> = (2..2 + spatial).collect();
        ConvolutionDims {
            input_batch: 0,
            input_feature: 1,
            input_spatial: axes.clone(),
            kernel_input: 1,
            kernel_output: 0,
            kernel_spatial: axes.clone(),
            output_batch: 0,
            output_feature: 1,
            output_spatial: axes,
        }
    }

    /// NHWC x HWIO -> NHWC, for any number of spatial dimensions.
    pub fn nhwc(spatial: usize) -> Self {
        let axes: Vec<usize> = (1..=spatial).collect();
        ConvolutionDims {
            input_batch: 0,
            input_feature: spatial + 1,
            input_spatial: axes.clone(),
            kernel_input: spatial,
            kernel_output: spatial + 1,
            kernel_spatial: (0..spatial).collect(),
            output_batch: 0,
            output_feature: spatial + 1,
            output_spatial: axes,
        }
    }
}

/// Attributes of `convolution`. Sizes of vectors equal the number of spatial
/// dimensions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Convolution {
    /// Roles of the dimensions.
    pub dims: ConvolutionDims,
    /// Window strides.
    pub strides: Vec<i64>,
    /// Low and high padding; may be negative.
    pub padding: Vec<[i64; 2]>,
    /// Dilation of the input.
    pub lhs_dilation: Vec<i64>,
    /// Dilation of the kernel.
    pub rhs_dilation: Vec<i64>,
    /// Whether the kernel is traversed backwards.
    pub window_reversal: Vec<bool>,
    /// Groups over input and output features.
    pub feature_group_count: i64,
    /// Groups over the input batch and output features.
    pub batch_group_count: i64,
}

/// Attributes of `dot_general`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct DotGeneral {
    /// Batching dimensions of the left operand.
    pub lhs_batch: Vec<usize>,
    /// Batching dimensions of the right operand.
    pub rhs_batch: Vec<usize>,
    /// Contracting dimensions of the left operand.
    pub lhs_contract: Vec<usize>,
    /// Contracting dimensions of the right operand.
    pub rhs_contract: Vec<usize>,
}
