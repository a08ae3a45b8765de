//! The adjoint identity: for a function f with Jacobian J, any direction v and
//! any cotangent w, <J^T w, v> = <w, J v>.
//!
//! The left side comes from the emitted pullback, the right side from running
//! the function itself over dual numbers, which knows nothing of the rules of
//! reverse mode. Over the field both sides are exactly equal, or, but for a
//! chance of about 2^-50, the pullback is wrong.

use super::random::Random;
use cnnc::autodiff;
use cnnc::reference::{Data, Dual, Exact, Number, Prime, Tensor, run};
use cnnc::stablehlo::{Function, TensorType};

/// Draws numbers of one kind.
pub trait Draw: Number {
    /// A number whose shadow lies in `low..high`.
    fn draw(random: &mut Random, low: f64, high: f64) -> Self;
}

impl Draw for f64 {
    fn draw(random: &mut Random, low: f64, high: f64) -> Self {
        random.real(low, high)
    }
}

/// Any element; the shadow only decides.
impl Draw for Exact {
    fn draw(random: &mut Random, low: f64, high: f64) -> Self {
        Exact::new(Prime::new(random.bits()), random.real(low, high))
    }
}

/// A random tensor with shadows in `low..high`.
pub fn draw<T: Draw>(random: &mut Random, ty: &TensorType, low: f64, high: f64) -> Tensor<T> {
    if ty.element.is_float() {
        let values = (0..ty.elements()).map(|_| T::draw(random, low, high));
        Tensor::numbers(ty.clone(), values.collect()).expect("a tensor of numbers")
    } else {
        let values = (0..ty.elements()).map(|_| random.bits() as i64);
        Tensor::integers(ty.clone(), values.collect()).expect("a tensor of integers")
    }
}

/// Random arguments of `function`.
pub fn draw_arguments<T: Draw>(
    random: &mut Random,
    function: &Function,
    low: f64,
    high: f64,
) -> Vec<Tensor<T>> {
    let arguments = function.arguments.iter();
    arguments
        .map(|a| draw(random, function.ty(a.value), low, high))
        .collect()
}

/// Both sides of the identity for `pullback`, which takes the arguments of
/// `function` and a cotangent and returns a gradient per argument that is a
/// floating-point number.
pub fn sides<T: Draw>(
    function: &Function,
    pullback: &Function,
    arguments: &[Tensor<T>],
    random: &mut Random,
) -> [T; 2] {
    let moving: Vec<usize> = differentiable(function);
    let directions: Vec<Tensor<T>> = arguments
        .iter()
        .map(|argument| draw(random, argument.ty(), -1.0, 1.0))
        .collect();
    let duals: Vec<Tensor<Dual<T>>> = arguments
        .iter()
        .zip(&directions)
        .map(|(argument, direction)| dual(argument, direction))
        .collect();
    let result = &run(function, &duals).expect("the function runs")[0];
    let cotangent = draw(random, result.ty(), -1.0, 1.0);
    let tangents: Vec<T> = result.as_numbers().iter().map(|d| d.tangent).collect();
    let forward = inner(cotangent.as_numbers(), &tangents);
    let with_cotangent: Vec<Tensor<T>> = arguments.iter().cloned().chain([cotangent]).collect();
    let gradients = run(pullback, &with_cotangent).expect("the pullback runs");
    assert_eq!(gradients.len(), moving.len());
    let backward = gradients
        .iter()
        .zip(moving)
        .map(|(gradient, i)| inner(gradient.as_numbers(), directions[i].as_numbers()))
        .fold(T::from_f64(0.0), |sum, term| sum + term);
    [backward, forward]
}

/// Asserts the identity over the field for the pullback that autodiff emits.
pub fn assert_exact(name: &str, function: &Function, low: f64, high: f64) {
    let pullback = pullback(name, function);
    for seed in 0..2 {
        let mut random = Random::new(seed);
        let arguments = draw_arguments::<Exact>(&mut random, function, low, high);
        let [backward, forward] = sides(function, &pullback, &arguments, &mut random);
        assert_eq!(backward.element, forward.element, "{name}, seed {seed}");
    }
}

/// Asserts the identity over f64 to 1e-12, for what the field cannot hold.
pub fn assert_near(name: &str, function: &Function, low: f64, high: f64) {
    let pullback = pullback(name, function);
    let mut random = Random::new(0);
    let arguments = draw_arguments::<f64>(&mut random, function, low, high);
    let [backward, forward] = sides(function, &pullback, &arguments, &mut random);
    let error = (backward - forward).abs();
    assert!(
        error <= 1e-12 * forward.abs().max(1.0),
        "{name}: {backward} is not {forward}"
    );
}

/// The pullback for every floating-point argument.
pub fn pullback(name: &str, function: &Function) -> Function {
    autodiff::pullback(function, &differentiable(function), "pullback", "cotangent")
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn differentiable(function: &Function) -> Vec<usize> {
    let is_float = |&i: &usize| {
        let value = function.arguments[i].value;
        function.ty(value).element.is_float()
    };
    (0..function.arguments.len()).filter(is_float).collect()
}

fn dual<T: Number>(value: &Tensor<T>, direction: &Tensor<T>) -> Tensor<Dual<T>> {
    let ty = value.ty().clone();
    match value.data() {
        Data::Integers(values) => Tensor::integers(ty, values.clone()),
        Data::Numbers(values) => {
            let pairs = values.iter().zip(direction.as_numbers());
            let duals = pairs.map(|(&value, &tangent)| Dual { value, tangent });
            Tensor::numbers(ty, duals.collect())
        }
    }
    .expect("elements of the same type")
}

fn inner<T: Number>(a: &[T], b: &[T]) -> T {
    let terms = a.iter().zip(b).map(|(&a, &b)| a * b);
    terms.fold(T::from_f64(0.0), |sum, term| sum + term)
}
