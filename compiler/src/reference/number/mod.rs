//! What stands for a floating-point element.

mod bounded;
mod dual;
mod exact;
mod float;
mod prime;
#[cfg(test)]
mod tests;

pub use bounded::Bounded;
pub use dual::Dual;
pub use exact::Exact;
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
    /// ln x
    fn log(self) -> Self;
    /// x^(1/2)
    fn sqrt(self) -> Self;
    /// x^(-1/2)
    fn rsqrt(self) -> Self;
    /// tanh x
    fn tanh(self) -> Self;
    /// 1 / (1 + e^-x)
    fn logistic(self) -> Self;
    /// cos x
    fn cosine(self) -> Self;
    /// sin x
    fn sine(self) -> Self;

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

/// Whether `a` comes strictly after `b` where -0 < +0 < NaN.
fn greater(a: f64, b: f64) -> bool {
    if a == b {
        return b.is_sign_negative() && !a.is_sign_negative();
    }
    a > b || a.is_nan() && !b.is_nan()
}
