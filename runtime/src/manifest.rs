//! The manifest: what a compiled program says of its inputs, parameters and state.

use std::collections::HashSet;
use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::data::Needs;
use crate::layout::{LayoutError, Stored, element_count};

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

/// A program input: `image`, `f32[N, C, H, W]`, or `label`, `i32[N]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// `image` or `label`.
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
    /// `image`, then `label`.
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

/// Why a manifest is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ManifestError {
    /// No JSON, or not of this form.
    #[error("the program's manifest cannot be read: {message}")]
    Json {
        /// serde's message with line and column.
        message: String,
    },
    /// Written by another version of the compiler.
    #[error(
        "the program's manifest has version {found}, this runtime reads version {VERSION}: compile the network again"
    )]
    Version {
        /// As found, `none` when absent.
        found: String,
    },
    /// A number that must be at least 1.
    #[error("the program's manifest says {what} = 0, at least 1 is needed")]
    Zero {
        /// `batch`, `classes` or `accumulate`.
        what: &'static str,
    },
    /// Two variables share a name, or one has none.
    #[error("the program's manifest lists the name `{name}` twice or leaves it empty")]
    Name {
        /// The name.
        name: String,
    },
    /// An input is missing or has another shape than the runtime can feed.
    #[error("the program's input `{name}` is {found}, expected {expected}")]
    Input {
        /// `image` or `label`.
        name: &'static str,
        /// Type as found, or `missing`.
        found: String,
        /// Type as needed.
        expected: String,
    },
    /// A shape whose elements cannot be counted.
    #[error("`{name}` has shape {shape:?}: too many elements")]
    TooLarge {
        /// Variable or input.
        name: String,
        /// As found.
        shape: Vec<usize>,
    },
    /// State of the model after state of the optimizer.
    #[error(
        "the program's manifest lists `{name}`, which is state of the model, after state of the optimizer"
    )]
    Order {
        /// The piece of state.
        name: String,
    },
    /// State of something that is not there, or is of another form.
    #[error("the program's manifest says that `{name}` belongs to `{of}`, which is not {what}")]
    Owner {
        /// The piece of state.
        name: String,
        /// What it belongs to.
        of: String,
        /// What that should be.
        what: &'static str,
    },
    /// Results of `train_step` that this runtime does not know.
    #[error(
        "the program's `train_step` reports {found:?}, expected loss, correct and maybe gradient_norm"
    )]
    Metrics {
        /// As found.
        found: Vec<String>,
    },
    /// A parameter that is not f32.
    #[error("parameter `{name}` is {found}, expected f32")]
    ParameterType {
        /// The parameter.
        name: String,
        /// As found.
        found: Dtype,
    },
    /// A storage layout that does not fit its variable.
    #[error("storage layout of `{name}`: {source}")]
    Layout {
        /// The variable.
        name: String,
        /// What does not fit.
        source: LayoutError,
    },
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

    fn validate(&self) -> Result<(), ManifestError> {
        let counts = [
            ("batch", self.batch),
            ("classes", self.classes),
            ("accumulate", self.accumulate()),
        ];
        for (what, value) in counts {
            if value == 0 {
                return Err(ManifestError::Zero { what });
            }
        }
        self.validate_inputs()?;
        for variables in [&self.parameters, &self.state] {
            let mut names = HashSet::new();
            for variable in variables {
                if variable.name.is_empty() || !names.insert(&variable.name) {
                    return Err(ManifestError::Name {
                        name: variable.name.clone(),
                    });
                }
                validate_variable(variable)?;
            }
        }
        let mut others = self.state.iter().skip(self.model_state());
        if let Some(late) = others.find(|variable| variable.scope == Some(Scope::Model)) {
            return Err(ManifestError::Order {
                name: late.name.clone(),
            });
        }
        self.validate_owners()?;
        self.validate_metrics()?;
        match self.parameters.iter().find(|p| p.dtype != Dtype::F32) {
            Some(parameter) => Err(ManifestError::ParameterType {
                name: parameter.name.clone(),
                found: parameter.dtype,
            }),
            None => Ok(()),
        }
    }

    fn validate_inputs(&self) -> Result<(), ManifestError> {
        let batch = self.batch;
        let image = |input: &Input| {
            input.dtype == Dtype::F32
                && matches!(*input.shape, [n, c, h, w] if n == batch && c * h * w > 0)
        };
        let [_, height, width] = self.image_shape();
        let label = |input: &Input| {
            input.dtype == Dtype::I32
                && (*input.shape == [batch] || *input.shape == [batch, height, width])
        };
        for input in &self.inputs {
            if element_count(&input.shape).is_none() {
                return Err(ManifestError::TooLarge {
                    name: input.name.clone(),
                    shape: input.shape.clone(),
                });
            }
        }
        self.expect_input("image", image, format!("f32[{batch}, C, H, W]"))?;
        let expected = format!("i32[{batch}] or i32[{batch}, H, W]");
        self.expect_input("label", label, expected)
    }

    fn validate_owners(&self) -> Result<(), ManifestError> {
        for variable in &self.state {
            let Some(of) = &variable.of else {
                continue;
            };
            let fault = |what| ManifestError::Owner {
                name: variable.name.clone(),
                of: of.clone(),
                what,
            };
            let mut owners = self.parameters.iter().chain(self.of_model());
            let Some(owner) = owners.find(|owner| owner.name == *of) else {
                return Err(fault("there"));
            };
            let alike = owner.shape == variable.shape
                && owner.dtype == variable.dtype
                && owner.stored == variable.stored;
            if !alike {
                return Err(fault("of its form"));
            }
        }
        Ok(())
    }

    fn validate_metrics(&self) -> Result<(), ManifestError> {
        let names: Vec<&str> = self.metrics.iter().map(String::as_str).collect();
        match names.as_slice() {
            ["loss", "correct"] | ["loss", "correct", GRADIENT_NORM] => Ok(()),
            _ => Err(ManifestError::Metrics {
                found: self.metrics.clone(),
            }),
        }
    }

    fn expect_input(
        &self,
        name: &'static str,
        fits: impl Fn(&Input) -> bool,
        expected: String,
    ) -> Result<(), ManifestError> {
        let input = self.inputs.iter().find(|input| input.name == name);
        if input.is_some_and(fits) {
            return Ok(());
        }
        let found = input.map_or_else(
            || "missing".into(),
            |input| format!("{}{:?}", input.dtype, input.shape),
        );
        Err(ManifestError::Input {
            name,
            found,
            expected,
        })
    }

    /// Channels, height and width of an image.
    pub fn image_shape(&self) -> [usize; 3] {
        let image = self.inputs.iter().find(|input| input.name == "image");
        match image.map(|input| &*input.shape) {
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

    /// The first difference that keeps two programs from sharing parameters and state, or `None`.
    ///
    /// Batch sizes may differ; names, shapes, types, order and layouts may not.
    pub fn difference(&self, other: &Manifest) -> Option<String> {
        if self.net != other.net {
            return Some(format!("net `{}` against `{}`", self.net, other.net));
        }
        if self.image_shape() != other.image_shape() {
            return Some(format!(
                "image {:?} against {:?}",
                self.image_shape(),
                other.image_shape()
            ));
        }
        if self.classes != other.classes {
            return Some(format!(
                "{} classes against {}",
                self.classes, other.classes
            ));
        }
        if self.label_shape() != other.label_shape() {
            return Some(format!(
                "labels {:?} against {:?}",
                self.label_shape(),
                other.label_shape()
            ));
        }
        let sides = [
            (&self.parameters, &other.parameters, "parameters"),
            (&self.state, &other.state, "state tensors"),
        ];
        for (ours, theirs, what) in sides {
            if ours.len() != theirs.len() {
                return Some(format!("{} {what} against {}", ours.len(), theirs.len()));
            }
            for (one, two) in ours.iter().zip(theirs) {
                let same = one.name == two.name
                    && one.shape == two.shape
                    && one.dtype == two.dtype
                    && one.stored == two.stored;
                if !same {
                    return Some(format!(
                        "`{}` {}{:?} kept as {:?} against `{}` {}{:?} kept as {:?}",
                        one.name,
                        one.dtype,
                        one.shape,
                        one.stored_shape(),
                        two.name,
                        two.dtype,
                        two.shape,
                        two.stored_shape()
                    ));
                }
            }
        }
        None
    }
}

fn validate_variable(variable: &Variable) -> Result<(), ManifestError> {
    let Some(elements) = element_count(&variable.shape) else {
        return Err(ManifestError::TooLarge {
            name: variable.name.clone(),
            shape: variable.shape.clone(),
        });
    };
    match &variable.stored {
        Some(stored) => stored
            .check(elements)
            .map_err(|source| ManifestError::Layout {
                name: variable.name.clone(),
                source,
            }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
