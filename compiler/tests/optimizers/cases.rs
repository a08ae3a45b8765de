//! Faults that other libraries had, with right answers by hand.

use super::update::{Engine, function, optimizer};
use cnnc::optimizer::clip;
use cnnc::stablehlo::{Builder, ElementType, Function, TensorType};

/// The parameters after each step of an optimizer on a single number.
fn steps(text: &str, weight: f64, steps: &[(f64, f64)]) -> Vec<[f64; 2]> {
    let optimizer = optimizer(text);
    let steps: Vec<(f64, Vec<f64>)> = steps.iter().map(|&(lr, g)| (lr, vec![g])).collect();
    let engines =
        Engine::both(|element| vec![function("f", &optimizer, &TensorType::new([1], element))]);
    let [exact, rounded] = engines.map(|e| e.steps("f", &optimizer, &[weight], &steps));
    exact
        .iter()
        .zip(&rounded)
        .map(|(a, b)| [a[0], b[0]])
        .collect()
}

fn assert_all(found: &[[f64; 2]], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        for found in found {
            let error = (found - expected).abs();
            assert!(error <= tolerance, "{found} instead of {expected}");
        }
    }
}

#[test]
fn bug_49_momentum_nesterov_and_decay() {
    let two = [(0.1, 1.0), (0.1, 1.0)];
    assert_all(
        &steps("sgd(0.1, momentum=0.9)", 0.0, &two),
        &[-0.1, -0.29],
        1e-7,
    );
    let nesterov = "sgd(0.1, momentum=0.9, nesterov=true)";
    assert_all(&steps(nesterov, 0.0, &two), &[-0.19, -0.461], 1e-7);
    let decay = "sgd(0.1, weight_decay=0.5)";
    assert_all(&steps(decay, 1.0, &[(0.1, 0.0)]), &[0.95], 1e-7);
}

/// Without the correction the first step would be -0.003162.
#[test]
fn bug_51_bias_correction_of_adam() {
    let two = [(1e-3, 1.0), (1e-3, 1.0)];
    assert_all(&steps("adam", 0.0, &two), &[-0.001, -0.002], 1e-8);
}

#[test]
fn bug_53_weight_decay_of_adam_and_adamw() {
    let at = |text: &str, g: f64| steps(text, 1.0, &[(0.1, g)]);
    let adamw = "adamw(lr=0.1, weight_decay=0.5)";
    assert_all(&at(adamw, 1.0), &[0.85], 1e-7);
    assert_all(&at(adamw, 0.0), &[0.95], 1e-7);
    // Decay in the gradient: of its sign alone the first step takes notice.
    let adam = "adam(lr=0.1, weight_decay=0.5)";
    assert_all(&at(adam, 1.0), &[0.9], 1e-7);
    assert_all(&at(adam, 0.0), &[0.9], 1e-7);
}

/// Two gradients of one number and of two, clipped together, and their norm.
fn clipping(most: f64, element: ElementType) -> Function {
    let mut b = Builder::named("clip");
    let gradients = [
        b.function.argument(None, TensorType::new([1], element)),
        b.function.argument(None, TensorType::new([1, 2], element)),
    ];
    let (clipped, norm) = clip(&mut b, &gradients, most).expect("well-typed");
    for value in clipped.into_iter().chain([norm]) {
        b.function.output(None, value);
    }
    b.function
}

/// The clipped gradients and the norm, by the interpreter and by IREE.
fn clipped(most: f64, gradients: [f64; 3]) -> [Vec<f64>; 2] {
    let engines = Engine::both(|element| vec![clipping(most, element)]);
    let [first, rest @ ..] = gradients;
    engines.map(|engine| engine.call("clip", &[vec![first], rest.to_vec()]).concat())
}

#[test]
fn bug_54_clipping() {
    for most in [1.0, 0.0] {
        for found in clipped(most, [0.0; 3]) {
            assert_eq!(found, [0.0; 4]);
        }
    }
    for found in clipped(1.0, [3.0, 0.0, 4.0]) {
        let expected = [0.6, 0.0, 0.8, 5.0];
        let errors = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
        assert!(errors.fold(0.0, f64::max) < 1e-7, "{found:?}");
    }
    for found in clipped(0.0, [3.0, 0.0, 4.0]) {
        assert_eq!(found, [0.0, 0.0, 0.0, 5.0]);
    }
    for found in clipped(1.0, [0.25, 0.0, 0.5]) {
        assert_eq!(found[..3], [0.25, 0.0, 0.5]);
    }
    // Below the limit nothing is touched: as it was, to the bit.
    let short = [0.3, 0.0, 0.4];
    let [exact, rounded] = clipped(1.0, short);
    assert_eq!(exact[..3], short);
    assert_eq!(rounded[..3], short.map(|g| f64::from(g as f32)));
}

/// What is not finite is neither made 0 nor does it make others 0.
#[test]
fn bug_54_clipping_hides_nothing() {
    for found in clipped(1.0, [f64::INFINITY, 2.0, 0.0]) {
        assert_eq!(found, [f64::INFINITY, 2.0, 0.0, f64::INFINITY]);
    }
    for found in clipped(1.0, [f64::NAN, 2.0, 0.0]) {
        assert!(found[0].is_nan() && found[3].is_nan(), "{found:?}");
        assert_eq!(found[1..3], [2.0, 0.0]);
    }
}
