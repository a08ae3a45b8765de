use proptest::prelude::*;

use super::Ball;
use crate::reference::number::wide::Wide;

impl<const W: usize> Ball<W> {
    /// Whether all of the other ball lies in this one; it may stick out by its
    /// own width, which is next to nothing.
    fn holds<const V: usize>(&self, other: &Ball<V>) -> bool {
        let apart = Ball::<8>::from(self) - Ball::<8>::from(other);
        apart.below() <= 0.0
    }
}

impl Ball<8> {
    fn from<const W: usize>(ball: &Ball<W>) -> Self {
        Ball {
            mid: Wide::widened_from(&ball.mid),
            bound: ball.bound,
        }
    }
}

/// A decimal number from 0 to 10, to within one in its 54th digit.
fn decimal<const W: usize>(text: &str) -> Ball<W> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    assert!(text.as_bytes()[1] == b'.' && digits.len() >= 55, "{text}");
    let part = |from: usize, to: usize| Ball::integer(digits[from..to].parse().unwrap());
    let scale = Ball::integer(10i128.pow(27));
    let tail = part(28, 55) / scale;
    ((part(1, 28) + tail) / scale + part(0, 1)).widened(1e-54)
}

/// The digits are those of mpmath 1.3 with `mp.dps = 60`, as
/// `nstr(value, 56)` prints them.
fn known<const W: usize>(accuracy: f64) {
    let one = Ball::<W>::exact(1.0);
    let two = Ball::<W>::exact(2.0);
    let half = Ball::<W>::exact(0.5);
    let cases = [
        (
            "sqrt 2",
            two.sqrt(),
            "1.414213562373095048801688724209698078569671875376948073",
        ),
        (
            "rsqrt 2",
            two.rsqrt(),
            "0.7071067811865475244008443621048490392848359376884740366",
        ),
        (
            "cbrt 2",
            two.cbrt(),
            "1.25992104989487316476721060727822835057025146470150798",
        ),
        (
            "e",
            one.exp(),
            "2.718281828459045235360287471352662497757247093699959575",
        ),
        (
            "e^(1/2) - 1",
            half.exp_m1(),
            "0.6487212707001281468486507878141635716537761007101480116",
        ),
        (
            "ln 2",
            two.ln(),
            "0.6931471805599453094172321214581765680755001343602552541",
        ),
        (
            "ln 10",
            Ball::exact(10.0).ln(),
            "2.302585092994045684017991454684364207601101488628772976",
        ),
        (
            "ln 1.5",
            half.ln_1p(),
            "0.4054651081081643819780131154643491365719904234624941976",
        ),
        (
            "tanh 1",
            one.tanh(),
            "0.7615941559557648881194582826047935904127685972579365516",
        ),
        (
            "logistic 1",
            one.logistic(),
            "0.7310585786300048792511592418218362743651446401650565193",
        ),
        (
            "sin 1",
            one.sin_cos().0,
            "0.8414709848078965066525023216302989996225630607983710657",
        ),
        (
            "cos 1",
            one.sin_cos().1,
            "0.5403023058681397174009366074429766037323104206179222277",
        ),
        (
            "-sin 100",
            -Ball::exact(100.0).sin_cos().0,
            "0.5063656411097587936565576104597854320650327212906573234",
        ),
        (
            "tan 1",
            one.tan(),
            "1.557407724654902230506974807458360173087250772381520038",
        ),
        (
            "atan 1/2",
            half.atan2(one, 1.0),
            "0.4636476090008061162142562314612144020285370542861202638",
        ),
        (
            "angle of (-2, 1)",
            one.atan2(-two, 1.0),
            "2.677945044588987122248387151818288482168632345088985557",
        ),
        (
            "2^1.5",
            two.power(Ball::exact(1.5)),
            "2.828427124746190097603377448419396157139343750753896146",
        ),
        (
            "1 / 3",
            one / Ball::exact(3.0),
            "0.3333333333333333333333333333333333333333333333333333333",
        ),
    ];
    for (name, found, expected) in cases {
        let expected = decimal::<W>(&format!("{expected:0<56}"));
        let apart = found - expected;
        assert!(
            apart.below() <= 0.0,
            "{name}: {found:?} is not {expected:?}"
        );
        assert!(found.bound <= accuracy, "{name} to within {}", found.bound);
        assert!(
            apart.above() <= 2.0 * (accuracy + 2e-54),
            "{name}: {apart:?}"
        );
    }
}

/// 2^-128 is 2.9e-39, 2^-256 is 8.6e-78, 2^-512 is 7.5e-155.
#[test]
fn functions_by_known_digits() {
    known::<2>(1e-36);
    known::<4>(1e-74);
    known::<8>(1e-151);
}

#[test]
fn inverse_functions_by_each_other() {
    let close = |a: Ball<8>, b: Ball<8>| {
        let apart = a - b;
        let most = 1e-148 * (1.0 + b.above());
        assert!(apart.below() == 0.0 && apart.above() < most, "{a:?} {b:?}");
    };
    for x in [0.1, 0.75, 1.0, 3.3, 17.0].map(Ball::<8>::exact) {
        close(x.ln().exp(), x);
        close(x.exp().ln(), x);
        close(x.sqrt() * x.sqrt(), x);
        close(x.cbrt().power(Ball::exact(3.0)), x);
        close(x.exp_m1().ln_1p(), x);
        let (sine, cosine) = x.sin_cos();
        close(sine * sine + cosine * cosine, Ball::exact(1.0));
        close(sine.atan2(cosine, 1.0).tan(), x.tan());
        let one = Ball::exact(1.0);
        let square = (x + x).exp();
        close(x.tanh() * (square + one), square - one);
        close(x.logistic() + (-x).logistic(), one);
    }
}

#[test]
fn what_is_exact_stays_exact() {
    let exact = Ball::<2>::exact;
    assert_eq!(exact(0.0).exp(), exact(1.0));
    assert_eq!(exact(1.0).ln(), exact(0.0));
    assert_eq!(exact(0.0).tanh(), exact(0.0));
    assert_eq!(exact(0.5) * exact(0.0), exact(0.0));
    assert_eq!(Ball::<2>::near(0.5, 0.1) * exact(0.0), exact(0.0));
    assert_eq!(exact(3.0).power(exact(4.0)), exact(81.0));
    assert_eq!(exact(2.0).power(exact(-3.0)), exact(0.125));
    assert_eq!(exact(7.0).power(exact(0.0)), exact(1.0));
    assert_eq!(exact(0.0).power(exact(0.5)), exact(0.0));
    assert_eq!(Ball::<2>::integer(-5), exact(-5.0));
    assert_eq!(Ball::<2>::integer(1 << 100), exact(2f64.powi(100)));
}

/// Outside of a domain, beyond what is held, and over what may be 0.
#[test]
fn what_is_not_known() {
    let near = Ball::<2>::near;
    for ball in [
        Ball::exact(f64::NAN),
        near(f64::INFINITY, 0.0),
        near(-1.0, 0.5).sqrt(),
        near(0.1, 0.2).ln(),
        near(0.0, 0.0).ln(),
        near(1.0, 0.0) / near(0.1, 0.2),
        near(1.0, 0.0) / near(0.0, 0.0),
        near(1e6, 0.0).exp(),
        near(1.5, 0.25).tan(),
        near(-1.0, 0.0).power(near(0.5, 0.0)),
        near(-1.0, 0.25).power(near(2.0, 0.25)),
    ] {
        assert!(!ball.is_known(), "{ball:?}");
    }
    let nothing = near(-1e6, 0.0).exp();
    assert!(nothing.above() <= 1e-307, "{nothing:?}");
    let behind = near(0.0, 0.125).atan2(near(-1.0, 0.0), 1.0);
    assert!(behind.above() > 6.0, "{behind:?}");
    // Numbers that no f64 reaches.
    let huge = near(2f64.powi(1000), 0.0).power(near(4.0, 0.0));
    assert_eq!(huge.above(), f64::INFINITY);
    assert!((near(1.0, 0.0) / huge).above() <= 1e-307);
}

type Function = fn(Ball<2>) -> Ball<2>;
type Wider = fn(Ball<8>) -> Ball<8>;

proptest! {
    /// What 512 bits find at any point of a ball lies in what 128 bits find of
    /// the ball, and the bound is not far more than the slope makes of it.
    #[test]
    fn functions_hold_all_values_of_their_argument(
        x in prop_oneof![-20.0..-0.01, 0.01..20.0f64],
        bound in prop_oneof![Just(0.0), Just(1e-30), 1e-12..0.02f64],
        part in -1.0..1.0f64,
    ) {
        let functions: [(&str, Function, Wider); 13] = [
            ("exp", Ball::exp, Ball::exp),
            ("exp_m1", Ball::exp_m1, Ball::exp_m1),
            ("ln", |x| (x * x).ln(), |x| (x * x).ln()),
            ("ln_1p", |x| (x * x).ln_1p(), |x| (x * x).ln_1p()),
            ("sqrt", |x| (x * x).sqrt(), |x| (x * x).sqrt()),
            ("rsqrt", |x| (x * x).rsqrt(), |x| (x * x).rsqrt()),
            ("cbrt", Ball::cbrt, Ball::cbrt),
            ("tanh", Ball::tanh, Ball::tanh),
            ("logistic", Ball::logistic, Ball::logistic),
            ("sine", |x| x.sin_cos().0, |x| x.sin_cos().0),
            ("cosine", |x| x.sin_cos().1, |x| x.sin_cos().1),
            ("tan", Ball::tan, Ball::tan),
            (
                "atan2",
                |x| x.atan2(Ball::exact(1.0) + x * x, 1.0),
                |x| x.atan2(Ball::exact(1.0) + x * x, 1.0),
            ),
        ];
        let ball = Ball::<2>::near(x, bound);
        let point = Ball::<8>::exact(x) + Ball::exact(part) * Ball::exact(bound);
        for (name, function, wider) in functions {
            let (found, value) = (function(ball), wider(point));
            prop_assert!(found.holds(&value), "{name}: {found:?} is not {value:?}");
            let middle = wider(Ball::exact(x));
            let slope = (wider(Ball::near(x, 1e-60)) - middle).above() * 1e60;
            if bound < 1e-20 {
                let most = 4.0 * slope * (bound + 1e-34) + 1e-34 * (1.0 + middle.above());
                prop_assert!(found.bound <= most, "{name}: {} > {most}", found.bound);
            }
        }
    }

    #[test]
    fn operations_hold_all_values_of_their_operands(
        a in -8.0..8.0f64, b in -8.0..8.0f64,
        a_bound in prop_oneof![Just(0.0), 0.0..0.5f64],
        b_bound in prop_oneof![Just(0.0), 0.0..0.5f64],
        parts in (-1.0..1.0f64, -1.0..1.0f64),
    ) {
        let (x, y) = (Ball::<2>::near(a, a_bound), Ball::<2>::near(b, b_bound));
        let point = |mid, part, bound| {
            Ball::<8>::exact(mid) + Ball::exact(part) * Ball::exact(bound)
        };
        let (p, q) = (point(a, parts.0, a_bound), point(b, parts.1, b_bound));
        prop_assert!((x + y).holds(&(p + q)));
        prop_assert!((x - y).holds(&(p - q)));
        prop_assert!((x * y).holds(&(p * q)));
        prop_assert!((x / y).holds(&(p / q)));
        prop_assert!(x.hull(y).holds(&p) && x.hull(y).holds(&q));
        let (low, high) = x.ends();
        prop_assert!((Ball::exact(low) - p).sign() != Some(std::cmp::Ordering::Greater));
        prop_assert!((Ball::exact(high) - p).sign() != Some(std::cmp::Ordering::Less));
        if let Some(sign) = x.sign() {
            prop_assert_eq!(p.sign(), Some(sign));
        }
    }
}
