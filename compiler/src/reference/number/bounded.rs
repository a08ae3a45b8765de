//! Field elements led by real values that know how wrong they may be.

mod functions;
#[cfg(test)]
mod tests;

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::ball::Ball;
use super::{Exact, Number, Prime};

/// An [`Exact`] number, and beside it the real value of the formula to within a
/// bound, by arithmetic of `W` words of 64 bits.
///
/// A decision is made by the shadows, as always. It is
/// [`undecided`](Bounded::undecided) unless the real values are known to decide
/// the same way, or the two field elements say that both sides are the same
/// formula. The bound is of the worst case: through each layer of a network it
/// grows by about the sum of the absolute weights of a cell, which is why the
/// words are needed. Sums and products that `W` words hold exactly add nothing
/// to it, so that small integers stay exact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounded<const W: usize> {
    /// The element and its shadow.
    pub exact: Exact,
    /// The real value; unknown where the shadow is not finite.
    real: Ball<W>,
}

impl<const W: usize> Bounded<W> {
    /// A number whose shadow is known to within `bound`.
    pub fn new(element: Prime, shadow: f64, bound: f64) -> Self {
        Bounded {
            exact: Exact::new(element, shadow),
            real: Ball::near(shadow, bound),
        }
    }

    /// The field element.
    pub fn element(self) -> Prime {
        self.exact.element
    }

    /// The largest distance of the real value from the shadow; infinite where
    /// nothing is known.
    pub fn error(self) -> f64 {
        if self.is_infinity() {
            return 0.0;
        }
        (self.real - Ball::exact(self.exact.shadow)).above()
    }

    /// Whether the real values may compare otherwise than the shadows do, and
    /// the field elements differ, so that they are different formulas.
    pub fn undecided(self, other: Self) -> bool {
        if self.exact.element == other.exact.element {
            return false;
        }
        if self.is_infinity() || other.is_infinity() {
            let known = |x: Self| x.is_infinity() || x.real.is_known();
            return !known(self) || !known(other);
        }
        let order = self.exact.shadow.partial_cmp(&other.exact.shadow);
        order.is_none() || (self.real - other.real).sign() != order
    }

    /// Whether it is one of the infinities themselves, and not a number whose
    /// shadow is too large.
    fn is_infinity(self) -> bool {
        self.exact.shadow.is_infinite() && self.exact == Exact::from_f64(self.exact.shadow)
    }

    #[inline(always)]
    fn with(exact: Exact, real: Ball<W>) -> Self {
        let known = exact.shadow.is_finite();
        Bounded {
            exact,
            real: if known { real } else { Ball::UNKNOWN },
        }
    }
}

impl<const W: usize> Add for Bounded<W> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::with(self.exact + other.exact, self.real + other.real)
    }
}

impl<const W: usize> Sub for Bounded<W> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::with(self.exact - other.exact, self.real - other.real)
    }
}

impl<const W: usize> Mul for Bounded<W> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self::with(self.exact * other.exact, self.real * other.real)
    }
}

impl<const W: usize> Div for Bounded<W> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let exact = self.exact / other.exact;
        if other.is_infinity() && self.real.is_known() {
            return Self::with(exact, Ball::exact(0.0));
        }
        Self::with(exact, self.real / other.real)
    }
}

impl<const W: usize> Neg for Bounded<W> {
    type Output = Self;
    fn neg(self) -> Self {
        Bounded {
            exact: -self.exact,
            real: -self.real,
        }
    }
}
