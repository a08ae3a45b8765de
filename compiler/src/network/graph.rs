//! The typed graph of a network: what `lower` reads.
//!
//! Shapes never carry the batch dimension: `[channels, height, width]` for an
//! image, `[tokens, channels]` for tokens, `[features]` for a vector.

pub use super::layer_op::{Activation, Affine, Conv, LayerNorm, LayerOp, Over, Window};
pub use super::train::config::{
    Adam, Augmentation, Decay, Loss, Normalize, Optimizer, RmsProp, Schedule, Sgd, TrainConfig,
};
use cnnc_grammar::Span;

/// A network with every name resolved and every shape known.
///
/// `layers` is in topological order: each input of a layer is a network input
/// or the output of an earlier layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// Name of the `net`.
    pub name: String,
    /// What the caller feeds, in order of declaration.
    pub inputs: Vec<Input>,
    /// What is trained, in order of first use; a bias follows its weight.
    pub parameters: Vec<Parameter>,
    /// What layers keep from step to step besides parameters, in order of
    /// first use.
    pub buffers: Vec<Buffer>,
    /// Every value, indexed by [`TensorId`].
    pub tensors: Vec<Tensor>,
    /// Every application of an op.
    pub layers: Vec<Layer>,
    /// The value of the net.
    pub output: TensorId,
    /// How it is trained.
    pub train: TrainConfig,
}

/// Index into [`Network::tensors`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TensorId(pub usize);

/// Index into [`Network::parameters`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ParameterId(pub usize);

/// Index into [`Network::buffers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub usize);

/// A declared `input`.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// The declared name.
    pub name: String,
    /// The tensor it is.
    pub tensor: TensorId,
}

/// A value of the graph; its element type is `f32`.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// The `input` or `let` name, else the name of the layer that makes it. Unique.
    pub name: String,
    /// Extents without the batch dimension; all at least 1.
    pub shape: Vec<i64>,
    /// Where it is made.
    pub span: Span,
}

/// A trainable array.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its path, the key of checkpoints, such as `conv1.weight`. Unique.
    pub name: String,
    /// Canonical shape: `[out, in / groups, height, width]` for a convolution,
    /// `[in, out]` for `dense`, `[out]` for a bias.
    pub shape: Vec<i64>,
    /// What it is to its layer.
    pub role: Role,
    /// How it starts.
    pub init: Initializer,
    /// Inputs that each output of the layer sums over.
    pub fan_in: i64,
    /// Outputs that each input of the layer feeds.
    pub fan_out: i64,
    /// The layer that declares it.
    pub span: Span,
}

/// What a parameter is to its layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Multiplies the input, which it mixes.
    Weight,
    /// Is added, one value per channel or feature.
    Bias,
    /// Multiplies the input, one factor per channel or element.
    Scale,
    /// Is put in as a value of its own: a token, or a position's vector.
    Embedding,
}

/// An array that a layer updates in training and reads in evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// Its path, such as `batch_norm1.running_mean`. Unique among parameters
    /// and buffers.
    pub name: String,
    /// Its shape.
    pub shape: Vec<i64>,
    /// What it is to its layer.
    pub role: BufferRole,
    /// The layer that declares it.
    pub span: Span,
}

/// What a buffer is to its layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BufferRole {
    /// Running mean of each channel; starts at 0.
    RunningMean,
    /// Running variance of each channel; starts at 1.
    RunningVariance,
}

/// How a parameter starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Initializer {
    /// All 0.
    Zeros,
    /// All 1.
    Ones,
    /// All the same.
    Constant(f64),
    /// Normal with mean 0.
    Normal {
        /// Standard deviation.
        std: f64,
    },
    /// Uniform in `-bound..bound`.
    Uniform {
        /// Largest absolute value.
        bound: f64,
    },
    /// Normal, standard deviation `sqrt(2 / fan_in)`.
    HeNormal,
    /// Uniform, bound `sqrt(6 / fan_in)`.
    HeUniform,
    /// Normal, standard deviation `sqrt(2 / (fan_in + fan_out))`.
    GlorotNormal,
    /// Uniform, bound `sqrt(6 / (fan_in + fan_out))`.
    GlorotUniform,
    /// Normal, standard deviation `sqrt(1 / fan_in)`.
    LecunNormal,
}

/// One application of an op.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Name of this application, such as `conv1`. Unique, also where layers share parameters.
    pub name: String,
    /// The name its parameters and buffers carry: that of their first layer.
    /// Where it has none, its own name.
    pub base: String,
    /// The op and its options, all resolved.
    pub op: LayerOp,
    /// The op as it is written, with the options that are not the defaults:
    /// `conv(32, kernel=3)`.
    pub text: String,
    /// What it reads: several for some ops, none for a parameter.
    pub inputs: Vec<TensorId>,
    /// What it makes.
    pub output: TensorId,
    /// Its weights and biases, each bias behind its weight; layers may share them.
    pub parameters: Vec<ParameterId>,
    /// What it keeps from step to step; layers may share them.
    pub buffers: Vec<BufferId>,
    /// The text of the op.
    pub span: Span,
    /// Multiply-adds of one example's forward pass.
    pub multiply_adds: i64,
}

impl Network {
    /// The tensor of an id of this network.
    pub fn tensor(&self, id: TensorId) -> &Tensor {
        &self.tensors[id.0]
    }

    /// The parameter of an id of this network.
    pub fn parameter(&self, id: ParameterId) -> &Parameter {
        &self.parameters[id.0]
    }

    /// The buffer of an id of this network.
    pub fn buffer(&self, id: BufferId) -> &Buffer {
        &self.buffers[id.0]
    }

    /// Whether training draws random numbers.
    pub fn is_random(&self) -> bool {
        self.layers.iter().any(|layer| layer.op.is_random())
    }

    /// Classes that labels choose from: the outputs, or two where a single
    /// output says which.
    pub fn classes(&self) -> i64 {
        let outputs = self.tensor(self.output).shape.first().copied().unwrap_or(0);
        match self.train.loss {
            Loss::MeanSquaredError | Loss::BinaryCrossEntropy if outputs == 1 => 2,
            _ => outputs,
        }
    }

    /// Extents of one example's labels: none, or height and width where each
    /// pixel has its own.
    pub fn label_shape(&self) -> &[i64] {
        self.tensor(self.output).shape.get(1..).unwrap_or(&[])
    }

    /// Trainable numbers, each counted once however often it is used.
    pub fn parameter_count(&self) -> i64 {
        self.parameters.iter().map(Parameter::size).sum()
    }

    /// Multiply-adds of one example's forward pass.
    pub fn multiply_adds(&self) -> i64 {
        self.layers.iter().map(|layer| layer.multiply_adds).sum()
    }
}

impl Parameter {
    /// Numbers it holds.
    pub fn size(&self) -> i64 {
        self.shape.iter().product()
    }
}

impl Tensor {
    /// Numbers one example has.
    pub fn size(&self) -> i64 {
        self.shape.iter().product()
    }
}

/// The dimension of the channels: the first one of an image, the last one of
/// tokens, the only one of a vector.
pub fn channel_axis(shape: &[i64]) -> usize {
    usize::from(shape.len() == 2)
}
