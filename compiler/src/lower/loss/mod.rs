//! Losses and metrics, one file per loss. Logits are [N, K] and labels class
//! indices [N], or [N, K, H, W] and [N, H, W] where each pixel has its label.

mod binary;
mod metrics;
mod softmax;
mod squared;
mod target;

pub(super) use metrics::{correct, weighted};

use crate::network::{Loss, Network};
use crate::stablehlo::{Builder, Result, Value};

/// The loss of each example, [N]; where each pixel has its label, their mean.
pub(super) fn per_example(
    b: &mut Builder,
    network: &Network,
    logits: Value,
    label: Value,
) -> Result<Value> {
    let losses = match network.train.loss {
        Loss::SoftmaxCrossEntropy { label_smoothing } => {
            softmax::cross_entropy(b, logits, label, label_smoothing)?
        }
        Loss::MeanSquaredError => squared::mean_squared_error(b, logits, label)?,
        Loss::BinaryCrossEntropy => binary::cross_entropy(b, logits, label)?,
    };
    let pixels: Vec<usize> = (1..b.shape(losses).len()).collect();
    match pixels.is_empty() {
        true => Ok(losses),
        false => mean_over(b, losses, &pixels),
    }
}

/// The mean of [N] values.
pub(super) fn mean(b: &mut Builder, examples: Value) -> Result<Value> {
    mean_over(b, examples, &[0])
}

/// The mean over some dimensions.
fn mean_over(b: &mut Builder, x: Value, dims: &[usize]) -> Result<Value> {
    let shape = b.shape(x);
    let count: i64 = dims.iter().filter_map(|&dim| shape.get(dim)).product();
    let sum = b.sum(x, dims)?;
    let count = b.splat_like(count as f64, sum)?;
    b.divide(sum, count)
}
