//! Field elements led by real values that know how wrong they may be.

mod functions;
#[cfg(test)]
mod tests;

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::{Exact, Prime};

/// Half the distance from 1 to the next f64: the largest relative error of one
/// rounding.
const ROUNDOFF: f64 = f64::EPSILON / 2.0;
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
