//! Optimizer state: what `@train_step` takes after the model state and
//! returns updated, by name.

use super::{counts_updates, slots};
use crate::network::Network;
use crate::stablehlo::{Builder, ElementType, Function, Result, TensorType};

/// Name of the number of updates so far: i32.
pub const UPDATES: &str = "optimizer:updates";
/// Name of the number of examples whose gradients wait for an update: i32.
pub const EXAMPLES: &str = "optimizer:examples";
/// Name of the argument of `@train_step` that says whether this batch ends a
/// group: i32, not 0 where it does. Only where gradients are accumulated.
pub const UPDATE: &str = "update";
/// Name of the result of `@train_step` that is the norm of all gradients
/// before they are clipped. Only where they are.
pub const GRADIENT_NORM: &str = "gradient_norm";

/// Role, and last part of the name, of sums of gradients.
pub const SUM: &str = "sum";
/// Role, and last part of the name, of running averages of parameters and of
/// running statistics.
pub const AVERAGE: &str = "average";

/// A piece of optimizer state.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// Its name, the key of checkpoints.
    pub name: String,
    /// Its type.
    pub ty: TensorType,
    /// What it is to its owner.
    pub role: &'static str,
    /// What it belongs to, where that is one thing.
    pub of: Option<Owner>,
}

/// What optimizer state belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// A parameter, by position.
    Parameter(usize),
    /// A running statistic, by position.
    Buffer(usize),
}

impl Owner {
    /// Its name.
    pub fn name(self, network: &Network) -> Option<&str> {
        match self {
            Owner::Parameter(index) => network.parameters.get(index).map(|p| p.name.as_str()),
            Owner::Buffer(index) => network.buffers.get(index).map(|b| b.name.as_str()),
        }
    }
}

/// The optimizer state of a network, in the order of the arguments: for each
/// parameter what the optimizer remembers, the sum of its gradients and its
/// average; the averages of running statistics; the counters.
pub fn state(network: &Network) -> Vec<Variable> {
    let train = &network.train;
    let mut state = Vec::new();
    let mut push = |owner: Owner, name: &str, shape: &[i64], role: &'static str| {
        state.push(Variable {
            name: format!("{name}.{role}"),
            ty: TensorType::f32(shape.to_vec()),
            role,
            of: Some(owner),
        });
    };
    for (index, parameter) in network.parameters.iter().enumerate() {
        let sum = (train.accumulate > 1).then_some(SUM);
        let average = train.ema.map(|_| AVERAGE);
        let roles = slots(&train.optimizer)
            .into_iter()
            .chain(sum)
            .chain(average);
        for role in roles {
            let owner = Owner::Parameter(index);
            push(owner, &parameter.name, &parameter.shape, role);
        }
    }
    if train.ema.is_some() {
        for (index, buffer) in network.buffers.iter().enumerate() {
            push(Owner::Buffer(index), &buffer.name, &buffer.shape, AVERAGE);
        }
    }
    let counters = [
        (UPDATES, "updates", counts_updates(&train.optimizer)),
        (EXAMPLES, "examples", train.accumulate > 1),
    ];
    for (name, role, needed) in counters {
        if needed {
            state.push(Variable {
                name: name.to_owned(),
                ty: TensorType::scalar(ElementType::I32),
                role,
                of: None,
            });
        }
    }
    state
}

/// `@init` with the initial optimizer state behind its results, which are the
/// parameters and the model state: averages begin as what they average, the
/// rest as 0.
///
/// # Errors
/// None at present; for symmetry.
pub fn init(function: Function, network: &Network) -> Result<Function> {
    let mut b = Builder::new(function);
    for variable in state(network) {
        let index = match (variable.role, variable.of) {
            (AVERAGE, Some(Owner::Parameter(index))) => Some(index),
            (AVERAGE, Some(Owner::Buffer(index))) => Some(network.parameters.len() + index),
            _ => None,
        };
        let averaged = index.and_then(|index| b.function.outputs.get(index));
        let value = match averaged.map(|output| output.value) {
            Some(value) => value,
            None => b.splat(0.0, variable.ty.clone())?,
        };
        b.function.output(Some(&variable.name), value);
    }
    Ok(b.function)
}
