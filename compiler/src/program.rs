//! The whole module of a network: every function of the ABI, and the manifest.

mod train_step;

use crate::autodiff;
use crate::lower::{self, Mode, Source};
use crate::manifest::{self, Manifest};
use crate::network::Network;
use crate::optimizer;
use crate::simplify::simplify;
use crate::stablehlo::{Function, Module, Result};

/// Name of the cotangent argument of `@pullback`.
pub const COTANGENT: &str = "cotangent";

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
        "init" => optimizer::init(lower::init(network, source)?, network),
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
        "train_step" => train_step::train_step(network, batch, source),
        _ => lower::evaluate(network, batch, source),
    }
}
