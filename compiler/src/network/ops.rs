//! The ops of the language: a table from name to options and shape rule.

mod conv;
mod dense;
mod pointwise;
mod pool;
mod refusal;

pub(super) use refusal::Refusal;

use super::graph::{BufferRole, Initializer, LayerOp, Role};
use super::signature::{Bound, Signature};

/// An op of the language.
pub(super) struct Op {
    pub signature: Signature,
    /// Tensors it takes.
    pub inputs: Arity,
    /// None for what this version cannot compile.
    pub rule: Option<Rule>,
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

/// A parameter the op needs.
pub(super) struct NewParameter {
    /// `weight` or `bias`
    pub suffix: &'static str,
    pub role: Role,
    pub shape: Vec<i64>,
    pub init: Initializer,
    pub fan_in: i64,
    pub fan_out: i64,
}

/// A buffer the op needs.
pub(super) struct NewBuffer {
    /// `running_mean` or `running_var`
    pub suffix: &'static str,
    pub role: BufferRole,
    pub shape: Vec<i64>,
}

const fn planned(name: &'static str) -> Op {
    Op {
        signature: Signature { name, options: &[] },
        inputs: Arity::ONE,
        rule: None,
    }
}

/// Every op of the language.
pub(super) static OPS: &[Op] = &[
    conv::CONV,
    dense::DENSE,
    pool::MAX_POOL,
    pointwise::RELU,
    pointwise::FLATTEN,
    pointwise::IDENTITY,
    pointwise::ADD,
    pointwise::MULTIPLY,
    planned("depthwise_conv"),
    planned("avg_pool"),
    planned("global_avg_pool"),
    planned("reshape"),
    planned("upsample"),
    planned("batch_norm"),
    planned("layer_norm"),
    planned("group_norm"),
    planned("relu6"),
    planned("leaky_relu"),
    planned("elu"),
    planned("sigmoid"),
    planned("tanh"),
    planned("swish"),
    planned("hard_swish"),
    planned("hard_sigmoid"),
    planned("gelu"),
    planned("softplus"),
    planned("softmax"),
    planned("dropout"),
    planned("drop_path"),
    planned("attention"),
    planned("tokens"),
    planned("class_token"),
    planned("position_embedding"),
    planned("scale"),
    planned("concat"),
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
