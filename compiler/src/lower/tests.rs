//! Layers with two behaviours, on the interpreter. The numbers are PyTorch's and
//! JAX's.

mod batch_norm;
mod dropout;

use super::{Mode, Source, forward, loss_and_updates};
use crate::network::{Files, Network, Options, build};
use crate::reference::{Tensor, run};
use crate::stablehlo::{ElementType, Error, Function, TensorType};

/// The network of a text without errors.
fn network(text: &str) -> Network {
    let files = Files::alone("test.net", text).unwrap_or_else(|e| panic!("{text}\n{e:?}"));
    build(&files, &Options::default()).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"))
}

fn lowered(text: &str, batch: i64, mode: Mode) -> Result<Function, Error> {
    forward(&network(text), batch, mode, &Source::new("test.net", text))
}

fn numbers(shape: &[i64], values: &[f64]) -> Tensor<f64> {
    Tensor::from_f64(TensorType::f32(shape), values).expect("a tensor")
}

fn scalar(element: ElementType, value: i64) -> Tensor<f64> {
    Tensor::integers(TensorType::scalar(element), vec![value]).expect("a scalar")
}

fn assert_near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() < 2e-7, "{found:?} is not {expected:?}");
    }
}
