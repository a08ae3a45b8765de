//! The cases of `goldens/ops.json` against PyTorch and JAX.

use super::common::ops::{Array, Case, cases};
use super::iree::{Loaded, Machine};
use cnnc::autodiff;
use cnnc::iree::Target;
use cnnc::reference::Tensor;
use cnnc::simplify::simplify;
use cnnc::stablehlo::{
    Builder, Convolution, ConvolutionDims, Function, Instruction, Literal, Module, Op, Result,
    Scalar, TensorType, Value,
};
use cnnc::tune;

/// Largest error of a case that is not exact, relative to the largest
/// magnitude of the tensor: eight units in the last place of f32.
const TOLERANCE: f64 = 8.0 / (1u64 << 23) as f64;

/// IREE's compiler takes a quarter of a second for any module, so that many
/// cases share one.
const CHUNK: usize = 20;

pub fn tensor(array: &Array) -> Tensor<f32> {
    Tensor::from_f64(TensorType::f32(array.shape.clone()), &array.data).expect("a tensor")
}

fn forward_name(case: &Case) -> String {
    format!("{}_forward", case.name)
}

fn pullback_name(case: &Case) -> String {
    format!("{}_pullback", case.name)
}

/// The functions of a case: itself and, if a cotangent is known, its pullback.
pub fn functions(case: &Case) -> Vec<Function> {
    let mut forward = case.function.clone();
    forward.name = forward_name(case);
    let arguments: Vec<usize> = (0..case.inputs.len()).collect();
    let pullback = case.cotangent.as_ref().map(|_| {
        let name = pullback_name(case);
        autodiff::pullback(&case.function, &arguments, &name, "cotangent").expect("a pullback")
    });
    [Some(forward), pullback]
        .into_iter()
        .flatten()
        .map(|f| simplify(&f).expect("simplified"))
        .collect()
}

/// What is wrong with `found`, if anything. Zeros may have either sign.
fn mismatch(case: &Case, what: &str, expected: &Array, found: &Tensor<f32>) -> Option<String> {
    let values = found.to_f64();
    let finite = expected.data.iter().filter(|v| v.is_finite());
    let largest = finite.fold(0.0f64, |max, v| max.max(v.abs()));
    let bound = if case.exact { 0.0 } else { TOLERANCE * largest };
    let agree = |e: f64, f: f64| e == f || e.is_nan() && f.is_nan() || (e - f).abs() <= bound;
    let fits = found.ty().shape == expected.shape
        && expected
            .data
            .iter()
            .zip(&values)
            .all(|(&e, &f)| agree(e, f));
    (!fits).then(|| {
        format!(
            "{}: {what}: expected {:?} {:?}, found {:?} {values:?}",
            case.name,
            expected.shape,
            expected.data,
            found.ty().shape
        )
    })
}

fn check(
    machine: &Machine,
    loaded: &Loaded,
    case: &Case,
) -> std::result::Result<Vec<String>, String> {
    let mut wrong = Vec::new();
    let inputs: Vec<Tensor<f32>> = case.inputs.iter().map(tensor).collect();
    let outputs = machine.call(loaded, &forward_name(case), &inputs)?;
    assert_eq!(outputs.len(), 1, "{}", case.name);
    wrong.extend(mismatch(case, "value", &case.output, &outputs[0]));
    if let Some(cotangent) = &case.cotangent {
        let arguments: Vec<Tensor<f32>> = inputs.into_iter().chain([tensor(cotangent)]).collect();
        let gradients = machine.call(loaded, &pullback_name(case), &arguments)?;
        assert_eq!(gradients.len(), case.gradients.len(), "{}", case.name);
        for (i, (expected, found)) in case.gradients.iter().zip(&gradients).enumerate() {
            wrong.extend(mismatch(case, &format!("gradient {i}"), expected, found));
        }
    }
    Ok(wrong)
}

/// What is wrong with some cases, compiled as one module. If that fails, the
/// halves are tried, to find which case it is.
fn faults(machine: &Machine, cases: &[Case]) -> Vec<String> {
    match machine.load(cases.iter().flat_map(functions).collect()) {
        Ok(loaded) => cases
            .iter()
            .flat_map(|case| {
                let result = check(machine, &loaded, case);
                result.unwrap_or_else(|error| vec![format!("{}: {error}", case.name)])
            })
            .collect(),
        Err(error) if cases.len() < 2 => {
            let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
            vec![format!("{}: {error}", names.join(", "))]
        }
        Err(_) => {
            let (left, right) = cases.split_at(cases.len() / 2);
            [faults(machine, left), faults(machine, right)].concat()
        }
    }
}

/// Runs at least `least` cases.
fn run(least: usize, chosen: &[Case]) {
    assert!(chosen.len() >= least, "only {} cases", chosen.len());
    let machine = Machine::new();
    let wrong: Vec<String> = chosen
        .chunks(CHUNK)
        .flat_map(|chunk| faults(&machine, chunk))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn is_image(case: &Case) -> bool {
    case.inputs
        .first()
        .is_some_and(|input| input.shape.len() == 4)
}

fn chosen(choose: impl Fn(&Case) -> bool) -> Vec<Case> {
    cases().into_iter().filter(choose).collect()
}

#[test]
fn operations_on_images() {
    run(70, &chosen(is_image));
}

#[test]
fn operations_on_other_tensors() {
    run(60, &chosen(|case| !is_image(case)));
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
fn between_convolutions(case: &Case) -> Option<Case> {
    let pool = |i: &&Instruction| matches!(i.op, Op::ReduceWindow { .. });
    let pool = case.function.body.iter().find(pool)?.op.clone();
    let Op::ReduceWindow { reducer, window } = pool else {
        return None;
    };
    let build = || -> Result<Function> {
        let mut b = Builder::named("case");
        let x = b
            .function
            .argument(Some("x0"), TensorType::f32(case.inputs[0].shape.clone()));
        let x = identity(&mut b, x)?;
        let y = b.reduce_window(reducer, x, window)?;
        let y = identity(&mut b, y)?;
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
