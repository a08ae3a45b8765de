use super::*;
use crate::stablehlo::{Builder, Result, TensorType};

/// A function of vectors of three elements.
fn function(build: impl FnOnce(&mut Builder, Value, Value) -> Result<Value>) -> Function {
    let mut b = Builder::named("f");
    let x = b.function.argument(Some("x"), TensorType::f32([3]));
    let y = b.function.argument(Some("y"), TensorType::f32([3]));
    let result = build(&mut b, x, y).unwrap();
    b.function.output(None, result);
    b.function
}

/// Times p.
fn once(confidence: &Confidence) -> f64 {
    (confidence.once * Prime::ORDER as f64).round()
}

/// x^2 y + x has degree 3; its derivative along a direction too, and a
/// gradient is multiplied by a direction once more.
#[test]
fn a_polynomial_has_its_degree() {
    let f = function(|b, x, y| {
        let square = b.multiply(x, x)?;
        let product = b.multiply(square, y)?;
        b.add(product, x)
    });
    let results = of_results([&f], 1);
    assert_eq!((results.degree, results.stand_ins), (3.0, 0.0));
    assert_eq!(once(&results), 3.0);
    assert_eq!(of_derivatives([&f], 1).degree, 4.0);
}

/// Of two functions the larger degree counts: that of their difference.
#[test]
fn the_larger_of_two_degrees_counts() {
    let square = function(|b, x, _| b.multiply(x, x));
    let sum = function(|b, x, y| b.add(x, y));
    assert_eq!(of_results([&square, &sum], 1).degree, 2.0);
}

/// x / y for three elements: times y1 y2 y3 it has degree at most 1 + 3, and
/// each of three denominators of degree 1 may vanish. Division by a number
/// changes nothing.
#[test]
fn quotients_are_cleared_of_their_denominators() {
    let f = function(|b, x, y| b.divide(x, y));
    let results = of_results([&f], 1);
    assert_eq!((results.degree, results.denominators), (4.0, 3.0));
    assert_eq!(once(&results), 4.0 + 3.0);
    let half = function(|b, x, _| {
        let two = b.splat_like(2.0, x)?;
        b.divide(x, two)
    });
    let results = of_results([&half], 1);
    assert_eq!((results.degree, results.denominators), (1.0, 0.0));
}

/// e^(x y): three stand-ins with arguments of degree 2. Any two of them, one
/// and the negative of another, or one and zero may fall together:
/// 3 * 4 * 2 in all.
#[test]
fn stand_ins_may_fall_together() {
    let f = function(|b, x, y| {
        let product = b.multiply(x, y)?;
        b.exponential(product)
    });
    let results = of_results([&f], 1);
    assert_eq!((results.degree, results.stand_ins), (1.0, 3.0));
    assert_eq!(once(&results), 1.0 + 24.0);
}

/// ln x is no quotient, but its derivative is one.
#[test]
fn the_derivative_of_a_logarithm_divides() {
    let f = function(|b, x, _| b.log(x));
    assert_eq!(of_results([&f], 1).denominators, 0.0);
    assert_eq!(of_derivatives([&f], 1).denominators, 3.0);
}

#[test]
fn several_points_multiply() {
    let f = function(|b, x, y| b.multiply(x, y));
    let (one, four) = (of_results([&f], 1), of_results([&f], 4));
    assert_eq!(four.once, one.once);
    assert_eq!(four.probability, one.once.powi(4));
    assert_eq!(four.rounds, 4);
}
