use super::{Dual, Exact, Number, Prime};
use crate::stablehlo::ElementType;

const P: i128 = (1 << 61) - 1;

#[test]
fn field_arithmetic_is_modulo_p() {
    let large = Prime::new(Prime::ORDER - 1);
    assert_eq!(large + large, Prime::new(Prime::ORDER - 2));
    assert_eq!(large * large, Prime::ONE);
    assert_eq!(-large, Prime::ONE);
    assert_eq!(Prime::ZERO - Prime::ONE, large);
    assert_eq!(Prime::new(Prime::ORDER), Prime::ZERO);
    assert_eq!(Prime::from_integer(-1), large);
    assert_eq!(Prime::from_integer(P * 5 + 3), Prime::new(3));
    // 2^40 * 2^40 = 2^80 = 2^19
    assert_eq!(
        Prime::new(1 << 40) * Prime::new(1 << 40),
        Prime::new(1 << 19)
    );
    // (p - 2) (p - 3) = 6
    assert_eq!(
        Prime::new(Prime::ORDER - 2) * Prime::new(Prime::ORDER - 3),
        Prime::new(6)
    );
}

#[test]
fn every_element_but_zero_has_an_inverse() {
    for value in [1, 2, 3, 12_345_678_901_234_567, Prime::ORDER - 1] {
        let x = Prime::new(value);
        assert_eq!(x * x.inverse(), Prime::ONE, "{value}");
        assert_eq!(Prime::new(7) / x * x, Prime::new(7), "{value}");
    }
    assert_eq!(Prime::ONE / Prime::ZERO, Prime::ZERO);
}

#[test]
fn constants_are_dyadic_rationals() {
    assert_eq!(Prime::from_f64(6.0), Prime::new(6));
    assert_eq!(Prime::from_f64(-0.0), Prime::ZERO);
    let quarter = Prime::from_f64(0.25);
    assert_eq!(quarter * Prime::new(4), Prime::ONE);
    assert_eq!(Prime::from_f64(-1.75), -(quarter * Prime::new(7)));
    // 0.1 in f64 is 3602879701896397 / 2^55.
    let tenth = Prime::from_f64(0.1) * Prime::new(1 << 55);
    assert_eq!(tenth, Prime::new(3_602_879_701_896_397));
    // 2^61 = 1; the least subnormal number is 2^-1074 = 2^(18 * 61 - 1074).
    assert_eq!(Prime::from_f64(2f64.powi(61)), Prime::ONE);
    assert_eq!(Prime::from_f64(f64::from_bits(1)), Prime::new(1 << 24));
    assert_eq!(Prime::from_f64(2f64.powi(61) - 1024.0), -Prime::new(1023));
    // Sums of constants that f64 holds exactly are sums in the field.
    for (a, b) in [(0.375, 1e10), (-1e15, 0.125), (3.0, -3.0)] {
        assert_eq!(
            Prime::from_f64(a) + Prime::from_f64(b),
            Prime::from_f64(a + b)
        );
        assert_eq!(
            Prime::from_f64(a) * Prime::from_f64(b),
            Prime::from_f64(a * b)
        );
    }
}

#[test]
fn infinities_have_elements_of_their_own() {
    let elements = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 0.0, 1.0].map(Prime::from_f64);
    for (i, a) in elements.iter().enumerate() {
        assert!(!elements[..i].contains(a), "{elements:?}");
    }
}

#[test]
fn stand_ins_keep_the_laws_that_they_promise() {
    for value in [2, 5, 1 << 60, Prime::ORDER - 7] {
        let x = Prime::new(value);
        assert_eq!(x.exponential() * (-x).exponential(), Prime::ONE);
        assert_eq!((-x).cosine(), x.cosine());
        assert_eq!((-x).sine(), -x.sine());
        assert_ne!(x.sqrt(), Prime::ZERO);
        // And no others: not those of exponential, logarithm and root.
        assert_ne!(x.exponential() * x.exponential(), (x + x).exponential());
        assert_ne!(x.exponential().log(), x);
        assert_ne!(x.sqrt() * x.sqrt(), x);
    }
    for value in [2, 5, 1 << 60, Prime::ORDER - 7] {
        let (x, y) = (Prime::new(value), Prime::new(77));
        assert_eq!((-x).cbrt(), -x.cbrt());
        assert_ne!(x.cbrt() * x.cbrt() * x.cbrt(), x);
        assert_eq!((-x).atan2(y), -x.atan2(y));
        assert_ne!(x.atan2(y), y.atan2(x));
        assert_ne!((x + x).atan2(y + y), x.atan2(y));
    }
    assert_eq!((-Prime::ONE).cbrt(), -Prime::ONE);
    assert_eq!(Prime::ZERO.atan2(Prime::new(5)), Prime::ZERO);
    assert_eq!(Prime::ZERO.exponential(), Prime::ONE);
    assert_eq!(Prime::ONE.log(), Prime::ZERO);
    assert_eq!(Prime::ONE.sqrt(), Prime::ONE);
    assert_eq!(Prime::ZERO.cosine(), Prime::ONE);
    assert_eq!(Prime::ZERO.sine(), Prime::ZERO);
}

#[test]
fn exact_numbers_decide_by_their_shadows() {
    let small = Exact::new(Prime::new(100), -1.5);
    let large = Exact::new(Prime::new(3), 2.0);
    assert_eq!(small.maximum(large), large);
    assert_eq!(small.minimum(large), small);
    assert_eq!(small.abs(), Exact::new(-Prime::new(100), 1.5));
    let twin = Exact::new(Prime::new(4), 2.0);
    assert_eq!(large.maximum(twin), large);
    assert_eq!(twin.maximum(large), twin);
    let sum = small * large + large;
    assert_eq!(sum, Exact::new(Prime::new(303), -1.0));
}

#[test]
fn tanh_and_logistic_are_those_of_the_exponential() {
    let x = Exact::new(Prime::new(12_345), 0.5);
    let e = x.exponential();
    let one = Exact::from_f64(1.0);
    assert_eq!(x.logistic().element, (e / (e + one)).element);
    let square = e * e;
    assert_eq!(x.tanh().element, ((square - one) / (square + one)).element);
    assert_eq!(x.rsqrt().element, (one / x.sqrt()).element);
}

/// Whole powers are products, and x^(y - 1) is x^y / x whatever y is.
#[test]
fn powers_in_the_field() {
    let x = Exact::new(Prime::new(3), 2.0);
    let power = |y: f64| x.power(Exact::from_f64(y));
    assert_eq!(power(4.0), Exact::new(Prime::new(81), 16.0));
    assert_eq!(power(-2.0).element * Prime::new(9), Prime::ONE);
    assert_eq!(power(0.0).element, Prime::ONE);
    let one = Exact::from_f64(1.0);
    for y in [
        Exact::from_f64(2.5),
        Exact::from_f64(-0.75),
        Exact::new(Prime::new(1_234_567), 1.5),
    ] {
        let less = x.power(y - one).element;
        assert_eq!(less * x.element, x.power(y).element);
    }
    // No law of real powers that is not stated.
    assert_ne!(power(0.5).element * power(0.5).element, x.element);
}

#[test]
fn steps_stand_still() {
    let x = Dual {
        value: Exact::new(Prime::new(9), -2.5),
        tangent: Exact::new(Prime::ONE, 1.0),
    };
    let floor = x.step(f64::floor);
    assert_eq!(floor, Dual::from_f64(-3.0));
    let rest = x.remainder(Dual::from_f64(2.0));
    // -2.5 is -1 times 2 and -0.5.
    assert_eq!(rest.value, Exact::new(Prime::new(11), -0.5));
    assert_eq!(rest.tangent.element, Prime::ONE);
}

/// The derivative of `function` at `x`.
fn slope(function: impl Fn(Dual<f64>) -> Dual<f64>, x: f64) -> f64 {
    let x = Dual {
        value: x,
        tangent: 1.0,
    };
    function(x).tangent
}

#[test]
fn derivatives_by_calculus() {
    let (sine, cosine) = (0.479_425_538_604_203, 0.877_582_561_890_372_8);
    let cases: [(&str, f64, f64); 21] = [
        (
            "e^x at 1",
            slope(Number::exponential, 1.0),
            std::f64::consts::E,
        ),
        ("ln at 4", slope(Number::log, 4.0), 0.25),
        ("sqrt at 4", slope(Number::sqrt, 4.0), 0.25),
        ("rsqrt at 4", slope(Number::rsqrt, 4.0), -0.0625),
        ("tanh at 0", slope(Number::tanh, 0.0), 1.0),
        ("logistic at 0", slope(Number::logistic, 0.0), 0.25),
        ("cos at 1/2", slope(Number::cosine, 0.5), -sine),
        ("sin at 1/2", slope(Number::sine, 0.5), cosine),
        ("|x| at -3", slope(Number::abs, -3.0), -1.0),
        ("|x| at 0", slope(Number::abs, 0.0), 0.0),
        ("cbrt at 8", slope(Number::cbrt, 8.0), 1.0 / 12.0),
        (
            "e^x - 1 at 1",
            slope(Number::exponential_minus_one, 1.0),
            std::f64::consts::E,
        ),
        ("ln (1 + x) at 3", slope(Number::log_plus_one, 3.0), 0.25),
        (
            "tan at pi/4",
            slope(Number::tan, std::f64::consts::FRAC_PI_4),
            2.0,
        ),
        (
            "x^3 at -2",
            slope(|x| x.power(Dual::from_f64(3.0)), -2.0),
            12.0,
        ),
        (
            "x^0 at 0",
            slope(|x| x.power(Dual::from_f64(0.0)), 0.0),
            0.0,
        ),
        ("x^x at 1", slope(|x| x.power(x), 1.0), 1.0),
        // The angle of (1, x) and of (x, 1) at 2: 1 / 5 and -1 / 5.
        (
            "angle of (1, x) at 2",
            slope(|x| x.atan2(Dual::from_f64(1.0)), 2.0),
            0.2,
        ),
        (
            "7.5 modulo x at -2",
            slope(|x| Dual::from_f64(7.5).remainder(x), -2.0),
            3.0,
        ),
        ("x^3 / (1 + x) at 1", slope(cubic, 1.0), 1.25),
        ("max(x, x^2) at 3", slope(|x| x.maximum(x * x), 3.0), 6.0),
    ];
    for (name, found, expected) in cases {
        assert!(
            (found - expected).abs() < 1e-15,
            "{name}: {found} is not {expected}"
        );
    }
}

/// x^3 / (1 + x), whose derivative is (3 x^2 (1 + x) - x^3) / (1 + x)^2.
fn cubic(x: Dual<f64>) -> Dual<f64> {
    x * x * x / (Dual::from_f64(1.0) + x)
}

#[test]
fn duals_nest() {
    let inner = Dual {
        value: 3.0,
        tangent: 1.0,
    };
    let x = Dual {
        value: inner,
        tangent: Dual::constant(1.0),
    };
    // x^3 at 3: 27, 27, 18.
    let cube = x * x * x;
    assert_eq!(cube.value.value, 27.0);
    assert_eq!(cube.tangent.value, 27.0);
    assert_eq!(cube.tangent.tangent, 18.0);
}

#[test]
fn duals_over_the_field_differentiate_exactly() {
    let x = Dual {
        value: Exact::new(Prime::new(5), 0.5),
        tangent: Exact::new(Prime::ONE, 1.0),
    };
    // (1 / x)' = -1 / x^2
    let inverse = Dual::from_f64(1.0) / x;
    let square = Prime::new(25);
    assert_eq!((inverse.tangent.element * square), -Prime::ONE);
    // t' = 1 - t^2 and s' = s (1 - s) by the formulas in e.
    for (function, by_formula) in [
        (
            Dual::tanh as fn(Dual<Exact>) -> Dual<Exact>,
            tanh as fn(Dual<Exact>) -> Dual<Exact>,
        ),
        (Dual::logistic, logistic),
    ] {
        let (a, b) = (function(x), by_formula(x));
        assert_eq!(a.value.element, b.value.element);
        assert_eq!(a.tangent.element, b.tangent.element);
    }
}

fn tanh(x: Dual<Exact>) -> Dual<Exact> {
    let (e, inverse) = (x.exponential(), (-x).exponential());
    (e - inverse) / (e + inverse)
}

fn logistic(x: Dual<Exact>) -> Dual<Exact> {
    let one = Dual::from_f64(1.0);
    one / (one + (-x).exponential())
}

#[test]
fn f32_rounds_after_every_operation() {
    // 2^24 + 1 is no f32.
    let large = 16_777_216.0f32;
    assert_eq!(Number::maximum(large + 1.0, 0.0), large);
    assert_eq!(f32::from_integer(16_777_217), large);
    assert_eq!(
        <f32 as Number>::from_f64(0.1).shadow(),
        0.100_000_001_490_116_12
    );
    assert!(f32::holds(ElementType::F32) && !f32::holds(ElementType::F64));
    assert!(f64::holds(ElementType::F32) && f64::holds(ElementType::F64));
}
