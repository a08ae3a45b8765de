//! Each operation against the examples of the StableHLO specification, and
//! against values worked out by hand where it has none.

mod contraction;
mod control;
mod elementwise;
mod functions;
mod indexing;
mod shape;
mod window;

use crate::reference::{Result, Tensor, run};
use crate::stablehlo::{Builder, ElementType, Op, TensorType};

/// An f32 tensor, held in f64.
fn real(shape: &[i64], values: &[f64]) -> Tensor<f64> {
    Tensor::from_f64(TensorType::f32(shape), values).unwrap()
}

/// A tensor of integers.
fn whole(element: ElementType, values: &[i64]) -> Tensor<f64> {
    let ty = TensorType::new([values.len() as i64], element);
    Tensor::integers(ty, values.to_vec()).unwrap()
}

/// A tensor of booleans.
fn boolean(values: &[bool]) -> Tensor<f64> {
    let bits: Vec<i64> = values.iter().map(|&v| i64::from(v)).collect();
    whole(ElementType::I1, &bits)
}

/// Runs a function that consists of `op`.
fn try_apply(op: Op, operands: &[Tensor<f64>]) -> Result<Tensor<f64>> {
    let mut b = Builder::named("f");
    let arguments: Vec<_> = operands
        .iter()
        .map(|operand| b.function.argument(None, operand.ty().clone()))
        .collect();
    let y = b.push(op, &arguments).unwrap();
    b.function.output(None, y);
    Ok(run(&b.function, operands)?.remove(0))
}

fn apply(op: Op, operands: &[Tensor<f64>]) -> Tensor<f64> {
    try_apply(op, operands).unwrap()
}
