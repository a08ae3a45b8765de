use super::{Bounded, ROUNDOFF};
use crate::reference::number::{Number, Prime};

fn real(value: f64) -> Bounded {
    Bounded::from_f64(value)
}

/// Any element, a shadow and its bound.
fn number(element: u64, shadow: f64, bound: f64) -> Bounded {
    Bounded::new(Prime::new(element), shadow, bound)
}

#[test]
fn what_f64_holds_exactly_has_no_bound() {
    let x = real(3.0) * real(-7.0) + real(0.5);
    assert_eq!((x.shadow(), x.bound), (-20.5, 0.0));
    assert_eq!((real(1.0) - real(0.25)).bound, 0.0);
}

/// 0.1 + 0.2 rounds to 0.30000000000000004441; the f64s 0.1 and 0.2 add up
/// to 0.3000000000000000166533453694, 2.776e-17 less.
#[test]
fn a_rounded_sum_carries_its_error() {
    let sum = real(0.1) + real(0.2);
    assert!(
        (sum.bound - 2.775_557_561_562_891e-17).abs() < 1e-30,
        "{}",
        sum.bound
    );
}

/// The product of the f64 0.1 with itself is 0.01 + 1.1102e-18 + 3.08e-35,
/// and the nearest f64 lies 8.2e-19 from it; two roundings of 1 ulp each
/// are 1.7e-18.
#[test]
fn a_rounded_product_carries_its_error() {
    let product = real(0.1) * real(0.1);
    assert!(
        product.bound > 0.0 && product.bound <= 0.01 * ROUNDOFF * 1.01 * 1.74,
        "{}",
        product.bound
    );
}

#[test]
fn bounds_cover_the_ends_of_the_range() {
    let x = number(5, 2.0, 0.125);
    let ends = [1.875, 2.125];
    type Case = (Bounded, fn(f64) -> f64);
    let cases: [Case; 11] = [
        (x * x, |v| v * v),
        (x / number(7, 4.0, 0.5), |v| {
            v / if v < 2.0 { 4.5 } else { 3.5 }
        }),
        (x.exponential(), f64::exp),
        (Number::log(x), f64::ln),
        (Number::sqrt(x), f64::sqrt),
        (x.rsqrt(), |v| 1.0 / v.sqrt()),
        (x.exponential_minus_one(), f64::exp_m1),
        (x.log_plus_one(), f64::ln_1p),
        (Number::cbrt(x), f64::cbrt),
        (Number::tan(x), f64::tan),
        (x.power(real(2.5)), |v| v.powf(2.5)),
    ];
    for (bounded, function) in cases {
        for end in ends {
            let error = (function(end) - bounded.shadow()).abs();
            assert!(error <= bounded.bound, "{error} > {}", bounded.bound);
            assert!(
                bounded.bound < 4.0 * error,
                "{} is far more than {error}",
                bounded.bound
            );
        }
    }
}

#[test]
fn division_by_what_may_be_zero_knows_nothing() {
    let quotient = real(1.0) / number(3, 0.5, 0.5);
    assert_eq!(quotient.bound, f64::INFINITY);
    assert!(quotient.undecided(real(1e300)));
}

/// Across a pole, at a jump and at an end of the domain nothing, or no more
/// than the height of the jump, is known.
#[test]
fn bounds_at_jumps_and_poles() {
    assert_eq!(Number::tan(number(1, 1.5, 0.25)).bound, f64::INFINITY);
    let negative = number(1, -1.0, 0.25);
    assert_eq!(negative.power(number(2, 0.5, 0.25)).bound, f64::INFINITY);
    assert!(negative.power(real(2.0)).bound < 1.0);
    let floor = |x: Bounded| x.step(f64::floor);
    assert_eq!(floor(number(1, 2.5, 0.25)), real(2.0));
    assert_eq!(floor(number(1, 2.0, 1e-20)).bound, 1.0);
    assert_eq!(real(7.0).remainder(real(4.0)).bound, 0.0);
    let three = number(1, 7.0, 0.25).remainder(real(4.0));
    assert_eq!((three.shadow(), three.bound > 0.24), (3.0, true));
    assert!(three.bound < 0.26, "{}", three.bound);
    let at_jump = number(1, 8.0, 0.25).remainder(real(4.0));
    assert_eq!(at_jump.bound, f64::INFINITY);
    let behind = Number::atan2(number(1, 0.0, 0.125), real(-1.0));
    assert!(behind.bound > 6.0);
    let before = Number::atan2(number(1, 0.0, 0.125), real(1.0));
    assert!((0.125..0.15).contains(&before.bound), "{}", before.bound);
}

#[test]
fn decisions_within_the_bound_are_undecided() {
    let a = number(1, 1.0, 0.25);
    assert!(a.undecided(number(2, 1.5, 0.25)));
    assert!(!a.undecided(number(2, 1.5, 0.125)));
    // The same formula ties with itself.
    assert!(!a.undecided(number(1, 1.0, 0.25)));
    // An exact tie of different formulas is decided: they are equal.
    assert!(!number(1, 1.0, 0.0).undecided(number(2, 1.0, 0.0)));
    assert!(number(1, 1.0, 0.0).undecided(number(2, 1.0, 1e-20)));
    let lowest = real(f64::NEG_INFINITY);
    assert!(!a.undecided(lowest));
    assert!(number(2, f64::NAN, 0.0).undecided(a));
}

#[test]
fn an_undecided_maximum_may_be_either() {
    let (a, b) = (number(1, 1.0, 0.25), number(2, 0.75, 0.5));
    assert_eq!(a.maximum(b), number(1, 1.0, 0.5));
    assert_eq!(a.maximum(number(2, 0.25, 0.125)), a);
    assert_eq!(a.minimum(number(2, 0.25, 0.125)), number(2, 0.25, 0.125));
}
