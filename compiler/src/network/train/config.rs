//! The `train` section as values.

/// The `train` section, with defaults filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainConfig {
    /// What is minimised.
    pub loss: Loss,
    /// How.
    pub optimizer: Optimizer,
    /// How the learning rate goes on from the optimizer's.
    pub schedule: Schedule,
    /// Largest norm that all gradients together may have; longer ones are
    /// scaled down to it.
    pub clip_norm: Option<f64>,
    /// What weight decay acts on.
    pub decay: Decay,
    /// What the running average of the parameters keeps of itself at each
    /// update; evaluation uses the average.
    pub ema: Option<f64>,
    /// Batches per update, at least 1.
    pub accumulate: i64,
    /// Examples per batch, at least 1.
    pub batch: i64,
    /// Times through the training set, at least 1.
    pub epochs: i64,
    /// Whether each epoch has its own order.
    pub shuffle: bool,
    /// Seed of initial parameters, of shuffling and of augmentation.
    pub seed: u64,
    /// What happens to training images, in order.
    pub augment: Vec<Augmentation>,
    /// What is taken from and divided into each pixel in `0..=1`.
    pub normalize: Option<Normalize>,
}

impl Default for TrainConfig {
    fn default() -> Self {
        Self {
            loss: Loss::SoftmaxCrossEntropy {
                label_smoothing: 0.0,
            },
            optimizer: Optimizer::Sgd(Sgd::plain(0.1)),
            schedule: Schedule::Constant,
            clip_norm: None,
            decay: Decay::All,
            ema: None,
            accumulate: 1,
            batch: 128,
            epochs: 3,
            shuffle: true,
            seed: 0,
            augment: Vec::new(),
            normalize: None,
        }
    }
}

/// What is minimised: a mean over examples, and over the pixels of a net that
/// labels each pixel. Labels are class indices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loss {
    /// `-sum(target * log softmax(logits))`.
    SoftmaxCrossEntropy {
        /// The target is `(1 - label_smoothing) * one_hot + label_smoothing / K`.
        label_smoothing: f64,
    },
    /// Mean over the K outputs of `(output - target)^2`. The target is one-hot,
    /// or of a single output the label itself, 0 or 1.
    MeanSquaredError,
    /// Mean over the K outputs of the cross-entropy of `sigmoid(logit)` and the
    /// target, which is that of the mean squared error.
    BinaryCrossEntropy,
}

impl Loss {
    /// Its name in the language.
    pub fn name(&self) -> &'static str {
        match self {
            Loss::SoftmaxCrossEntropy { .. } => "softmax_cross_entropy",
            Loss::MeanSquaredError => "mean_squared_error",
            Loss::BinaryCrossEntropy => "binary_cross_entropy",
        }
    }
}

/// How parameters move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Optimizer {
    /// Stochastic gradient descent.
    Sgd(Sgd),
    /// Adam; weight decay is added to the gradient.
    Adam(Adam),
    /// Adam; weight decay acts on the parameter.
    AdamW(Adam),
    /// The gradient divided by the root of its running mean square.
    RmsProp(RmsProp),
    /// Adam whose step has the length of the parameter.
    Lamb(Adam),
}

/// Numbers of `sgd`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sgd {
    /// Learning rate, above 0.
    pub lr: f64,
    /// What the velocity keeps of itself.
    pub momentum: f64,
    /// Whether the step looks ahead along the velocity.
    pub nesterov: bool,
    /// Added to the gradient times the parameter.
    pub weight_decay: f64,
}

impl Sgd {
    /// `w -= lr * g`
    pub fn plain(lr: f64) -> Self {
        Sgd {
            lr,
            momentum: 0.0,
            nesterov: false,
            weight_decay: 0.0,
        }
    }
}

/// Numbers of `adam`, `adamw` and `lamb`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adam {
    /// Learning rate, above 0.
    pub lr: f64,
    /// What the running means of gradient and squared gradient keep of
    /// themselves.
    pub betas: [f64; 2],
    /// Added to the root.
    pub eps: f64,
    /// Weight decay.
    pub weight_decay: f64,
}

/// Numbers of `rmsprop`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RmsProp {
    /// Learning rate, above 0.
    pub lr: f64,
    /// What the running mean square keeps of itself.
    pub alpha: f64,
    /// Added to the root.
    pub eps: f64,
    /// What the velocity keeps of itself.
    pub momentum: f64,
    /// Whether the square of the running mean is taken from the mean square.
    pub centered: bool,
    /// Added to the gradient times the parameter.
    pub weight_decay: f64,
}

impl Optimizer {
    /// Its name in the language.
    pub fn name(&self) -> &'static str {
        match self {
            Optimizer::Sgd(_) => "sgd",
            Optimizer::Adam(_) => "adam",
            Optimizer::AdamW(_) => "adamw",
            Optimizer::RmsProp(_) => "rmsprop",
            Optimizer::Lamb(_) => "lamb",
        }
    }

    /// Its learning rate, where the schedule begins.
    pub fn lr(&self) -> f64 {
        match self {
            Optimizer::Sgd(sgd) => sgd.lr,
            Optimizer::Adam(adam) | Optimizer::AdamW(adam) | Optimizer::Lamb(adam) => adam.lr,
            Optimizer::RmsProp(rmsprop) => rmsprop.lr,
        }
    }
}

/// What weight decay acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decay {
    /// Every parameter.
    All,
    /// Weights alone: no biases, no parameters of normalisations.
    Weights,
}

impl Decay {
    /// Its name in the language.
    pub fn name(&self) -> &'static str {
        match self {
            Decay::All => "all",
            Decay::Weights => "weights",
        }
    }
}

/// How the learning rate goes on. Times are epochs; the rate changes at each
/// update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Schedule {
    /// The optimizer's learning rate throughout.
    Constant,
    /// Half a wave of the cosine from the optimizer's learning rate to `min`.
    Cosine {
        /// Epochs in which the learning rate first rises in a straight line.
        warmup: f64,
        /// Learning rate after the last update.
        min: f64,
    },
    /// Times `factor` after every so many epochs.
    Step {
        /// Whole epochs between two changes.
        every: i64,
        /// What the learning rate is multiplied by.
        factor: f64,
    },
    /// Times `rate` per `every` epochs, a little at each update.
    Exponential {
        /// What the learning rate is multiplied by.
        rate: f64,
        /// In this many epochs.
        every: f64,
    },
}

/// What happens to training images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Augmentation {
    /// A random window of the image's size, of the image with so many black
    /// pixels on each side.
    PadCrop(i64),
    /// Left and right change sides, every other time at random.
    Flip,
}

/// `(mean, std)` of pixels, one for all channels or one for each.
#[derive(Clone, Debug, PartialEq)]
pub struct Normalize {
    /// Taken from each pixel.
    pub mean: Vec<f64>,
    /// Divided into the difference.
    pub std: Vec<f64>,
}
