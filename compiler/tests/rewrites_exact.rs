//! What simplification makes of a function equals the function, exactly, over
//! the field; and so does the gradient of a whole small network.

mod common;

use cnnc::autodiff;
use cnnc::reference::{Dual, Exact, Number, Prime, Tensor, run};
use cnnc::simplify::simplify;
use cnnc::stablehlo::{
    Builder, Convolution, ConvolutionDims, Function, Reducer, Result, TensorType, Value, Window,
};
use common::adjoint::{assert_exact, draw_arguments, pullback};
use common::ops::{cases, named};
use common::random::Random;

/// The field elements of every result, for random arguments.
fn elements(function: &Function, seed: u64) -> Vec<Vec<Prime>> {
    let mut random = Random::new(seed);
    let arguments = draw_arguments::<Exact>(&mut random, function, 0.5, 2.0);
    let results = run(function, &arguments).expect("the function runs");
    let element = |tensor: &Tensor<Exact>| -> Vec<Prime> {
        tensor.as_numbers().iter().map(|n| n.element).collect()
    };
    results.iter().map(element).collect()
}

fn assert_same(name: &str, before: &Function, after: &Function) {
    for seed in 0..2 {
        assert_eq!(elements(after, seed), elements(before, seed), "{name}");
    }
}

#[test]
fn simplification_keeps_every_golden_and_its_pullback() {
    let mut shorter = 0;
    for case in cases() {
        let pullback = pullback(&case.name, &case.function);
        for function in [&case.function, &pullback] {
            let simple = simplify(function).expect("simplification succeeds");
            assert_same(&case.name, function, &simple);
            shorter += usize::from(simple.body.len() < function.body.len());
        }
    }
    assert!(shorter >= 50, "only {shorter} functions became shorter");
}

/// Two 3x3 convolutions with relu, pooling, a dense layer, cross-entropy: the
/// shapes of the arguments and the loss, for images of 6 x 6.
const SHAPES: [&[i64]; 7] = [
    &[2, 1, 6, 6],
    &[3, 1, 3, 3],
    &[3],
    &[4, 3, 3, 3],
    &[4],
    &[36, 5],
    &[5],
];

fn network() -> Result<Function> {
    let mut b = Builder::named("loss");
    let x: Vec<Value> = SHAPES
        .iter()
        .map(|&shape| b.function.argument(None, TensorType::f32(shape)))
        .collect();
    let y = conv_relu(&mut b, x[0], x[1], x[2])?;
    let y = conv_relu(&mut b, y, x[3], x[4])?;
    let pool = Window {
        size: vec![1, 1, 2, 2],
        strides: vec![1, 1, 2, 2],
        ..Window::unit(4)
    };
    let y = b.reduce_window(Reducer::Max, y, pool)?;
    let y = b.reshape(y, &[2, 36])?;
    let y = b.dot(y, x[5], &[1], &[0])?;
    let bias = b.broadcast(x[6], &[1], &[2, 5])?;
    let logits = b.add(y, bias)?;
    // Log-sum-exp, shifted by the maximum, minus the first logit.
    let largest = b.reduce(Reducer::Max, logits, &[1])?;
    let largest = b.stop_gradient(largest);
    let largest = b.broadcast(largest, &[0], &[2, 5])?;
    let shifted = b.subtract(logits, largest)?;
    let exponentials = b.exponential(shifted)?;
    let sum = b.sum(exponentials, &[1])?;
    let log = b.log(sum)?;
    let first = b.slice(shifted, &[0, 0], &[2, 1], &[1, 1])?;
    let first = b.reshape(first, &[2])?;
    let losses = b.subtract(log, first)?;
    let total = b.sum(losses, &[0])?;
    let count = b.splat_like(2.0, total)?;
    let loss = b.divide(total, count)?;
    b.function.output(Some("loss"), loss);
    Ok(b.function)
}

fn conv_relu(b: &mut Builder, x: Value, w: Value, bias: Value) -> Result<Value> {
    let same = Convolution {
        dims: ConvolutionDims::nchw(2),
        strides: vec![1, 1],
        padding: vec![[1, 1]; 2],
        lhs_dilation: vec![1, 1],
        rhs_dilation: vec![1, 1],
        window_reversal: vec![false; 2],
        feature_group_count: 1,
        batch_group_count: 1,
    };
    let y = b.convolution(x, w, same)?;
    let shape = b.shape(y);
    let bias = b.broadcast(bias, &[1], &shape)?;
    let y = b.add(y, bias)?;
    let zero = b.splat_like(0.0, y)?;
    b.maximum(y, zero)
}

#[test]
fn the_gradient_of_a_network_is_its_derivative() {
    let loss = network().expect("a well-typed network");
    assert_exact("network", &loss, -1.0, 1.0);
    // One parameter at a time, as simplified, with the loss beside it.
    let all: Vec<usize> = (0..SHAPES.len()).collect();
    let gradients = autodiff::gradients(&loss, &all, "gradients").expect("gradients");
    let gradients = simplify(&gradients).expect("simplification succeeds");
    let mut random = Random::new(3);
    let arguments = draw_arguments::<Exact>(&mut random, &loss, -1.0, 1.0);
    let results = run(&gradients, &arguments).expect("the gradients run");
    for i in 0..SHAPES.len() {
        let directions = draw_arguments::<Exact>(&mut random, &loss, -1.0, 1.0);
        let duals: Vec<Tensor<Dual<Exact>>> = (0..SHAPES.len())
            .map(|j| along(&arguments[j], (i == j).then_some(&directions[j])))
            .collect();
        let moved = run(&loss, &duals).expect("the loss runs")[0].as_numbers()[0];
        let pairs = results[i + 1]
            .as_numbers()
            .iter()
            .zip(directions[i].as_numbers());
        let slope = pairs.fold(Prime::ZERO, |sum, (g, d)| sum + g.element * d.element);
        assert_eq!(results[0].as_numbers()[0].element, moved.value.element);
        assert_eq!(slope, moved.tangent.element, "argument {i}");
    }
}

fn along(value: &Tensor<Exact>, direction: Option<&Tensor<Exact>>) -> Tensor<Dual<Exact>> {
    let zero = Exact::from_f64(0.0);
    let tangents = direction.map(Tensor::as_numbers);
    let duals = value
        .as_numbers()
        .iter()
        .enumerate()
        .map(|(i, &value)| Dual {
            value,
            tangent: tangents.map_or(zero, |t| t[i]),
        });
    Tensor::numbers(value.ty().clone(), duals.collect()).expect("elements of the same type")
}

#[test]
fn a_rewrite_that_changes_a_value_is_caught() {
    let case = named("multiply");
    let mut wrong = case.function.clone();
    for instruction in &mut wrong.body {
        instruction.operands.reverse();
    }
    // Multiplication commutes, subtraction does not.
    assert_same("multiply", &case.function, &wrong);
    let case = named("subtract");
    let mut wrong = case.function.clone();
    for instruction in &mut wrong.body {
        instruction.operands.reverse();
    }
    assert_ne!(elements(&wrong, 0), elements(&case.function, 0));
}
