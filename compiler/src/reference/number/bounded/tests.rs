use crate::reference::number::{Number, Prime};

type Bounded = super::Bounded<2>;

/// Half the distance from 1 to the next f64.
const ROUNDOFF: f64 = f64::EPSILON / 2.0;

fn real<const W: usize>(value: f64) -> super::Bounded<W> {
    Number::from_f64(value)
}

/// Any element, a shadow and its bound.
fn number(element: u64, shadow: f64, bound: f64) -> Bounded {
    Bounded::new(Prime::new(element), shadow, bound)
}

#[test]
fn what_f64_holds_exactly_has_no_bound() {
    let x: Bounded = real(3.0) * real(-7.0) + real(0.5);
    assert_eq!((x.shadow(), x.error()), (-20.5, 0.0));
    let x: Bounded = real(1.0) - real(0.25);
    assert_eq!(x.error(), 0.0);
}

/// 0.1 + 0.2 rounds to 0.30000000000000004441; the f64s 0.1 and 0.2 add up
/// to 0.3000000000000000166533453694, 2.776e-17 less.
#[test]
fn a_rounded_sum_carries_its_error() {
    let sum: Bounded = real(0.1) + real(0.2);
    assert!(
        (sum.error() - 2.775_557_561_562_891e-17).abs() < 1e-30,
        "{}",
        sum.error()
    );
}

/// The product of the f64 0.1 with itself is 0.01 + 1.1102e-18 + 3.08e-35,
/// and the nearest f64 lies 8.3267e-19 from it.
#[test]
fn a_rounded_product_carries_its_error() {
    let product: Bounded = real(0.1) * real(0.1);
    assert!(
        (8.326e-19..8.328e-19).contains(&product.error()) && product.error() <= 0.01 * ROUNDOFF,
        "{}",
        product.error()
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
            assert!(error <= bounded.error(), "{error} > {}", bounded.error());
            assert!(
                bounded.error() < 4.0 * error,
                "{} is far more than {error}",
                bounded.error()
            );
        }
    }
}

#[test]
fn division_by_what_may_be_zero_knows_nothing() {
    let quotient: Bounded = real(1.0) / number(3, 0.5, 0.5);
    assert_eq!(quotient.error(), f64::INFINITY);
    assert!(quotient.undecided(real(1e300)));
}

/// Across a pole, at a jump and at an end of the domain nothing, or no more
/// than the height of the jump, is known.
#[test]
fn bounds_at_jumps_and_poles() {
    assert_eq!(Number::tan(number(1, 1.5, 0.25)).error(), f64::INFINITY);
    let negative = number(1, -1.0, 0.25);
    assert_eq!(negative.power(number(2, 0.5, 0.25)).error(), f64::INFINITY);
    assert!(negative.power(real(2.0)).error() < 1.0);
    let floor = |x: Bounded| x.step(f64::floor);
    assert_eq!(floor(number(1, 2.5, 0.25)), real(2.0));
    let jump = floor(number(1, 2.0, 1e-20)).error();
    assert!((1.0..1.01).contains(&jump), "{jump}");
    let seven: Bounded = real(7.0);
    assert_eq!(seven.remainder(real(4.0)).error(), 0.0);
    let three = number(1, 7.0, 0.25).remainder(real(4.0));
    assert_eq!((three.shadow(), three.error() > 0.24), (3.0, true));
    assert!(three.error() < 0.26, "{}", three.error());
    let at_jump = number(1, 8.0, 0.25).remainder(real(4.0));
    assert_eq!(at_jump.error(), f64::INFINITY);
    let behind = Number::atan2(number(1, 0.0, 0.125), real(-1.0));
    assert!(behind.error() > 6.0);
    let before = Number::atan2(number(1, 0.0, 0.125), real(1.0));
    assert!(
        (0.125..0.15).contains(&before.error()),
        "{}",
        before.error()
    );
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
    let larger = a.maximum(b);
    assert_eq!((larger.element(), larger.shadow()), (Prime::ONE, 1.0));
    // 0.25 to 1.25, seen from 1.
    assert!((0.75..0.76).contains(&larger.error()), "{larger:?}");
    assert_eq!(a.maximum(number(2, 0.25, 0.125)), a);
    assert_eq!(a.minimum(number(2, 0.25, 0.125)), number(2, 0.25, 0.125));
}

/// 0 * x^9 is 0 whatever x is; -inf is below all numbers, and below nothing that
/// is not known.
#[test]
fn what_zero_and_infinity_make() {
    let x = number(7, 3.0, 0.5);
    assert_eq!((x * real(0.0)).error(), 0.0);
    let lowest: Bounded = real(f64::NEG_INFINITY);
    assert_eq!(lowest.error(), 0.0);
    let shadow_and_error = |x: Bounded| (x.shadow(), x.error());
    assert_eq!(shadow_and_error(lowest.exponential()), (0.0, 0.0));
    assert_eq!(shadow_and_error(Number::tanh(lowest)), (-1.0, 0.0));
    assert_eq!((real(1.0) / lowest).error(), 0.0);
    assert_eq!(lowest.maximum(x), x);
    assert!(lowest.undecided(number(2, 0.0, f64::INFINITY)));
    assert!((lowest + x).undecided(x));
    assert!(!lowest.undecided(real(f64::INFINITY)));
}

/// The shadow of (1 + 2^-60) - 1 is 0, and the real number is known to the last
/// bit: the shadow does not decide as it does.
#[test]
fn a_shadow_that_decides_wrongly_is_undecided() {
    let least = 2f64.powi(-60);
    let lost = number(1, 1.0, 0.0) + real(least) - real(1.0);
    assert_eq!(lost.shadow(), 0.0);
    assert!((least..1.01 * least).contains(&lost.error()), "{lost:?}");
    assert!(lost.undecided(real(0.0)));
    assert!(!lost.undecided(real(-1e-30)));
    assert!(lost.undecided(real(least / 2.0)));
    // |x| of an x whose shadow has the wrong sign.
    let wrong = lost + real(-0.5 * least);
    assert_eq!(wrong.shadow(), -0.5 * least);
    let size = Number::abs(wrong);
    assert_eq!((size.shadow(), size.error()), (0.5 * least, 0.0));
}

/// The square of the root of 2 is 2, but no number of bits shows it.
#[test]
fn a_tie_that_is_not_exact_stays_undecided() {
    fn square<const W: usize>() -> super::Bounded<W> {
        let root = Number::sqrt(real::<W>(2.0));
        root * root
    }
    assert!(square::<2>().undecided(real(2.0)));
    assert!(square::<4>().undecided(real(2.0)));
    assert!(square::<8>().undecided(real(2.0)));
    assert!(!square::<8>().undecided(real(2.0 + 1e-15)));
}

/// x is 5.5 x - 4.5 x, and each time its bound is ten times what it was: after
/// 30 times 64 bits are not enough, after 60 times 128 are not.
#[test]
fn a_long_chain_needs_more_bits() {
    fn decided<const W: usize>(times: usize) -> bool {
        let mut x = real::<W>(0.1) / real(3.0);
        for _ in 0..times {
            x = x * real(5.5) - x * real(4.5);
        }
        // The shadow errs by a few units in the 17th digit each time.
        assert!((x.shadow() - 0.1 / 3.0).abs() < 1e-3);
        !x.undecided(real(0.01)) && !real(0.05).undecided(x)
    }
    assert!(decided::<1>(10));
    assert!(!decided::<1>(30) && decided::<2>(30));
    assert!(!decided::<2>(60) && decided::<4>(60));
    assert!(!decided::<4>(120) && decided::<8>(120));
}
