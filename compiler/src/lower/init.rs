//! `@init`: the initial parameters.

use super::{Source, model_state, random};
use crate::network::{Initializer, Network, Parameter};
use crate::stablehlo::{Builder, ElementType, Function, Location, Result, TensorType, Value};

/// Name of the argument of `@init`.
pub const SEED: &str = "seed";

/// How to draw the elements of a parameter.
enum Draw {
    Constant(f64),
    Normal { std: f64 },
    Uniform { bound: f64 },
}

fn draw(parameter: &Parameter) -> Draw {
    let (fan_in, fan_out) = (parameter.fan_in as f64, parameter.fan_out as f64);
    match parameter.init {
        Initializer::Zeros => Draw::Constant(0.0),
        Initializer::Ones => Draw::Constant(1.0),
        Initializer::Constant(value) => Draw::Constant(value),
        Initializer::Normal { std } => Draw::Normal { std },
        Initializer::Uniform { bound } => Draw::Uniform { bound },
        Initializer::HeNormal => Draw::Normal {
            std: (2.0 / fan_in).sqrt(),
        },
        Initializer::HeUniform => Draw::Uniform {
            bound: (6.0 / fan_in).sqrt(),
        },
        Initializer::GlorotNormal => Draw::Normal {
            std: (2.0 / (fan_in + fan_out)).sqrt(),
        },
        Initializer::GlorotUniform => Draw::Uniform {
            bound: (6.0 / (fan_in + fan_out)).sqrt(),
        },
        Initializer::LecunNormal => Draw::Normal {
            std: (1.0 / fan_in).sqrt(),
        },
    }
}

/// `@init`: a seed to the initial parameters and model state. Parameter i draws from stream i
/// of a counter-based generator keyed by the seed, so that parameters of equal
/// shape differ and the bits are the same on every target.
///
/// # Errors
/// As [`super::forward`].
pub fn init(network: &Network, source: &Source) -> Result<Function> {
    let mut b = Builder::named("init");
    let seed = b
        .function
        .argument(Some(SEED), TensorType::scalar(ElementType::Ui64));
    let key = random::key(&mut b, seed)?;
    for (index, parameter) in network.parameters.iter().enumerate() {
        b.location = source.location(parameter.span);
        let value = parameter_value(&mut b, key, parameter, index as u32)?;
        b.function.output(Some(&parameter.name), value);
    }
    for variable in model_state(network) {
        b.location = match variable.span {
            Some(span) => source.location(span),
            None => Location::UNKNOWN,
        };
        let value = variable.initial(&mut b, seed)?;
        b.function.output(Some(&variable.name), value);
    }
    Ok(b.function)
}

fn parameter_value(
    b: &mut Builder,
    key: [Value; 2],
    parameter: &Parameter,
    stream: u32,
) -> Result<Value> {
    let ty = TensorType::f32(parameter.shape.clone());
    let count = ty.elements();
    let flat = match draw(parameter) {
        Draw::Constant(value) => return b.splat(value, ty),
        Draw::Normal { std } => {
            let words = random::threefry(b, key, count, stream)?;
            random::normal(b, words, std)?
        }
        Draw::Uniform { bound } => {
            let words = random::threefry(b, key, count, stream)?;
            random::uniform(b, words, bound)?
        }
    };
    b.reshape(flat, &parameter.shape)
}
