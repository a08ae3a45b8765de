//! The whole module of a network: every function of the ABI, and the manifest.

use crate::autodiff;
use crate::lower::{self, Mode, Source};
use crate::manifest::{self, Manifest};
use crate::network::Network;
use crate::optimizer;
use crate::simplify::simplify;
use crate::stablehlo::{Builder, ElementType, Function, Module, Result, TensorType};

/// Name of the cotangent argument of `@pullback`.
pub const COTANGENT: &str = "cotangent";

/// Number of metrics that `@train_step` returns: loss and correct.
const METRICS: usize = 2;

/// The functions of the ABI, in the order of the module.
pub const FUNCTIONS: [&str; 7] = [
    "init",
    "forward",
    "loss",
    "gradients",
    "pullback",
    "train_step",
    "evaluate",
];

/// The portable module of `network` for batches of `batch` examples, with the
/// functions named in `keep` (all of [`FUNCTIONS`] if it is empty).
///
/// # Errors
/// If an operation has no derivative rule; otherwise only by a fault of this
/// compiler.
pub fn portable(network: &Network, batch: i64, keep: &[&str], source: &Source) -> Result<Module> {
    let mut functions = Vec::new();
    for name in FUNCTIONS {
        if keep.is_empty() || keep.contains(&name) {
            functions.push(simplify(&function(name, network, batch, source)?)?);
        }
    }
    let manifest = Manifest::of(network, batch);
    Ok(Module {
        name: network.name.clone(),
        attributes: vec![(manifest::ATTRIBUTE.to_owned(), manifest.to_attribute())],
        functions,
    })
}

fn function(name: &str, network: &Network, batch: i64, source: &Source) -> Result<Function> {
    let parameters: Vec<usize> = (0..network.parameters.len()).collect();
    match name {
        "init" => lower::init(network, source),
        "forward" => lower::forward(network, batch, Mode::Evaluation, source),
        "loss" => lower::loss(network, batch, source),
        "gradients" => {
            let loss = lower::loss(network, batch, source)?;
            autodiff::gradients(&loss, &parameters, name)
        }
        "pullback" => {
            let forward = lower::forward(network, batch, Mode::Training, source)?;
            autodiff::pullback(&forward, &parameters, name, COTANGENT)
        }
        "train_step" => train_step(network, batch, source, &parameters),
        _ => lower::evaluate(network, batch, source),
    }
}

/// `@train_step`: parameters, state, image, label and learning rate to the
/// updated parameters and state, the loss and the number of correct examples.
fn train_step(
    network: &Network,
    batch: i64,
    source: &Source,
    parameters: &[usize],
) -> Result<Function> {
    let loss = lower::loss_and_updates(network, batch, source)?;
    let function = autodiff::gradients(&loss, parameters, "train_step")?;
    let mut b = Builder::new(function);
    let results = std::mem::take(&mut b.function.outputs);
    let (results, gradients) = results.split_at(loss.outputs.len());
    let (metrics, state) = results.split_at(METRICS);
    let lr = b
        .function
        .argument(Some(optimizer::LR), TensorType::scalar(ElementType::F32));
    let arguments = b.function.arguments.clone();
    for (&index, gradient) in parameters.iter().zip(gradients) {
        let parameter = &arguments[index];
        b.location = source.location(network.parameters[index].span);
        let operands = optimizer::Operands {
            parameter: parameter.value,
            gradient: gradient.value,
            slots: &[],
            lr,
            update: None,
            decays: true,
        };
        let updated = optimizer::update(&mut b, &network.train.optimizer, &operands)?;
        b.function
            .output(parameter.name.as_deref(), updated.parameter);
    }
    b.function.outputs.extend_from_slice(state);
    b.function.outputs.extend_from_slice(metrics);
    Ok(b.function)
}
