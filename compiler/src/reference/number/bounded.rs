//! Field elements led by real values that know how wrong they may be.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::{Exact, Number, Prime};
use crate::stablehlo::ElementType;

/// Half the distance from 1 to the next f64: the largest relative error of one
/// rounding.
const ROUNDOFF: f64 = f64::EPSILON / 2.0;
/// Relative error granted to the elementary functions of the platform.
const FUNCTION: f64 = 4.0 * ROUNDOFF;
/// Makes up for the rounding of the bounds themselves.
const UP: f64 = 1.0 + 8.0 * f64::EPSILON;

/// An [`Exact`] number with a bound on the error of its shadow: the real value
/// of the formula lies in `shadow - bound ..= shadow + bound`.
///
/// Sums and products that f64 holds exactly add nothing to the bound, so that
/// small integers stay exact. A decision is made by the shadows, as always; it
/// is [`undecided`](Bounded::undecided) if the bounds allow the other outcome
/// and the two field elements do not say that both sides are the same formula.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounded {
    /// The element and its shadow.
    pub exact: Exact,
    /// Largest absolute error of the shadow; infinite where nothing is known.
    pub bound: f64,
}

impl Bounded {
    /// A number whose shadow is known to within `bound`.
    pub fn new(element: Prime, shadow: f64, bound: f64) -> Self {
        Bounded {
            exact: Exact::new(element, shadow),
            bound,
        }
    }

    /// The field element.
    pub fn element(self) -> Prime {
        self.exact.element
    }

    /// Whether the real values may compare otherwise than the shadows do:
    /// they are closer than their bounds, or not known at all, and the field
    /// elements differ, so that they are different formulas.
    pub fn undecided(self, other: Self) -> bool {
        if self.exact.element == other.exact.element {
            return false;
        }
        let (a, b) = (self.exact.shadow, other.exact.shadow);
        let reach = self.bound + other.bound;
        if a == b {
            return reach > 0.0;
        }
        // NaN, a shadow that is not known, is far from nothing.
        let distance = (a - b).abs();
        distance.is_nan() || distance <= reach
    }

    fn with(self, exact: Exact, bound: f64) -> Self {
        let bound = bound * UP;
        Bounded {
            exact,
            bound: if bound.is_nan() { f64::INFINITY } else { bound },
        }
    }

    /// A function with this slope at most between the two ends of the range.
    fn function(self, exact: Exact, slope: f64) -> Self {
        let spread = if self.bound == 0.0 {
            0.0
        } else {
            slope * self.bound
        };
        self.with(exact, spread + FUNCTION * exact.shadow.abs())
    }

    /// The winner of a maximum or minimum against the loser.
    fn winner(self, other: Self, chosen: Exact) -> Self {
        let own = chosen == self.exact;
        let bound = match (self.undecided(other), own) {
            (true, _) => self.bound.max(other.bound),
            (false, true) => self.bound,
            (false, false) => other.bound,
        };
        Bounded {
            exact: chosen,
            bound,
        }
    }
}

/// The rounding error of a + b, exactly (Knuth).
fn sum_error(a: f64, b: f64, sum: f64) -> f64 {
    let kept = sum - a;
    ((a - (sum - kept)) + (b - kept)).abs()
}

impl Add for Bounded {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let exact = self.exact + other.exact;
        let error = sum_error(self.exact.shadow, other.exact.shadow, exact.shadow);
        self.with(exact, self.bound + other.bound + error)
    }
}

impl Sub for Bounded {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Bounded {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let exact = self.exact * other.exact;
        let (a, b) = (self.exact.shadow, other.exact.shadow);
        let mut error = a.mul_add(b, -exact.shadow).abs();
        if exact.shadow == 0.0 && a != 0.0 && b != 0.0 {
            error = f64::MIN_POSITIVE;
        }
        if self.bound > 0.0 || other.bound > 0.0 {
            error += (a.abs() + self.bound) * other.bound + b.abs() * self.bound;
        }
        self.with(exact, error)
    }
}

impl Div for Bounded {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let exact = self.exact / other.exact;
        let least = other.exact.shadow.abs() - other.bound;
        if least.is_nan() || least <= 0.0 {
            return self.with(exact, f64::INFINITY);
        }
        let spread = (self.bound + exact.shadow.abs() * other.bound) / least;
        self.with(exact, spread + ROUNDOFF * exact.shadow.abs())
    }
}

impl Neg for Bounded {
    type Output = Self;
    fn neg(self) -> Self {
        Bounded {
            exact: -self.exact,
            bound: self.bound,
        }
    }
}

impl Number for Bounded {
    fn holds(element: ElementType) -> bool {
        Exact::holds(element)
    }

    fn from_f64(value: f64) -> Self {
        Bounded {
            exact: Exact::from_f64(value),
            bound: 0.0,
        }
    }

    fn from_integer(value: i128) -> Self {
        let exact = Exact::from_integer(value);
        let lost = value.unsigned_abs() > 1 << 53;
        let bound = if lost {
            ROUNDOFF * exact.shadow.abs()
        } else {
            0.0
        };
        Bounded { exact, bound }
    }

    fn shadow(self) -> f64 {
        self.exact.shadow
    }

    fn exponential(self) -> Self {
        let exact = self.exact.exponential();
        self.function(exact, (self.exact.shadow + self.bound).exp())
    }

    fn log(self) -> Self {
        let exact = self.exact.log();
        let least = (self.exact.shadow - self.bound).max(0.0);
        self.function(exact, 1.0 / least)
    }

    fn sqrt(self) -> Self {
        let exact = Number::sqrt(self.exact);
        let least = (self.exact.shadow - self.bound).max(0.0);
        self.function(exact, 0.5 / least.sqrt())
    }

    fn rsqrt(self) -> Self {
        let exact = self.exact.rsqrt();
        let least = (self.exact.shadow - self.bound).max(0.0);
        self.function(exact, 0.5 / (least * least.sqrt()))
    }

    fn tanh(self) -> Self {
        self.function(Number::tanh(self.exact), 1.0)
    }

    fn logistic(self) -> Self {
        self.function(self.exact.logistic(), 0.25)
    }

    fn cosine(self) -> Self {
        self.function(self.exact.cosine(), 1.0)
    }

    fn sine(self) -> Self {
        self.function(self.exact.sine(), 1.0)
    }

    fn maximum(self, other: Self) -> Self {
        self.winner(other, self.exact.maximum(other.exact))
    }

    fn minimum(self, other: Self) -> Self {
        self.winner(other, self.exact.minimum(other.exact))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let cases: [Case; 6] = [
            (x * x, |v| v * v),
            (x / number(7, 4.0, 0.5), |v| {
                v / if v < 2.0 { 4.5 } else { 3.5 }
            }),
            (x.exponential(), f64::exp),
            (Number::log(x), f64::ln),
            (Number::sqrt(x), f64::sqrt),
            (x.rsqrt(), |v| 1.0 / v.sqrt()),
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
}
