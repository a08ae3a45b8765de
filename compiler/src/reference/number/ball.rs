//! Numbers of many words with a bound on their error.
//!
//! The midpoint-radius form of interval arithmetic (Rump, "Fast and parallel
//! interval arithmetic", BIT 39, 1999; Johansson, "Arb: efficient
//! arbitrary-precision midpoint-radius interval arithmetic", 2017): every
//! operation works on the midpoints, and bounds by how much its own rounding
//! and the errors of its operands may move the result.

mod constants;
mod functions;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

use super::wide::{Rounded, Wide, power_of_two};

/// Makes up for the rounding of bounds, of which none is computed in more than
/// a few dozen operations.
const UP: f64 = 1.0 + 64.0 * f64::EPSILON;
const DOWN: f64 = 1.0 - 64.0 * f64::EPSILON;
/// Numbers beyond two to this, or below its inverse, are not held.
const MOST_EXPONENT: u32 = 1 << 20;

/// A real number that is not further than `bound` from `mid`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ball<const W: usize> {
    mid: Wide<W>,
    /// Infinite where nothing is known.
    bound: f64,
}

impl<const W: usize> Ball<W> {
    /// Any number.
    pub const UNKNOWN: Self = Ball {
        mid: Wide::ZERO,
        bound: f64::INFINITY,
    };

    /// Exactly this number; any, unless it is finite.
    pub fn exact(value: f64) -> Self {
        Self::near(value, 0.0)
    }

    /// A number this close to a finite one.
    pub fn near(value: f64, bound: f64) -> Self {
        if !value.is_finite() || bound.is_nan() {
            return Self::UNKNOWN;
        }
        Ball {
            mid: Wide::from_f64(value),
            bound,
        }
    }

    /// An integer.
    pub fn integer(value: i128) -> Self {
        let size = value.unsigned_abs();
        let high = Ball::rounded((Wide::from_word((size >> 64) as u64).scaled(64), 0.0), 0.0);
        let sum = high + Ball::rounded((Wide::from_word(size as u64), 0.0), 0.0);
        if value < 0 { -sum } else { sum }
    }

    /// What an operation made, with what its operands add to its error.
    #[inline(always)]
    fn rounded((mid, error): Rounded<W>, spread: f64) -> Self {
        let bound = (error + spread) * UP;
        if bound.is_nan() || mid.exponent().unsigned_abs() > MOST_EXPONENT {
            return Self::not_held(mid, bound);
        }
        Ball { mid, bound }
    }

    #[cold]
    fn not_held(mid: Wide<W>, bound: f64) -> Self {
        if bound.is_nan() || mid.exponent() > 0 {
            return Self::UNKNOWN;
        }
        Ball {
            mid: Wide::ZERO,
            bound: bound + f64::MIN_POSITIVE,
        }
    }

    /// The same number with so much more room for error.
    pub fn widened(self, more: f64) -> Self {
        Self::rounded((self.mid, self.bound), more)
    }

    /// The midpoint, as if it were exact.
    fn middle(self) -> Self {
        Ball {
            mid: self.mid,
            bound: 0.0,
        }
    }

    /// Whether it is exactly 0.
    pub fn is_zero(&self) -> bool {
        self.bound == 0.0 && self.mid.is_zero()
    }

    /// Whether anything is known.
    pub fn is_known(&self) -> bool {
        self.bound < f64::INFINITY
    }

    /// No absolute value is larger.
    pub fn above(&self) -> f64 {
        if self.bound == 0.0 {
            return self.mid.above();
        }
        (self.mid.above() + self.bound) * UP
    }

    /// No absolute value is smaller.
    pub fn below(&self) -> f64 {
        if self.bound == 0.0 {
            return self.mid.below();
        }
        ((self.mid.below() - self.bound) * DOWN).max(0.0)
    }

    /// An f64 that no value is below, and one that none is above.
    pub fn ends(&self) -> (f64, f64) {
        let (below, above) = (self.mid.below(), self.mid.above());
        let (low, high) = match self.mid.is_negative() {
            true => (-above, -below),
            false => (below, above),
        };
        if self.bound == 0.0 && Wide::from_f64(low) == self.mid {
            return (low, low);
        }
        if self.bound == 0.0 && Wide::from_f64(high) == self.mid {
            return (high, high);
        }
        (
            (low - self.bound).next_down(),
            (high + self.bound).next_up(),
        )
    }

    /// Any number of the two, around the midpoint of the first.
    pub fn hull(self, other: Self) -> Self {
        let apart = (self.middle() - other.middle()).above();
        let bound = self.bound.max((apart + other.bound) * UP);
        Self::rounded((self.mid, 0.0), bound)
    }

    /// How it compares with 0, if that is the same for all values.
    pub fn sign(&self) -> Option<Ordering> {
        if self.is_zero() {
            return Some(Ordering::Equal);
        }
        if self.bound > 0.0 && self.below() <= 0.0 {
            return None;
        }
        match self.mid.is_negative() {
            true => Some(Ordering::Less),
            false => Some(Ordering::Greater),
        }
    }

    /// Times a power of two.
    fn scaled(self, exponent: i32) -> Self {
        let bound = match self.bound {
            0.0 => 0.0,
            bound => bound * power_of_two(exponent) + f64::MIN_POSITIVE,
        };
        Self::rounded((self.mid.scaled(exponent), 0.0), bound)
    }

    /// The root; nothing of what may be negative.
    pub fn sqrt(self) -> Self {
        if self.is_zero() {
            return self;
        }
        if self.sign() != Some(Ordering::Greater) {
            return Self::UNKNOWN;
        }
        // The slope is 1/2 over the root.
        let spread = match self.bound {
            0.0 => 0.0,
            bound => 0.5 * bound / self.below().sqrt(),
        };
        Self::rounded(self.mid.root(), spread)
    }
}

impl<const W: usize> Add for Ball<W> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::rounded(self.mid.plus(other.mid), self.bound + other.bound)
    }
}

impl<const W: usize> Sub for Ball<W> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl<const W: usize> Mul for Ball<W> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let mid = self.mid.times(other.mid);
        if self.bound == 0.0 && other.bound == 0.0 {
            return Self::rounded(mid, 0.0);
        }
        if !self.is_known() || !other.is_known() {
            return Self::UNKNOWN;
        }
        if self.is_zero() || other.is_zero() {
            return Self::exact(0.0);
        }
        let mut spread = f64::MIN_POSITIVE;
        if self.bound > 0.0 {
            spread += other.mid.above() * self.bound;
        }
        if other.bound > 0.0 {
            spread += (self.mid.above() + self.bound) * other.bound;
        }
        Self::rounded(mid, spread)
    }
}

impl<const W: usize> Div for Ball<W> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        if !self.is_known() || matches!(other.sign(), None | Some(Ordering::Equal)) {
            return Self::UNKNOWN;
        }
        let quotient = self.mid.over(other.mid);
        if self.bound == 0.0 && other.bound == 0.0 {
            return Self::rounded(quotient, 0.0);
        }
        // x / y - m / n = (x - m) / y + (m / n) (n - y) / y
        let size = quotient.0.above() + quotient.1;
        let spread = (self.bound + size * other.bound) / other.below();
        Self::rounded(quotient, spread + f64::MIN_POSITIVE)
    }
}

impl<const W: usize> Neg for Ball<W> {
    type Output = Self;
    fn neg(self) -> Self {
        Ball {
            mid: -self.mid,
            bound: self.bound,
        }
    }
}
