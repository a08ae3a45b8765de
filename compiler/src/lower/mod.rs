//! From the typed graph to StableHLO: one file per layer family. Every
//! instruction carries the place of its layer in the `.net` text.
//!
//! Activations are NCHW, kernels OIHW, dense weights [in, out].

mod activation;
mod attention;
mod axes;
mod convolution;
mod dense;
mod dropout;
mod gelu;
mod init;
mod layer;
mod loss;
mod norm;
mod pool;
mod random;
mod shape;
mod softmax;
mod source;
mod state;
mod surroundings;
#[cfg(test)]
mod tests;

pub use init::init;
pub use source::Source;
pub use state::{Initial, RANDOM_COUNTER, RANDOM_SEED, Variable, model_state};

use layer::Operands;
use surroundings::Surroundings;

use crate::network::{LayerOp, Network};
use crate::stablehlo::{
    Builder, ElementType, Error, Function, Location, Result, TensorType, Value,
};

/// Name of the argument that holds the class indices.
pub const LABEL: &str = "label";
/// Name of the per-example weight of `@evaluate`.
pub const WEIGHT: &str = "weight";
/// Name of the scalar loss.
pub const LOSS: &str = "loss";
/// Name of the number of examples whose first largest logit is the label's.
pub const CORRECT: &str = "correct";
/// Name of the result of `@forward`.
pub const LOGITS: &str = "logits";

/// Which of a layer's two behaviours is lowered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// With batch statistics and random numbers; model state is updated.
    Training,
    /// With running statistics, without random numbers.
    Evaluation,
}

/// A function being lowered: the arguments every function begins with, the
/// network's value, and the model state after it.
struct Lowering {
    builder: Builder,
    logits: Value,
    /// By position in [`model_state`].
    state: Vec<Value>,
}

/// `@forward`: parameters, model state and image to logits.
///
/// # Errors
/// If an operation does not fit its operands, which would be a fault of the
/// network's shape rules.
pub fn forward(network: &Network, batch: i64, mode: Mode, source: &Source) -> Result<Function> {
    let mut lowering = begin("forward", network, batch, mode, source)?;
    let function = &mut lowering.builder.function;
    function.output(Some(LOGITS), lowering.logits);
    Ok(lowering.builder.function)
}

/// `@loss`: parameters, model state, image and label to the mean loss, in
/// training.
///
/// # Errors
/// As [`forward`].
pub fn loss(network: &Network, batch: i64, source: &Source) -> Result<Function> {
    let mut lowering = begin("loss", network, batch, Mode::Training, source)?;
    let label = label(&mut lowering.builder, network, batch);
    let examples = loss::per_example(&mut lowering.builder, network, lowering.logits, label)?;
    let mean = loss::mean(&mut lowering.builder, examples)?;
    lowering.builder.function.output(Some(LOSS), mean);
    Ok(lowering.builder.function)
}

/// `@loss` with the number of correct examples as a second result, and then
/// the updated model state.
///
/// # Errors
/// As [`forward`].
pub fn loss_and_updates(network: &Network, batch: i64, source: &Source) -> Result<Function> {
    let name = "loss_and_updates";
    let mut lowering = begin(name, network, batch, Mode::Training, source)?;
    let b = &mut lowering.builder;
    let label = label(b, network, batch);
    let examples = loss::per_example(b, network, lowering.logits, label)?;
    let mean = loss::mean(b, examples)?;
    let correct = loss::correct(b, network.train.loss, lowering.logits, label)?;
    let all: Vec<usize> = (0..b.shape(correct).len()).collect();
    let total = b.sum(correct, &all)?;
    b.function.output(Some(LOSS), mean);
    b.function.output(Some(CORRECT), total);
    for (variable, &value) in model_state(network).iter().zip(&lowering.state) {
        b.function.output(Some(&variable.name), value);
    }
    Ok(lowering.builder.function)
}

/// `@evaluate`: parameters, model state, image, label and a weight per example
/// to the weighted sum of losses and the number of correct examples of positive
/// weight. Padding examples weigh 0.
///
/// # Errors
/// As [`forward`].
pub fn evaluate(network: &Network, batch: i64, source: &Source) -> Result<Function> {
    let mut lowering = begin("evaluate", network, batch, Mode::Evaluation, source)?;
    let b = &mut lowering.builder;
    let label = label(b, network, batch);
    let weight = b.function.argument(Some(WEIGHT), TensorType::f32([batch]));
    let examples = loss::per_example(b, network, lowering.logits, label)?;
    let correct = loss::correct(b, network.train.loss, lowering.logits, label)?;
    let (sum, count) = loss::weighted(b, examples, correct, weight)?;
    b.function.output(Some(LOSS), sum);
    b.function.output(Some(CORRECT), count);
    Ok(lowering.builder.function)
}

fn label(b: &mut Builder, network: &Network, batch: i64) -> Value {
    let mut shape = vec![batch];
    shape.extend(network.label_shape());
    b.function
        .argument(Some(LABEL), TensorType::new(shape, ElementType::I32))
}

fn begin(
    name: &str,
    network: &Network,
    batch: i64,
    mode: Mode,
    source: &Source,
) -> Result<Lowering> {
    let mut b = Builder::named(name);
    let parameters: Vec<Value> = network
        .parameters
        .iter()
        .map(|p| {
            b.function
                .argument(Some(&p.name), TensorType::f32(p.shape.clone()))
        })
        .collect();
    let mut state = Vec::new();
    for variable in model_state(network) {
        state.push(b.function.argument(Some(&variable.name), variable.ty));
    }
    let mut surroundings = Surroundings::new(network, mode, state);
    let mut tensors: Vec<Option<Value>> = vec![None; network.tensors.len()];
    for input in &network.inputs {
        let mut shape = vec![batch];
        shape.extend(&network.tensor(input.tensor).shape);
        let value = b
            .function
            .argument(Some(&input.name), TensorType::f32(shape));
        tensors[input.tensor.0] = Some(value);
    }
    for (place, layer) in network.layers.iter().enumerate() {
        b.location = source.location(layer.span);
        let missing = || Error::Pass {
            pass: "lower",
            message: format!("`{}` reads a tensor before it is made", layer.name),
            location: source.location(layer.span),
        };
        let inputs = layer
            .inputs
            .iter()
            .map(|id| tensors.get(id.0).copied().flatten().ok_or_else(missing))
            .collect::<Result<Vec<_>>>()?;
        let weights: Vec<Value> = layer.parameters.iter().map(|id| parameters[id.0]).collect();
        let operands = Operands {
            place,
            inputs: &inputs,
            weights: &weights,
        };
        let value = match (&layer.op, weights.as_slice()) {
            (LayerOp::Parameter, &[parameter]) => {
                let shape = &network.tensor(layer.output).shape;
                shape::parameter(&mut b, parameter, batch, shape)?
            }
            _ => layer::layer(&mut b, layer, &operands, &mut surroundings)?,
        };
        if let Some(slot) = tensors.get_mut(layer.output.0) {
            *slot = Some(value);
        }
    }
    b.location = Location::UNKNOWN;
    let logits = tensors
        .get(network.output.0)
        .copied()
        .flatten()
        .ok_or_else(|| Error::Pass {
            pass: "lower",
            message: format!("the output of `{}` is never made", network.name),
            location: Location::UNKNOWN,
        })?;
    let state = surroundings.finish(&mut b)?;
    Ok(Lowering {
        builder: b,
        logits,
        state,
    })
}
