//! The ops of the typed graph, with their options resolved.

/// An op with its options resolved.
///
/// The channels of a tensor are its first dimension in an image
/// `[channels, height, width]`, the last one in tokens `[tokens, channels]`, and
/// the only one in a vector `[features]`.
#[derive(Clone, Debug, PartialEq)]
pub enum LayerOp {
    /// 2-D cross-correlation.
    Conv(Conv),
    /// The same with one group per input channel.
    DepthwiseConv(Conv),
    /// `x W + b` along the channels of a vector or of tokens.
    Dense,
    /// Maximum over windows; padding is minus infinity.
    MaxPool(Window),
    /// Mean over windows.
    AvgPool {
        /// Where the windows lie.
        window: Window,
        /// Whether padding cells count in the divisor.
        count_padding: bool,
    },
    /// Mean over height and width of an image, or over tokens.
    GlobalAvgPool,
    /// `max(x, 0)`.
    Relu,
    /// An element-wise function of one tensor.
    Activation(Activation),
    /// `e^x` over its sum along the channels.
    Softmax,
    /// All extents of an example into one, in C, H, W order.
    Flatten,
    /// The same elements in row-major order in this shape of an example.
    Reshape(Vec<i64>),
    /// Each cell repeated `[height, width]` times along each axis.
    Upsample([i64; 2]),
    /// One tensor after the other along the channels.
    Concat,
    /// Mean 0 and variance 1 of each channel over the batch, then an affine map
    /// where there are parameters.
    BatchNorm {
        /// Added to the variance.
        eps: f64,
        /// Share of the batch in the running statistics.
        momentum: f64,
    },
    /// Mean 0 and variance 1 within each example, then an affine map.
    LayerNorm(LayerNorm),
    /// Mean 0 and variance 1 within each group of channels of each example, then
    /// an affine map where there are parameters.
    GroupNorm {
        /// Channel groups.
        groups: i64,
        /// Added to the variance.
        eps: f64,
    },
    /// Times one factor per channel, plus one summand where there are two
    /// parameters.
    Scale,
    /// In training each element is dropped with this probability.
    Dropout {
        /// Of becoming 0.
        p: f64,
    },
    /// In training each example is dropped with this probability.
    DropPath {
        /// Of becoming 0.
        p: f64,
    },
    /// Multi-head self-attention among tokens.
    Attention {
        /// Parts that the channels are split into.
        heads: i64,
        /// Whether the two projections add a bias.
        bias: bool,
    },
    /// The patches of an image, row by row, each as one token of its elements in
    /// C, H, W order.
    Tokens {
        /// Height and width of a patch.
        patch: [i64; 2],
    },
    /// A learned token in front of the others.
    ClassToken,
    /// The first token alone.
    FirstToken,
    /// Plus one learned vector per token.
    PositionEmbedding,
    /// Element-wise sum of two.
    Add,
    /// Element-wise difference of two.
    Subtract,
    /// Element-wise product of two.
    Multiply,
    /// The input itself.
    Identity,
    /// A `param`, the same for every example. One value per channel is
    /// repeated over the rest of the image or over the tokens, a single number
    /// over everything.
    Parameter,
}

impl LayerOp {
    /// Its name in the language; `-` has none and is called `subtract`.
    pub fn name(&self) -> &'static str {
        match self {
            LayerOp::Conv(_) => "conv",
            LayerOp::DepthwiseConv(_) => "depthwise_conv",
            LayerOp::Dense => "dense",
            LayerOp::MaxPool(_) => "max_pool",
            LayerOp::AvgPool { .. } => "avg_pool",
            LayerOp::GlobalAvgPool => "global_avg_pool",
            LayerOp::Relu => "relu",
            LayerOp::Activation(activation) => activation.name(),
            LayerOp::Softmax => "softmax",
            LayerOp::Flatten => "flatten",
            LayerOp::Reshape(_) => "reshape",
            LayerOp::Upsample(_) => "upsample",
            LayerOp::Concat => "concat",
            LayerOp::BatchNorm { .. } => "batch_norm",
            LayerOp::LayerNorm(_) => "layer_norm",
            LayerOp::GroupNorm { .. } => "group_norm",
            LayerOp::Dropout { .. } => "dropout",
            LayerOp::DropPath { .. } => "drop_path",
            LayerOp::Scale => "scale",
            LayerOp::Attention { .. } => "attention",
            LayerOp::Tokens { .. } => "tokens",
            LayerOp::ClassToken => "class_token",
            LayerOp::FirstToken => "first_token",
            LayerOp::PositionEmbedding => "position_embedding",
            LayerOp::Add => "add",
            LayerOp::Subtract => "subtract",
            LayerOp::Multiply => "multiply",
            LayerOp::Identity => "identity",
            LayerOp::Parameter => "param",
        }
    }

    /// Whether it draws random numbers in training, or would with another p.
    pub fn is_random(&self) -> bool {
        match self {
            LayerOp::Dropout { p } | LayerOp::DropPath { p } => *p > 0.0,
            _ => false,
        }
    }
}

/// Options of `conv` and `depthwise_conv`. Pairs are `[height, width]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conv {
    /// Taps.
    pub kernel: [i64; 2],
    /// Step of the window.
    pub stride: [i64; 2],
    /// `[[top, bottom], [left, right]]`, with `same` and `valid` resolved.
    pub padding: [[i64; 2]; 2],
    /// Distance of neighbouring taps.
    pub dilation: [i64; 2],
    /// Channel groups that do not mix.
    pub groups: i64,
    /// Output channels.
    pub out_channels: i64,
    /// Whether a bias is added.
    pub bias: bool,
}

/// Options of a pool. Pairs are `[height, width]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Cells of the window.
    pub size: [i64; 2],
    /// Step of the window.
    pub stride: [i64; 2],
    /// `[[top, bottom], [left, right]]`, with `same` and `valid` resolved.
    pub padding: [[i64; 2]; 2],
}

/// An element-wise function. Where it has no derivative it has the one stated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Activation {
    /// `min(max(x, 0), 6)`; derivative 1 strictly between, else 0.
    Relu6,
    /// `x` above 0, else `slope x`; derivative `slope` at 0.
    LeakyRelu {
        /// Factor of what is not above 0.
        slope: f64,
    },
    /// `x` above 0, else `alpha (e^x - 1)`; derivative `alpha` at 0.
    Elu {
        /// Minus the limit on the left.
        alpha: f64,
    },
    /// `1 / (1 + e^-x)`
    Sigmoid,
    /// `tanh x`
    Tanh,
    /// `x sigmoid(x)`
    Swish,
    /// `x relu6(x + 3) / 6`; derivative 0 at -3 and 1 at 3.
    HardSwish,
    /// `relu6(x + 3) / 6`; derivative 0 at -3 and 3.
    HardSigmoid,
    /// `x P(x)` with the normal distribution's P.
    Gelu {
        /// Whether P is approximated by
        /// `(1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2`.
        tanh: bool,
    },
    /// `ln(1 + e^x)`
    Softplus,
}

impl Activation {
    /// Its name in the language.
    pub fn name(self) -> &'static str {
        match self {
            Activation::Relu6 => "relu6",
            Activation::LeakyRelu { .. } => "leaky_relu",
            Activation::Elu { .. } => "elu",
            Activation::Sigmoid => "sigmoid",
            Activation::Tanh => "tanh",
            Activation::Swish => "swish",
            Activation::HardSwish => "hard_swish",
            Activation::HardSigmoid => "hard_sigmoid",
            Activation::Gelu { .. } => "gelu",
            Activation::Softplus => "softplus",
        }
    }
}

/// Options of `layer_norm`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerNorm {
    /// Added to the variance.
    pub eps: f64,
    /// What mean and variance are taken over.
    pub over: Over,
    /// What it is multiplied by and what is added.
    pub affine: Affine,
}

/// What a mean of an example is taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// The channels of each pixel or token.
    Channels,
    /// All of an example.
    Features,
}

/// The affine map of `layer_norm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Affine {
    /// A factor and a summand for each element that the mean is taken over.
    Element,
    /// One factor and one summand.
    Scalar,
    /// None.
    None,
}
