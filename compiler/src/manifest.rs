//! What a compiled program says of itself: the module attribute
//! `cnnc.manifest`, and the same as JSON inside a `.vmfb`.

use serde::Serialize;

use crate::lower::{CORRECT, LABEL, LOSS};
use crate::network::{Initializer, Network, Optimizer, Role};
use crate::stablehlo::mlir::attribute::Attribute;

/// Name of the module attribute.
pub const ATTRIBUTE: &str = "cnnc.manifest";
/// Version of the format.
pub const VERSION: i64 = 1;

/// The manifest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Manifest {
    /// Version of the format.
    pub version: i64,
    /// Name of the net, also of the module.
    pub net: String,
    /// Examples per call.
    pub batch: i64,
    /// Number of classes.
    pub classes: i64,
    /// What the module was tuned for; `None` for a portable module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The CPU that it was compiled for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<String>,
    /// Data arguments after the parameters and the state.
    pub inputs: Vec<Input>,
    /// Parameters in the order of the arguments.
    pub parameters: Vec<Parameter>,
    /// Optimizer state in the order of the arguments.
    pub state: Vec<Parameter>,
    /// Scalar results of `@train_step`, after the parameters.
    pub metrics: Vec<String>,
    /// The optimizer and its defaults.
    pub optimizer: OptimizerEntry,
}

/// A data argument.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// Its shape, with the batch.
    pub shape: Vec<i64>,
    /// Its element type.
    pub dtype: &'static str,
}

/// A parameter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Parameter {
    /// Its path, the key of checkpoints.
    pub name: String,
    /// Its canonical shape.
    pub shape: Vec<i64>,
    /// Its element type.
    pub dtype: &'static str,
    /// What it is to its layer.
    pub role: &'static str,
    /// Its initialiser.
    pub init: &'static str,
    /// Inputs per output.
    pub fan_in: i64,
    /// Outputs per input.
    pub fan_out: i64,
    /// How a tuned module stores it; `None` for the canonical layout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stored: Option<Stored>,
}

/// A storage layout: the canonical tensor is reshaped to `view`, transposed by
/// `permutation` and reshaped to `shape`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stored {
    /// A refinement of the canonical shape.
    pub view: Vec<i64>,
    /// Dimension i of the transposed tensor is dimension `permutation[i]` of
    /// the view.
    pub permutation: Vec<usize>,
    /// The shape in the module.
    pub shape: Vec<i64>,
}

/// The optimizer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OptimizerEntry {
    /// Its name.
    pub name: &'static str,
    /// The default learning rate.
    pub lr: f64,
}

impl Manifest {
    /// The manifest of the portable module.
    pub fn of(network: &Network, batch: i64) -> Self {
        let mut inputs: Vec<Input> = network
            .inputs
            .iter()
            .map(|input| {
                let mut shape = vec![batch];
                shape.extend(&network.tensor(input.tensor).shape);
                Input {
                    name: input.name.clone(),
                    shape,
                    dtype: "f32",
                }
            })
            .collect();
        inputs.push(Input {
            name: LABEL.to_owned(),
            shape: vec![batch],
            dtype: "i32",
        });
        let Optimizer::Sgd { lr } = network.train.optimizer;
        let output = &network.tensor(network.output).shape;
        Manifest {
            version: VERSION,
            net: network.name.clone(),
            batch,
            classes: output.last().copied().unwrap_or(0),
            target: None,
            cpu: None,
            inputs,
            parameters: network.parameters.iter().map(parameter).collect(),
            state: Vec::new(),
            metrics: vec![LOSS.to_owned(), CORRECT.to_owned()],
            optimizer: OptimizerEntry { name: "sgd", lr },
        }
    }

    /// As JSON, on one line.
    pub fn to_json(&self) -> String {
        // Serialising plain data to a string cannot fail; an empty text would
        // be refused by every reader.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// As a module attribute.
    pub fn to_attribute(&self) -> Attribute {
        match serde_json::to_value(self) {
            Ok(value) => attribute(&value),
            Err(_) => Attribute::Unit,
        }
    }
}

fn parameter(parameter: &crate::network::Parameter) -> Parameter {
    Parameter {
        name: parameter.name.clone(),
        shape: parameter.shape.clone(),
        dtype: "f32",
        role: match parameter.role {
            Role::Weight => "weight",
            Role::Bias => "bias",
        },
        init: init_name(parameter.init),
        fan_in: parameter.fan_in,
        fan_out: parameter.fan_out,
        stored: None,
    }
}

fn init_name(init: Initializer) -> &'static str {
    match init {
        Initializer::Zeros => "zeros",
        Initializer::Ones => "ones",
        Initializer::Constant(_) => "constant",
        Initializer::Normal { .. } => "normal",
        Initializer::Uniform { .. } => "uniform",
        Initializer::HeNormal => "he_normal",
        Initializer::HeUniform => "he_uniform",
        Initializer::GlorotNormal => "glorot_normal",
        Initializer::GlorotUniform => "glorot_uniform",
        Initializer::LecunNormal => "lecun_normal",
    }
}

/// JSON as an attribute; lists of integers become `array<i64>`.
fn attribute(value: &serde_json::Value) -> Attribute {
    use serde_json::Value as Json;
    match value {
        Json::Null => Attribute::Unit,
        Json::Bool(value) => Attribute::Bool(*value),
        Json::Number(number) => match number.as_i64() {
            Some(value) => Attribute::Int(value),
            None => Attribute::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => Attribute::String(text.clone()),
        Json::Array(items) => {
            let ints: Option<Vec<i64>> = items.iter().map(Json::as_i64).collect();
            match ints {
                Some(ints) if !ints.is_empty() => Attribute::Ints(ints),
                _ => Attribute::Array(items.iter().map(attribute).collect()),
            }
        }
        Json::Object(entries) => Attribute::Dict(
            entries
                .iter()
                .map(|(key, value)| (key.clone(), attribute(value)))
                .collect(),
        ),
    }
}
