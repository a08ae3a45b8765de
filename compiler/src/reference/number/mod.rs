//! What stands for a floating-point element.

mod ball;
mod bounded;
mod dual;
mod exact;
mod float;
mod prime;
#[cfg(test)]
mod tests;
mod wide;

pub use bounded::Bounded;
pub use dual::Dual;
pub use exact::Exact;
pub(crate) use exact::MOST_POWER;
pub use prime::Prime;

use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::stablehlo::{Direction, ElementType};

/// A number that can stand for the floating-point elements of a function.
///
/// Every decision (comparison, selection, rounding to an integer) is made by
/// [`Number::shadow`], the real value that the number stands for.
pub trait Number:
    Copy
    + Debug
    + PartialEq
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// Whether elements of this floating-point type can be represented.
    fn holds(element: ElementType) -> bool;
    /// The number that a constant stands for.
    fn from_f64(value: f64) -> Self;
    /// The number that an integer stands for.
    fn from_integer(value: i128) -> Self;
    /// The real value that decides.
    fn shadow(self) -> f64;
    /// e^x
    fn exponential(self) -> Self;
    /// e^x - 1
    fn exponential_minus_one(self) -> Self;
    /// ln x
    fn log(self) -> Self;
    /// ln (1 + x)
    fn log_plus_one(self) -> Self;
    /// x^(1/2)
    fn sqrt(self) -> Self;
    /// x^(-1/2)
    fn rsqrt(self) -> Self;
    /// x^(1/3), negative for negative x
    fn cbrt(self) -> Self;
    /// tanh x
    fn tanh(self) -> Self;
    /// 1 / (1 + e^-x)
    fn logistic(self) -> Self;
    /// cos x
    fn cosine(self) -> Self;
    /// sin x
    fn sine(self) -> Self;
    /// tan x
    fn tan(self) -> Self;
    /// x^y
    fn power(self, exponent: Self) -> Self;
    /// The angle of the point (x, y), where y is `self`.
    fn atan2(self, x: Self) -> Self;
    /// x - y times the integer part of x / y; its sign is that of x.
    fn remainder(self, divisor: Self) -> Self;

    /// A function that is constant between jumps, of which the shadow says on
    /// which piece the number is.
    fn step(self, function: fn(f64) -> f64) -> Self {
        Self::from_f64(function(self.shadow()))
    }

    /// |x|
    fn abs(self) -> Self {
        if self.shadow().is_sign_negative() {
            -self
        } else {
            self
        }
    }

    /// The larger by IEEE's `maximum`: NaN if either is, +0 above -0, and the
    /// left one if they are equal.
    fn maximum(self, other: Self) -> Self {
        if greater(other.shadow(), self.shadow()) {
            other
        } else {
            self
        }
    }

    /// The smaller by IEEE's `minimum`: NaN if either is, -0 below +0, and the
    /// left one if they are equal.
    fn minimum(self, other: Self) -> Self {
        if greater(-other.shadow(), -self.shadow()) {
            other
        } else {
            self
        }
    }

    /// IEEE comparison: only `NE` holds for NaN.
    fn compare(self, direction: Direction, other: Self) -> bool {
        let (a, b) = (self.shadow(), other.shadow());
        match direction {
            Direction::Eq => a == b,
            Direction::Ne => a != b,
            Direction::Ge => a >= b,
            Direction::Gt => a > b,
            Direction::Le => a <= b,
            Direction::Lt => a < b,
        }
    }
}

/// x / y rounded towards zero, for finite x and y other than 0.
fn quotient(x: f64, y: f64) -> f64 {
    ((x - x % y) / y).round()
}

/// -1, 0 or 1; zeros keep their sign, NaN is NaN.
pub(super) fn sign(x: f64) -> f64 {
    if x == 0.0 || x.is_nan() {
        x
    } else {
        x.signum()
    }
}

/// Whether `a` comes strictly after `b` where -0 < +0 < NaN.
fn greater(a: f64, b: f64) -> bool {
    if a == b {
        return b.is_sign_negative() && !a.is_sign_negative();
    }
    a > b || a.is_nan() && !b.is_nan()
}
