//! Whole nets at their initial parameters and real images: f32 on IREE against
//! the portable module in real numbers.
//!
//! Every result must be within [`UNITS`] spreads (see [`Rounded`]), that is,
//! so many times the error that roundings of u = 2^-24 are expected to make.
//! This is a statement about one smooth piece of the net, so that the data
//! points are such that no relu and no window is decided by rounding.

use super::common::rounding::{Rounded, lifted, run_rounded, worst};
use super::examples;
use super::programs;
use cnnc::reference::{Limits, Number, Step, Tensor, run_traced};
use cnnc::stablehlo::{Function, Module, Op, TensorType};
use cnnc_runtime::program::{Gradients, Program};
use cnnc_runtime::state::{Snapshot, State};
use cnnc_runtime::tensor::NamedTensor;
use std::collections::BTreeMap;

/// How far a result may be off, in spreads.
const UNITS: f64 = 4.0;

/// How far apart, in spreads of both, two values must be for rounding not to
/// exchange them.
const APART: f64 = 4.0;

/// Values by name.
type Values = BTreeMap<String, Tensor<f64>>;

/// A net with initial parameters and a batch of MNIST.
struct Point {
    module: Module,
    program: Program,
    state: State,
    image: Vec<f32>,
    label: Vec<i32>,
    values: Values,
}

impl Point {
    fn new(net: &str, batch: usize, seed: u64) -> Self {
        let unit = examples::example(net);
        let runtime = programs::runtime();
        let functions = ["init", "forward", "loss", "gradients"];
        let program = programs::program(&runtime, &unit, batch as i64, &functions);
        let state = program.init(seed).expect("parameters");
        let snapshot: Snapshot = state.download(program.manifest()).expect("parameters");
        let file = |name: &str| std::fs::read(examples::data(name)).expect("test data");
        let images = file("fixtures/mnist16-images.idx3-ubyte");
        let labels = file("fixtures/mnist16-labels.idx1-ubyte");
        let image: Vec<f32> = images[16..][..784 * batch]
            .iter()
            .map(|&byte| f32::from(byte) / 255.0)
            .collect();
        let label: Vec<i32> = labels[8..][..batch].iter().map(|&b| b.into()).collect();
        let module = unit
            .portable(batch as i64, &functions[1..])
            .expect("a module");
        let mut point = Point {
            module,
            program,
            state,
            image,
            label,
            values: Values::new(),
        };
        for parameter in &snapshot.parameters {
            let numbers = parameter.elements.as_f32().expect("f32");
            point.give(&parameter.name, numbers.iter().map(|&n| n.into()).collect());
        }
        point.give("image", point.image.iter().map(|&n| n.into()).collect());
        point.give("label", point.label.iter().map(|&n| n.into()).collect());
        point
    }

    /// A value for the argument called `name`.
    fn give(&mut self, name: &str, values: Vec<f64>) {
        let loss = self.module.function("loss").expect("@loss");
        let named = loss
            .arguments
            .iter()
            .find(|a| a.name.as_deref() == Some(name));
        let ty = loss.ty(named.expect("an argument").value).clone();
        let tensor = Tensor::from_f64(ty, &values).expect("a tensor");
        self.values.insert(name.to_owned(), tensor);
    }

    fn function(&self, name: &str) -> (&Function, Vec<Tensor<f64>>) {
        let function = self.module.function(name).expect("a function");
        let arguments = function.arguments.iter();
        let arguments = arguments.map(|a| self.values[a.name.as_deref().expect("a name")].clone());
        (function, arguments.collect())
    }

    /// The results of a function in real numbers, by name.
    fn expected(&self, name: &str) -> BTreeMap<String, Tensor<Rounded>> {
        let (function, arguments) = self.function(name);
        let results = run_rounded(function, &arguments).expect("results");
        let names = function.outputs.iter().map(|o| o.name.clone());
        names
            .map(|name| name.expect("a name"))
            .zip(results)
            .collect()
    }

    /// Decisions of the gradient that rounding could turn.
    fn undecided(&self) -> usize {
        let (function, arguments) = self.function("gradients");
        let arguments = arguments.iter().map(|a| lifted(a).expect("a tensor"));
        let arguments: Vec<Tensor<Rounded>> = arguments.collect();
        let mut count = 0;
        run_traced(function, &arguments, Limits::default(), |step| {
            count += open(&step);
        })
        .expect("gradients");
        count
    }
}

/// Decisions of an instruction that rounding could turn. Equal values are the
/// same function of the parameters, or the padding of an image.
fn open(step: &Step<'_, Rounded>) -> usize {
    let numbers = |i: usize| step.operands[i].as_numbers();
    let close = |a: &Rounded, b: &Rounded| a.value != b.value && !a.apart(*b, APART);
    match &step.instruction.op {
        Op::Compare(_) => {
            let pairs = numbers(0).iter().zip(numbers(1));
            pairs.filter(|(a, b)| close(a, b)).count()
        }
        Op::SelectAndScatter { window } => {
            assert_eq!(window.size, [1, 1, 2, 2]);
            assert_eq!(window.size, window.strides);
            let shape = &step.operands[0].ty().shape;
            let width = shape[3] as usize;
            let rows: Vec<&[Rounded]> = numbers(0).chunks(width).collect();
            let windows = rows.chunks(2).flat_map(|pair| {
                let cells =
                    |at: usize| [pair[0][at], pair[0][at + 1], pair[1][at], pair[1][at + 1]];
                (0..width).step_by(2).map(cells).collect::<Vec<_>>()
            });
            let open = |cells: &[Rounded; 4]| {
                let largest = cells
                    .iter()
                    .copied()
                    .reduce(Number::maximum)
                    .expect("cells");
                cells.iter().any(|cell| close(cell, &largest))
            };
            windows.filter(open).count()
        }
        _ => 0,
    }
}

fn check(net: &str, batch: usize, seed: u64) {
    let point = Point::new(net, batch, seed);
    assert_eq!(point.undecided(), 0, "{net}: another seed");
    let (state, image, label) = (&point.state, &point.image, &point.label);
    let mut all: Vec<(String, f64)> = Vec::new();
    let mut note = |name: &str, expected: &Tensor<Rounded>, found: &[f32]| {
        let found = Tensor::numbers(expected.ty().clone(), found.to_vec()).expect("a tensor");
        all.push((name.to_owned(), worst(expected, &found)));
    };

    let logits = point.program.forward(state, image).expect("logits");
    note("logits", &point.expected("forward")["logits"], &logits);
    let loss = point.program.loss(state, image, label).expect("a loss");
    note("loss", &point.expected("loss")["loss"], &[loss]);
    let expected = point.expected("gradients");
    let found = point.program.gradients(state, image, label);
    let Gradients { loss, gradients } = found.expect("gradients");
    note("loss of @gradients", &expected["loss"], &[loss]);
    for NamedTensor { name, elements, .. } in &gradients {
        let name = match name.ends_with(".gradient") {
            true => name.clone(),
            false => format!("{name}.gradient"),
        };
        note(&name, &expected[&name], elements.as_f32().expect("f32"));
    }
    assert_eq!(all.len(), 3 + point.state_size());

    for (name, units) in &all {
        println!("{net:10} {name:24} {units:6.3} spreads, of {UNITS}");
    }
    let largest = all.iter().map(|(_, units)| *units).fold(0.0, f64::max);
    assert!(largest <= UNITS, "{net}: {largest} spreads");
    // A bound that nothing comes near says nothing.
    assert!(largest > UNITS / 40.0, "{net}: {largest} spreads");
}

impl Point {
    fn state_size(&self) -> usize {
        self.program.manifest().parameters.len()
    }
}

#[test]
fn linear_is_within_roundoff() {
    check("linear", 8, 1);
}

#[test]
fn mlp_is_within_roundoff() {
    check("mlp", 8, 1);
}

#[test]
fn mnist_cnn_is_within_roundoff() {
    check("mnist_cnn", 2, 1);
}

/// Squares add, and each result is rounded.
#[test]
fn spreads_by_hand() {
    let number = |value| Rounded::new(value);
    // 3 + 4 = 7, rounded by 7 u; times 2, by 14 u more.
    let sum = number(3.0) + number(4.0);
    assert_eq!((sum.value, sum.spread), (7.0, 7.0));
    let product = sum * number(2.0);
    let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
    assert!(near(product.spread, 14.0 * 2f64.sqrt()));
    let quotient = product / number(7.0);
    assert!(near(quotient.spread, (2.0 * 4.0 + 4.0f64).sqrt()));
    // Nothing to round, nothing to pass on.
    assert_eq!((sum + number(0.0)).spread, 7.0);
    assert_eq!((number(3.0) * number(0.0)).spread, 0.0);
    assert_eq!(number(4.0).sqrt().spread, 2.0);
    assert_eq!(number(0.0).maximum(sum).spread, 7.0);
    assert_eq!(number(9.0).maximum(sum).spread, 0.0);
    // A tenth was rounded when it became a constant.
    assert_eq!(Rounded::from_f64(0.1).spread, 0.1);
    assert_eq!(Rounded::from_f64(-0.25).spread, 0.0);
    // 2^24 + 1 rounds to 2^24: an error of 1 where 2^24 u is about 1.
    let large = number(16_777_216.0) + number(1.0);
    let units = large.units(16_777_216.0);
    assert!((units - 1.0).abs() < 1e-6, "{units}");
    assert_eq!(number(f64::NAN).units(f64::NAN), 0.0);
    assert_eq!(number(1.0).units(f64::NAN), f64::INFINITY);
    assert_eq!(number(0.0).units(1e-20), f64::INFINITY);
    assert_eq!(number(f64::INFINITY).units(1.0), f64::INFINITY);
    let ty = TensorType::f32([2]);
    let expected = Tensor::numbers(ty.clone(), vec![large, number(1.0)]).unwrap();
    let found = Tensor::numbers(ty, vec![16_777_216.0f32, 1.0]).unwrap();
    assert_eq!(worst(&expected, &found), units);
}
