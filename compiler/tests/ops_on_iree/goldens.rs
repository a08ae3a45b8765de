//! The cases of `goldens/ops.json` and `goldens/layers.json` against PyTorch and
//! JAX.

use super::checks::{functions, run};
use super::common::ops::{Case, cases};
use super::common::{language, layers};
use cnnc::iree::Target;
use cnnc::stablehlo::{
    Builder, Convolution, ConvolutionDims, Function, Instruction, Literal, Module, Op, Result,
    Scalar, TensorType, Value,
};
use cnnc::tune;
use std::collections::HashMap;

pub fn is_image(case: &Case) -> bool {
    case.inputs
        .first()
        .is_some_and(|input| input.shape.len() == 4)
}

fn chosen(choose: impl Fn(&Case) -> bool) -> Vec<Case> {
    cases().into_iter().filter(choose).collect()
}

#[test]
fn operations_on_images() {
    run(90, &chosen(is_image));
}

#[test]
fn operations_on_other_tensors() {
    run(70, &chosen(|case| !is_image(case)));
}

/// What PyTorch has no number for, and the numbers that it has instead.
const ELSEWHERE: [(&str, &str); 4] = [
    // `init.rs`: every initialiser against the generator's publication.
    ("*", "init"),
    // `stateful.rs`: running statistics of PyTorch, masks of JAX.
    ("batch_norm", "momentum"),
    ("dropout", "*"),
    ("drop_path", "*"),
];

#[test]
fn every_op_and_option_has_a_golden() {
    let bodies = layers::bodies();
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    assert_eq!(language::missing(&bodies, &ELSEWHERE), [""; 0]);
}

#[test]
fn ops_of_the_language() {
    run(85, &layers::cases());
}

/// A 1x1 convolution that changes nothing.
fn identity(b: &mut Builder, x: Value) -> Result<Value> {
    let channels = b.shape(x)[1];
    let ty = TensorType::f32([channels, channels, 1, 1]);
    let cells = (0..ty.elements()).map(|i| i % (channels + 1) == 0);
    let values = cells
        .map(|one| Scalar::Float(if one { 1.0 } else { 0.0 }))
        .collect();
    let kernel = b.push(Op::Constant(Literal { ty, values }), &[])?;
    let conv = Convolution {
        dims: ConvolutionDims::nchw(2),
        strides: vec![1, 1],
        padding: vec![[0, 0]; 2],
        lhs_dilation: vec![1, 1],
        rhs_dilation: vec![1, 1],
        window_reversal: vec![false; 2],
        feature_group_count: 1,
        batch_group_count: 1,
    };
    b.convolution(x, kernel, conv)
}

/// A case of pooling between two such convolutions; none if it does not pool.
pub fn between_convolutions(case: &Case) -> Option<Case> {
    let pool = |i: &Instruction| matches!(i.op, Op::ReduceWindow { .. });
    if !case.function.body.iter().any(pool) {
        return None;
    }
    let build = || -> Result<Function> {
        let mut b = Builder::named("case");
        let x = b
            .function
            .argument(Some("x0"), TensorType::f32(case.inputs[0].shape.clone()));
        let mut values = HashMap::from([(case.function.arguments[0].value, identity(&mut b, x)?)]);
        for instruction in &case.function.body {
            let operands: Vec<Value> = instruction.operands.iter().map(|v| values[v]).collect();
            let result = b.push(instruction.op.clone(), &operands)?;
            values.insert(instruction.result, result);
        }
        let y = identity(&mut b, values[&case.function.outputs[0].value])?;
        b.function.output(Some("y"), y);
        Ok(b.function)
    };
    let function = build().expect("a function");
    Some(Case {
        function,
        ..case.clone()
    })
}

/// Between convolutions, the pools and their gradients work on NHWC: nothing
/// but kernels and the images that come in and go out is transposed.
#[test]
fn pools_between_convolutions() {
    let cases: Vec<Case> = cases().iter().filter_map(between_convolutions).collect();
    for case in &cases {
        let module = Module {
            functions: functions(case),
            ..Module::default()
        };
        let tuned = tune::tune(&module, Target::Cpu).expect("tuned");
        for function in &tuned.functions {
            let definitions = function.definitions();
            let is_constant = |v: Value| {
                let definition = definitions[v.index()].map(|i| &function.body[i].op);
                matches!(definition, Some(Op::Constant(_)))
            };
            let moves = |i: &&Instruction| {
                matches!(i.op, Op::Transpose { .. }) && !is_constant(i.operands[0])
            };
            let most = function.arguments.len() + function.outputs.len();
            let found = function.body.iter().filter(moves).count();
            assert!(found <= most, "{}: {found} transposes", function.name);
        }
    }
    run(25, &cases);
}
