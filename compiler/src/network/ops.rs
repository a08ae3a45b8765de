//! The ops of the language: a table from name to options and shape rule.

mod activation;
mod conv;
mod dense;
mod form;
mod movement;
mod norm;
mod parameter;
mod pointwise;
mod pool;
mod random;
mod refusal;
mod tokens;

pub(super) use parameter::{NewBuffer, NewParameter};
pub(super) use refusal::Refusal;

use super::graph::LayerOp;
use super::signature::{Bound, Signature};

/// An op of the language.
pub(super) struct Op {
    pub signature: Signature,
    /// Tensors it takes.
    pub inputs: Arity,
    pub rule: Rule,
}

impl Op {
    /// Whether it takes two tensors of one shape, element by element.
    pub fn is_elementwise(&self) -> bool {
        matches!(self.signature.name, "add" | "subtract" | "multiply")
    }
}

/// How many tensors an op takes, the one that is piped in among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arity {
    Exactly(usize),
    AtLeast(usize),
}

impl Arity {
    /// The tensor left of `|>`, and no other.
    pub const ONE: Self = Self::Exactly(1);

    /// Whether tensors stand among its arguments.
    pub fn several(self) -> bool {
        self != Self::ONE
    }

    pub fn takes(self, count: usize) -> bool {
        match self {
            Self::Exactly(number) => count == number,
            Self::AtLeast(least) => count >= least,
        }
    }

    /// `2 tensors`, for messages.
    pub fn text(self) -> String {
        let tensors = |number| if number == 1 { "tensor" } else { "tensors" };
        match self {
            Self::Exactly(number) => format!("{number} {}", tensors(number)),
            Self::AtLeast(least) => format!("at least {least} {}", tensors(least)),
        }
    }
}

/// From options and input shapes, one per tensor, to what is computed.
pub(super) type Rule = fn(&Bound, &[&[i64]]) -> Result<Applied, Box<Refusal>>;

/// An op on inputs of known shape.
pub(super) struct Applied {
    pub op: LayerOp,
    /// Without the batch.
    pub shape: Vec<i64>,
    pub parameters: Vec<NewParameter>,
    pub buffers: Vec<NewBuffer>,
    pub multiply_adds: i64,
}

impl Applied {
    /// Without parameters, buffers and multiply-adds.
    fn plain(op: LayerOp, shape: Vec<i64>) -> Self {
        Self {
            op,
            shape,
            parameters: Vec::new(),
            buffers: Vec::new(),
            multiply_adds: 0,
        }
    }
}

/// Every op of the language.
pub(super) static OPS: &[Op] = &[
    conv::CONV,
    conv::DEPTHWISE_CONV,
    dense::DENSE,
    pool::MAX_POOL,
    pool::AVG_POOL,
    pool::GLOBAL_AVG_POOL,
    movement::FLATTEN,
    movement::RESHAPE,
    movement::UPSAMPLE,
    movement::CONCAT,
    norm::BATCH_NORM,
    norm::LAYER_NORM,
    norm::GROUP_NORM,
    norm::SCALE,
    activation::RELU,
    activation::RELU6,
    activation::LEAKY_RELU,
    activation::ELU,
    activation::SIGMOID,
    activation::TANH,
    activation::SWISH,
    activation::HARD_SWISH,
    activation::HARD_SIGMOID,
    activation::GELU,
    activation::SOFTPLUS,
    activation::SOFTMAX,
    random::DROPOUT,
    random::DROP_PATH,
    tokens::ATTENTION,
    tokens::TOKENS,
    tokens::CLASS_TOKEN,
    tokens::FIRST_TOKEN,
    tokens::POSITION_EMBEDDING,
    pointwise::ADD,
    pointwise::MULTIPLY,
    pointwise::IDENTITY,
];

/// What `-` of two tensors is; it has no name in the language.
pub(super) static SUBTRACT: Op = pointwise::SUBTRACT;

/// The op called `name`.
pub(super) fn find(name: &str) -> Option<&'static Op> {
    OPS.iter().find(|op| op.signature.name == name)
}

/// What this op is called in libraries whose users look for it here.
pub(super) fn foreign(name: &str) -> Option<&'static str> {
    const NAMES: &[(&str, &str)] = &[
        ("conv2d", "conv"),
        ("convolution", "conv"),
        ("linear", "dense"),
        ("fc", "dense"),
        ("fully_connected", "dense"),
        ("inner_product", "dense"),
        ("maxpool2d", "max_pool"),
        ("max_pool2d", "max_pool"),
        ("avgpool2d", "avg_pool"),
        ("avg_pool2d", "avg_pool"),
        ("batchnorm2d", "batch_norm"),
        ("layernorm", "layer_norm"),
        ("groupnorm", "group_norm"),
        ("depthwise_conv2d", "depthwise_conv"),
        ("depthwiseconv2d", "depthwise_conv"),
        ("adaptive_avg_pool2d", "global_avg_pool"),
        ("globalaveragepooling2d", "global_avg_pool"),
        ("leakyrelu", "leaky_relu"),
        ("hardswish", "hard_swish"),
        ("hardsigmoid", "hard_sigmoid"),
        ("silu", "swish"),
        ("cat", "concat"),
        ("concatenate", "concat"),
        ("mul", "multiply"),
    ];
    let lower = name.to_ascii_lowercase();
    NAMES
        .iter()
        .find(|(foreign, _)| *foreign == lower)
        .map(|(_, ours)| *ours)
}
