//! What a compiled program says of itself: the module attribute
//! `cnnc.manifest`, and the same as JSON inside a `.vmfb`.
//!
//! A tuned module adds `target`, `cpu` and, for each parameter that is not
//! stored canonically, `stored = {view, permutation, shape}`: the canonical
//! tensor reshaped to `view`, transposed by `permutation` (dimension i of the
//! result is dimension `permutation[i]`) and reshaped to `shape`.

mod optimizer;

use serde::Serialize;

pub use optimizer::OptimizerEntry;

use crate::lower::{self, CORRECT, LABEL, LOSS};
use crate::network::{Initializer, Loss, Network, Role};
use crate::optimizer as updates;
use crate::stablehlo::Module;
use crate::stablehlo::mlir::attribute::Attribute;
use crate::tune::layout::{Layout, Owners, ParameterLayouts};

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
    /// Number of classes that labels choose from.
    pub classes: i64,
    /// Shape of the logits, with the batch.
    pub logits: Vec<i64>,
    /// Data arguments after the parameters and the state.
    pub inputs: Vec<Input>,
    /// Parameters in the order of the arguments.
    pub parameters: Vec<Parameter>,
    /// State in the order of the arguments: model state, which every function
    /// takes, then optimizer state, which only `@train_step` takes.
    pub state: Vec<StateEntry>,
    /// Scalar results of `@train_step`, after parameters and state.
    pub metrics: Vec<String>,
    /// What is minimised.
    pub loss: &'static str,
    /// Of its labels, if not 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_smoothing: Option<f64>,
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
    /// The parameter or piece of model state that it belongs to, of the same
    /// shape; a parameter is also stored alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
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
            logits: std::iter::once(batch)
                .chain(network.tensor(network.output).shape.iter().copied())
                .collect(),
            inputs,
            parameters: network.parameters.iter().map(parameter).collect(),
            state: state(network),
            metrics: metrics(network),
            loss: network.train.loss.name(),
            label_smoothing: match network.train.loss {
                Loss::SoftmaxCrossEntropy { label_smoothing } if label_smoothing != 0.0 => {
                    Some(label_smoothing)
                }
                _ => None,
            },
            optimizer: OptimizerEntry::of(&network.train),
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

/// The entries of a list of the manifest; none if there is no such list.
fn entries<'a>(module: &'a Module, list: &str) -> &'a [Attribute] {
    match module.attribute(ATTRIBUTE).and_then(|m| m.get(list)) {
        Some(Attribute::Array(entries)) => entries,
        _ => &[],
    }
}

fn text<'a>(entry: &'a Attribute, key: &str) -> Option<&'a str> {
    entry.get(key).and_then(Attribute::as_str)
}

/// What is stored as which parameter, by the manifest of `module`; nothing if
/// it has no manifest.
pub fn owners(module: &Module) -> Owners {
    let parameters = entries(module, "parameters");
    let names: Vec<&str> = parameters.iter().filter_map(|p| text(p, "name")).collect();
    let state = entries(module, "state").iter();
    let owned = state.filter_map(|entry| Some((text(entry, "name")?, text(entry, "of")?)));
    names
        .iter()
        .map(|&name| (name, name))
        .chain(owned.filter(|(_, of)| names.contains(of)))
        .map(|(name, of)| (name.to_owned(), of.to_owned()))
        .collect()
}

/// Records in the manifest how parameters, and what belongs to them, are
/// stored.
pub fn record_layouts(module: &mut Module, layouts: &ParameterLayouts) {
    let owners = owners(module);
    let Some(Attribute::Dict(lists)) = of_module(module) else {
        return;
    };
    for (_, list) in lists
        .iter_mut()
        .filter(|(key, _)| key == "parameters" || key == "state")
    {
        let Attribute::Array(entries) = list else {
            continue;
        };
        for entry in entries {
            let owner = owners.of(text(entry, "name"));
            if let Some(layout) = owner.and_then(|owner| layouts.get(owner)) {
                record_layout(entry, layout);
            }
        }
    }
}

fn record_layout(entry: &mut Attribute, layout: &Layout) {
    let Some(Attribute::Ints(shape)) = entry.get("shape") else {
        return;
    };
    if layout.is_canonical() {
        return;
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
    entry.set("stored", stored);
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

/// Model state, then optimizer state.
fn state(network: &Network) -> Vec<StateEntry> {
    let of_model = lower::model_state(network).into_iter();
    let of_model = of_model.map(|variable| StateEntry {
        name: variable.name,
        shape: variable.ty.shape,
        dtype: variable.ty.element.name(),
        role: variable.role,
        scope: "model",
        of: None,
    });
    let of_optimizer = updates::state(network).into_iter();
    let of_optimizer = of_optimizer.map(|variable| StateEntry {
        name: variable.name,
        shape: variable.ty.shape,
        dtype: variable.ty.element.name(),
        role: variable.role,
        scope: "optimizer",
        of: variable
            .of
            .and_then(|of| of.name(network).map(str::to_owned)),
    });
    of_model.chain(of_optimizer).collect()
}

fn metrics(network: &Network) -> Vec<String> {
    let norm = network.train.clip_norm.map(|_| updates::GRADIENT_NORM);
    let names = [LOSS, CORRECT].into_iter().chain(norm);
    names.map(str::to_owned).collect()
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
