//! Model state: what the layers of a network keep from step to step besides
//! parameters. Every function of the module takes it after the parameters;
//! `@train_step` returns it updated.

use cnnc_grammar::Span;

use crate::network::{BufferRole, Network};
use crate::stablehlo::{Builder, ElementType, Result, TensorType, Value};

/// Name of the seed of the random numbers drawn in training: ui64.
pub const RANDOM_SEED: &str = "random:seed";
/// Name of the number of training steps that have drawn random numbers: ui32.
pub const RANDOM_COUNTER: &str = "random:counter";

/// One piece of state.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// Its name, the key of checkpoints; a colon keeps it apart from layers.
    pub name: String,
    /// Its type.
    pub ty: TensorType,
    /// What it is to its owner.
    pub role: &'static str,
    /// How it starts.
    pub initial: Initial,
    /// Its layer, where it has one.
    pub span: Option<Span>,
}

/// How a piece of state starts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Initial {
    /// Every element this value.
    Constant(f64),
    /// The seed that `@init` takes.
    Seed,
}

impl Variable {
    /// Its initial value; `seed` is the argument of `@init`.
    ///
    /// # Errors
    /// If the type has no such constant, which would be a fault of the owner.
    pub fn initial(&self, b: &mut Builder, seed: Value) -> Result<Value> {
        match self.initial {
            Initial::Constant(value) => b.splat(value, self.ty.clone()),
            Initial::Seed => Ok(seed),
        }
    }
}

/// The model state of a network, in the order of the functions' arguments:
/// the buffers, then the state of the random numbers where training draws any.
pub fn model_state(network: &Network) -> Vec<Variable> {
    let buffers = network.buffers.iter().map(|buffer| {
        let (role, value) = match buffer.role {
            BufferRole::RunningMean => ("running_mean", 0.0),
            BufferRole::RunningVariance => ("running_var", 1.0),
        };
        Variable {
            name: buffer.name.clone(),
            ty: TensorType::f32(buffer.shape.clone()),
            role,
            initial: Initial::Constant(value),
            span: Some(buffer.span),
        }
    });
    let scalar = |name: &str, element, role, initial| Variable {
        name: name.to_owned(),
        ty: TensorType::scalar(element),
        role,
        initial,
        span: None,
    };
    let random = [
        scalar(RANDOM_SEED, ElementType::Ui64, "random_seed", Initial::Seed),
        scalar(
            RANDOM_COUNTER,
            ElementType::Ui32,
            "random_counter",
            Initial::Constant(0.0),
        ),
    ];
    let random = random.into_iter().filter(|_| network.is_random());
    buffers.chain(random).collect()
}
