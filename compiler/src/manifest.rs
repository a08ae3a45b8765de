//! What a compiled program says of itself: the module attribute
//! `cnnc.manifest`, and the same as JSON inside a `.vmfb`.
//!
//! A tuned module adds `target`, `cpu` and, for each parameter that is not
//! stored canonically, `stored = {view, permutation, shape}`: the canonical
//! tensor reshaped to `view`, transposed by `permutation` (dimension i of the
//! result is dimension `permutation[i]`) and reshaped to `shape`.

use serde::Serialize;

use crate::lower::{self, CORRECT, LABEL, LOSS};
use crate::network::{Initializer, Network, Role};
use crate::stablehlo::Module;
use crate::stablehlo::mlir::attribute::Attribute;
use crate::tune::layout::ParameterLayouts;

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
    /// Data arguments after the parameters and the state.
    pub inputs: Vec<Input>,
    /// Parameters in the order of the arguments.
    pub parameters: Vec<Parameter>,
    /// State in the order of the arguments: model state, which every function
    /// takes, then optimizer state, which only `@train_step` takes.
    pub state: Vec<StateEntry>,
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
}

/// A piece of state.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StateEntry {
    /// Its name, the key of checkpoints.
    pub name: String,
    /// Its canonical shape.
    pub shape: Vec<i64>,
    /// Its element type.
    pub dtype: &'static str,
    /// What it is to its owner.
    pub role: &'static str,
    /// `model` or `optimizer`.
    pub scope: &'static str,
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
        let mut labels = vec![batch];
        labels.extend(network.label_shape());
        inputs.push(Input {
            name: LABEL.to_owned(),
            shape: labels,
            dtype: "i32",
        });
        Manifest {
            version: VERSION,
            net: network.name.clone(),
            batch,
            classes: network.classes(),
            inputs,
            parameters: network.parameters.iter().map(parameter).collect(),
            state: lower::model_state(network)
                .iter()
                .map(|variable| state(variable, "model"))
                .collect(),
            metrics: vec![LOSS.to_owned(), CORRECT.to_owned()],
            optimizer: OptimizerEntry {
                name: network.train.optimizer.name(),
                lr: network.train.optimizer.lr(),
            },
        }
    }

    /// As a module attribute.
    pub fn to_attribute(&self) -> Attribute {
        match serde_json::to_value(self) {
            Ok(value) => attribute(&value),
            Err(_) => Attribute::Unit,
        }
    }
}

fn of_module(module: &mut Module) -> Option<&mut Attribute> {
    module
        .attributes
        .iter_mut()
        .find(|(name, _)| name == ATTRIBUTE)
        .map(|(_, attribute)| attribute)
}

/// Names of the parameters that the manifest of `module` lists; none if it has
/// no manifest.
pub fn parameter_names(module: &Module) -> Vec<String> {
    let Some(Attribute::Array(parameters)) = module
        .attribute(ATTRIBUTE)
        .and_then(|m| m.get("parameters"))
    else {
        return Vec::new();
    };
    parameters
        .iter()
        .filter_map(|p| p.get("name")?.as_str().map(str::to_owned))
        .collect()
}

/// Records in the manifest how parameters are stored.
pub fn record_layouts(module: &mut Module, layouts: &ParameterLayouts) {
    let Some(Attribute::Dict(entries)) = of_module(module) else {
        return;
    };
    let Some((_, Attribute::Array(parameters))) =
        entries.iter_mut().find(|(key, _)| key == "parameters")
    else {
        return;
    };
    for parameter in parameters {
        let layout = parameter
            .get("name")
            .and_then(Attribute::as_str)
            .and_then(|name| layouts.get(name));
        let (Some(layout), Some(Attribute::Ints(shape))) = (layout, parameter.get("shape")) else {
            continue;
        };
        if layout.is_canonical() {
            continue;
        }
        let (view, permutation) = layout.as_view(shape);
        let stored = Attribute::dict([
            ("view", Attribute::Ints(view)),
            (
                "permutation",
                Attribute::Ints(permutation.iter().map(|&p| p as i64).collect()),
            ),
            ("shape", Attribute::Ints(layout.stored_shape(shape))),
        ]);
        parameter.set("stored", stored);
    }
}

/// Records what the module is tuned for.
pub fn set_target(module: &mut Module, target: &str) {
    if let Some(manifest) = of_module(module) {
        manifest.set("target", Attribute::String(target.to_owned()));
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
            Role::Scale => "scale",
            Role::Embedding => "embedding",
        },
        init: init_name(parameter.init),
        fan_in: parameter.fan_in,
        fan_out: parameter.fan_out,
    }
}

fn state(variable: &lower::Variable, scope: &'static str) -> StateEntry {
    StateEntry {
        name: variable.name.clone(),
        shape: variable.ty.shape.clone(),
        dtype: variable.ty.element.name(),
        role: variable.role,
        scope,
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
