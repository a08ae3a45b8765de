//! Winograd's form in f32, against the interpreter in f64.

use super::common::random::Random;
use super::iree::Machine;
use cnnc::iree::Target;
use cnnc::reference::{Tensor, run};
use cnnc::stablehlo::{Builder, Convolution, ConvolutionDims, Function, Module, Op, TensorType};
use cnnc::tune::winograd::Form;
use cnnc::{autodiff, tune};

/// A convolution of `same` padding and its pullback, portable.
fn module(x: [i64; 4], outputs: i64) -> Module {
    let mut b = Builder::named("forward");
    let w = [outputs, x[1], 3, 3];
    let arguments = [x, w].map(|shape| b.function.argument(None, TensorType::f32(shape)));
    let conv = Convolution {
        dims: ConvolutionDims::nchw(2),
        strides: vec![1; 2],
        padding: vec![[1, 1]; 2],
        lhs_dilation: vec![1; 2],
        rhs_dilation: vec![1; 2],
        window_reversal: vec![false; 2],
        feature_group_count: 1,
        batch_group_count: 1,
    };
    let y = b.convolution(arguments[0], arguments[1], conv).unwrap();
    b.function.output(Some("y"), y);
    let pullback = autodiff::pullback(&b.function, &[0, 1], "pullback", "dy").unwrap();
    Module {
        name: "winograd".to_owned(),
        functions: vec![b.function, pullback],
        ..Module::default()
    }
}

fn drawn(function: &Function, random: &mut Random) -> Vec<Tensor<f32>> {
    let types = function
        .arguments
        .iter()
        .map(|a| function.ty(a.value).clone());
    let draw = |ty: TensorType| {
        let values = (0..ty.elements()).map(|_| random.real(-1.0, 1.0) as f32);
        Tensor::numbers(ty.clone(), values.collect()).unwrap()
    };
    types.map(draw).collect()
}

/// The norm of the difference over that of what is expected.
fn error(expected: &Tensor<f64>, found: &Tensor<f32>) -> f64 {
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
    let pairs = expected.as_numbers().iter().zip(found.as_numbers());
    let off = norm(&mut pairs.map(|(e, f)| e - f64::from(*f)));
    off / norm(&mut expected.as_numbers().iter().copied())
}

/// Forward pass and both gradients, of tiles that fit and of tiles that are
/// cropped: F(4x4, 3x3), F(2x2, 3x3) where the image is one of its tiles, and
/// F(4, 3) by rows.
/// Whoever raises these bounds changes what the pass and docs/cli.md promise.
#[test]
fn winograd_rounds_within_its_bound() {
    let machine = Machine::new();
    let mut random = Random::new(5);
    let cases = [
        ([2, 128, 8, 8], 128, Form::Four, 1e-5),
        ([1, 64, 7, 10], 96, Form::Four, 1e-5),
        ([3, 128, 2, 2], 128, Form::Two, 1e-6),
        ([2, 32, 11, 9], 48, Form::Rows, 3e-6),
        ([2, 128, 8, 8], 128, Form::Rows, 3e-6),
    ];
    for (x, outputs, form, bound) in cases {
        let module = module(x, outputs);
        let mut chosen = tune::Options::default();
        for question in tune::questions(&module, Target::Cpu, &chosen).unwrap() {
            let form = tune::Form::Winograd(form);
            assert!(question.forms.contains(&form), "{}", question.key);
            chosen.costs.insert(&question.key, [(form, 1)]);
        }
        for (winograd, bound) in [(true, bound), (false, 1e-6)] {
            let options = match winograd {
                true => chosen.clone(),
                false => chosen.directly(),
            };
            let tuned = tune::tune_with(&module, Target::Cpu, &options).unwrap();
            let mut body = tuned.functions.iter().flat_map(|f| &f.body);
            let direct = body.any(|i| match &i.op {
                Op::Convolution(conv) => conv.strides == [1; 2],
                _ => false,
            });
            assert_eq!(direct, !winograd, "{x:?}");
            let loaded = machine.load_tuned(tuned).unwrap();
            for function in &module.functions {
                let arguments = drawn(function, &mut random);
                let found = machine.call(&loaded, &function.name, &arguments).unwrap();
                let exact: Vec<Tensor<f64>> = arguments
                    .iter()
                    .map(|a| {
                        let values = a.as_numbers().iter().map(|&v| f64::from(v)).collect();
                        Tensor::numbers(a.ty().clone(), values).unwrap()
                    })
                    .collect();
                let expected = run(function, &exact).unwrap();
                for (expected, found) in expected.iter().zip(&found) {
                    let error = error(expected, found);
                    println!("{x:?} @{} winograd {winograd}: {error:.1e}", function.name);
                    assert!(error < bound, "{x:?} @{}: {error:e}", function.name);
                }
            }
        }
    }
}
