//! Every element-wise operation of floating-point numbers, at random ones.

use super::checks::run;
use super::common::ops::{Array, Case};
use cnnc::autodiff;
use cnnc::reference::{self, Tensor};
use cnnc::stablehlo::{BinaryOp, Builder, ElementType, Function, Op, TensorType, UnaryOp};

/// As many as fill some vectors and leave a rest.
const SIZE: i64 = 67;

/// An operation as a function, if it maps floating-point numbers to such.
fn function(op: Op, operands: usize) -> Option<Function> {
    let mut b = Builder::named("case");
    let ty = TensorType::f32([SIZE]);
    let x: Vec<_> = (0..operands)
        .map(|_| b.function.argument(None, ty.clone()))
        .collect();
    let y = b.push(op, &x).ok()?;
    if b.ty(y).element != ElementType::F32 {
        return None;
    }
    b.function.output(None, y);
    Some(b.function)
}

/// Numbers that every operation takes: 1/2 to 3/2.
fn numbers(from: usize) -> Array {
    let data = (0..SIZE as usize).map(|i| 0.5 + ((i * 29 + from * 17) % 67) as f64 / 64.0);
    Array {
        shape: vec![SIZE],
        data: data.collect(),
    }
}

fn case(op: &Op, operands: usize) -> Option<Case> {
    let function = function(op.clone(), operands)?;
    let inputs: Vec<Array> = (0..operands).map(numbers).collect();
    let cotangent = Some(numbers(operands));
    let real = |array: &Array| -> Tensor<f64> {
        Tensor::from_f64(TensorType::f32([SIZE]), &array.data).expect("a tensor")
    };
    let mut arguments: Vec<Tensor<f64>> = inputs.iter().map(real).collect();
    let array = |tensor: &Tensor<f64>| Array {
        shape: vec![SIZE],
        data: tensor.to_f64(),
    };
    let output = array(&reference::run(&function, &arguments).expect("values")[0]);
    let all: Vec<usize> = (0..operands).collect();
    let pullback = autodiff::pullback(&function, &all, "pullback", "cotangent").ok();
    let cotangent = cotangent.filter(|_| pullback.is_some());
    arguments.extend(cotangent.iter().map(real));
    let gradients = pullback.map(|f| reference::run(&f, &arguments).expect("gradients"));
    Some(Case {
        name: op.name().to_owned(),
        op: op.name().to_owned(),
        function,
        inputs,
        output,
        cotangent,
        gradients: gradients.iter().flatten().map(array).collect(),
        exact: false,
        tolerance: 0.0,
    })
}

#[test]
fn operations_at_random_numbers() {
    let unary = UnaryOp::ALL.iter().map(|&op| (Op::Unary(op), 1));
    let binary = BinaryOp::ALL.iter().map(|&op| (Op::Binary(op), 2));
    let all = unary.chain(binary).chain([(Op::Clamp, 3)]);
    let cases: Vec<Case> = all.filter_map(|(op, count)| case(&op, count)).collect();
    run(28, &cases);
}
