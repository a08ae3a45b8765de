//! Random small nets of every op: the gradient is the adjoint of the derivative
//! exactly over the field, and IREE computes what the interpreter does, up to
//! the rounding of f32.

use super::common::adjoint::{assert_exact, pullback};
use super::common::nets::{BATCH, Net, net};
use super::common::random::Random;
use super::iree::Machine;
use cnnc::reference::{Tensor, run};
use cnnc::simplify::simplify;
use cnnc::stablehlo::{Function, TensorType};

/// Nets that are drawn, and how many of them IREE compiles.
const NETS: u64 = 80;
const COMPILED: usize = 24;

/// Relative to the largest value of the tensor. Norms and products make
/// rounding errors larger.
const TOLERANCE: f64 = 5e-5;

fn draw(random: &mut Random, ty: &TensorType) -> Vec<f64> {
    // f32 holds these exactly.
    let number = |_| random.integer(-512, 512) as f64 / 512.0;
    (0..ty.elements()).map(number).collect()
}

fn tensors<T: cnnc::reference::Number>(
    types: &[TensorType],
    values: &[Vec<f64>],
) -> Vec<Tensor<T>> {
    let pairs = types.iter().zip(values);
    pairs
        .map(|(ty, values)| Tensor::from_f64(ty.clone(), values).expect("a tensor"))
        .collect()
}

/// What is wrong with a function of the net on IREE.
fn difference(machine: &Machine, function: &Function, random: &mut Random) -> Option<String> {
    let arguments = function.arguments.iter();
    let types: Vec<TensorType> = arguments.map(|a| function.ty(a.value).clone()).collect();
    let values: Vec<Vec<f64>> = types.iter().map(|ty| draw(random, ty)).collect();
    let expected = run(function, &tensors::<f64>(&types, &values)).expect("the interpreter runs");
    let loaded = match machine.load(vec![simplify(function).expect("simplified")]) {
        Ok(loaded) => loaded,
        Err(error) => return Some(format!("@{}: {error}", function.name)),
    };
    let found = match machine.call(&loaded, &function.name, &tensors::<f32>(&types, &values)) {
        Ok(found) => found,
        Err(error) => return Some(error),
    };
    for (i, (expected, found)) in expected.iter().zip(&found).enumerate() {
        let (expected, found) = (expected.to_f64(), found.to_f64());
        let largest = expected.iter().fold(1.0f64, |max, v| max.max(v.abs()));
        let error = |(e, f): (&f64, &f64)| (e - f).abs();
        let pairs = || expected.iter().zip(&found);
        if !pairs().all(|pair| error(pair) <= TOLERANCE * largest) {
            let worst = pairs().map(error).fold(0.0, f64::max);
            return Some(format!(
                "@{}, result {i}: {worst:e} of {largest:e}",
                function.name
            ));
        }
    }
    None
}

fn nets() -> impl Iterator<Item = (u64, Net)> {
    (0..NETS).map(|number| (number, net(&mut Random::new(number + 1))))
}

#[test]
fn every_op_is_drawn() {
    let texts: Vec<String> = nets().map(|(_, net)| net.text).collect();
    for op in [
        "conv(",
        "depthwise_conv(",
        "max_pool(",
        "avg_pool(",
        "upsample(",
        "concat(",
        "reshape(",
        "batch_norm(",
        "layer_norm(",
        "group_norm(",
        "scale",
        "softmax",
        "gelu",
        "attention(",
        "class_token",
        "position_embedding",
    ] {
        assert!(
            texts.iter().any(|text| text.contains(op)),
            "no net has {op}"
        );
    }
}

#[test]
fn gradients_are_exact() {
    for (number, net) in nets() {
        assert_exact(&format!("{number}: {}", net.text), &net.function, -1.0, 1.0);
    }
}

#[test]
fn values_and_gradients_on_iree() {
    let machine = Machine::new();
    let mut wrong = Vec::new();
    for (number, net) in nets().take(COMPILED) {
        assert_eq!(
            net.function.ty(net.function.outputs[0].value).shape,
            [BATCH, 3]
        );
        let backward = pullback(&net.text, &net.function);
        for function in [&net.function, &backward] {
            let mut random = Random::new(number + 100);
            let fault = difference(&machine, function, &mut random);
            wrong.extend(fault.map(|fault| format!("{number}: {}\n  {fault}", net.text)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
