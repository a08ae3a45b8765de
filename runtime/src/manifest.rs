//! The manifest: what a compiled program says of its inputs, parameters and state.

mod difference;
mod error;
mod validate;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use error::ManifestError;

use crate::data::Needs;
use crate::layout::Stored;

/// The manifest version this crate reads.
pub const VERSION: u64 = 1;

/// Element types of a program's inputs, parameters and state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dtype {
    /// 32-bit IEEE float.
    F32,
    /// 32-bit signed integer.
    I32,
    /// 64-bit signed integer.
    I64,
    /// 32-bit unsigned integer.
    #[serde(alias = "ui32")]
    U32,
    /// 64-bit unsigned integer.
    #[serde(alias = "ui64")]
    U64,
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Dtype::F32 => "f32",
            Dtype::I32 => "i32",
            Dtype::I64 => "i64",
            Dtype::U32 => "u32",
            Dtype::U64 => "u64",
        })
    }
}

/// A program input: an image, `f32[N, C, H, W]`, or `label`, `i32[N]` or `i32[N, H, W]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// That of the network file, or `label`.
    pub name: String,
    /// Shape with the batch dimension first.
    pub shape: Vec<usize>,
    /// Element type.
    pub dtype: Dtype,
}

/// A parameter, or a piece of optimizer state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Variable {
    /// Path in the network, for example `conv1.weight`.
    pub name: String,
    /// Canonical shape: convolutions OIHW, dense [in, out].
    pub shape: Vec<usize>,
    /// Element type.
    pub dtype: Dtype,
    /// `weight`, `bias`, ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Name or description of the initialiser. Informative: `init` draws the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub init: Option<serde_json::Value>,
    /// Inputs per output value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fan_in: Option<u64>,
    /// Outputs per input value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fan_out: Option<u64>,
    /// The parameter or piece of model state that it belongs to, where it is state of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Which functions take it, where it is state; a parameter goes to all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// How the program keeps it; absent for the canonical layout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored: Option<Stored>,
}

impl Variable {
    /// Shape of the tensor as the program takes it.
    pub fn stored_shape(&self) -> &[usize] {
        self.stored.as_ref().map_or(&self.shape, |s| &s.shape)
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.shape.iter().product()
    }
}

/// Which functions take a piece of state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Every function: running statistics, the state of random numbers.
    Model,
    /// `train_step` alone.
    #[default]
    Optimizer,
}

/// The optimizer built into `train_step`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Optimizer {
    /// `sgd`, `adam`, ...
    pub name: String,
    /// The learning rate of the network file: a default, the program takes it as an argument.
    pub lr: f64,
    /// Batches per update. If more than 1, `train_step` has an argument that says whether a batch
    /// ends a group of them.
    #[serde(default = "one")]
    pub accumulate: usize,
}

fn one() -> usize {
    1
}

/// Role of state that is the running average of what it belongs to; evaluation uses it.
pub const AVERAGE: &str = "average";
/// Name of the metric that is the norm of all gradients before they are clipped.
pub const GRADIENT_NORM: &str = "gradient_norm";

fn metrics() -> Vec<String> {
    ["loss", "correct"].map(String::from).to_vec()
}

/// What a compiled program says of itself. Made by [`Manifest::parse`], which validates it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of this format.
    pub version: u64,
    /// Name of the network.
    pub net: String,
    /// Examples per call.
    pub batch: usize,
    /// What the program was tuned for: `cpu`, `vulkan`, ...
    pub target: String,
    /// LLVM's name of the CPU it was compiled for, where it is one.
    #[serde(default)]
    pub cpu: Option<String>,
    /// IREE's name of the GPU it was compiled for, where it is for one kind only.
    #[serde(default)]
    pub gpu: Option<String>,
    /// Number of classes.
    pub classes: usize,
    /// Shape of the logits, with the batch first; [batch, classes] where it is not said.
    #[serde(default)]
    pub logits: Vec<usize>,
    /// What is minimised.
    #[serde(default)]
    pub loss: Option<String>,
    /// The image, then `label`.
    pub inputs: Vec<Input>,
    /// Parameters in the order of the functions' arguments.
    pub parameters: Vec<Variable>,
    /// State in the order of the functions' arguments: that of the model, then that of the
    /// optimizer.
    #[serde(default)]
    pub state: Vec<Variable>,
    /// Names of what `train_step` reports: loss, correct and maybe the norm of the gradients.
    #[serde(default = "metrics")]
    pub metrics: Vec<String>,
    /// The optimizer, where the program has a `train_step`.
    #[serde(default)]
    pub optimizer: Option<Optimizer>,
}

impl Manifest {
    /// Reads and validates the JSON text of a manifest.
    ///
    /// # Errors
    /// A [`ManifestError`] naming the first fault.
    pub fn parse(text: &str) -> Result<Self, ManifestError> {
        let json = |error: serde_json::Error| ManifestError::Json {
            message: error.to_string(),
        };
        let value: serde_json::Value = serde_json::from_str(text).map_err(json)?;
        match value.get("version") {
            Some(version) if version.as_u64() == Some(VERSION) => {}
            other => {
                return Err(ManifestError::Version {
                    found: other.map_or_else(|| "none".into(), |value| value.to_string()),
                });
            }
        }
        let mut manifest: Manifest = serde_json::from_value(value).map_err(json)?;
        if manifest.logits.is_empty() {
            manifest.logits = vec![manifest.batch, manifest.classes];
        }
        manifest.validate()?;
        Ok(manifest)
    }

    /// The input that is no label, whatever its name.
    fn image_input(&self) -> Option<&Input> {
        self.inputs.iter().find(|input| input.name != "label")
    }

    /// Channels, height and width of an image.
    pub fn image_shape(&self) -> [usize; 3] {
        match self.image_input().map(|input| &*input.shape) {
            Some(&[_, channels, height, width]) => [channels, height, width],
            _ => [0, 0, 0],
        }
    }

    /// Number of f32 values in one image.
    pub fn image_elements(&self) -> usize {
        self.image_shape().iter().product()
    }

    /// Extents of the labels of one example: none, or height and width where each pixel has its
    /// own.
    pub fn label_shape(&self) -> &[usize] {
        let label = self.inputs.iter().find(|input| input.name == "label");
        label.and_then(|label| label.shape.get(1..)).unwrap_or(&[])
    }

    /// Number of labels of one example.
    pub fn labels_per_example(&self) -> usize {
        self.label_shape().iter().product()
    }

    /// What the program needs of a data set.
    pub fn needs(&self) -> Needs<'_> {
        Needs {
            image: self.image_shape(),
            labels: self.label_shape(),
            classes: self.classes,
        }
    }

    /// Batches per update.
    pub fn accumulate(&self) -> usize {
        self.optimizer
            .as_ref()
            .map_or(1, |optimizer| optimizer.accumulate)
    }

    /// Whether `train_step` reports the norm of the gradients.
    pub fn reports_norm(&self) -> bool {
        self.metrics.iter().any(|metric| metric == GRADIENT_NORM)
    }

    /// The state that every function takes.
    fn of_model(&self) -> impl Iterator<Item = &Variable> {
        self.state.iter().take(self.model_state())
    }

    /// How many pieces of state, the first ones, every function takes.
    pub fn model_state(&self) -> usize {
        let of_model = |variable: &&Variable| variable.scope == Some(Scope::Model);
        self.state.iter().take_while(of_model).count()
    }

    /// Total number of parameter values.
    pub fn parameter_elements(&self) -> usize {
        self.parameters.iter().map(Variable::elements).sum()
    }
}

#[cfg(test)]
mod tests;
