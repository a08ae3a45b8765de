//! Dual numbers: a value and its derivative along one direction.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::Number;
use crate::stablehlo::ElementType;

/// `value + tangent e` with e^2 = 0: forward-mode differentiation. Decisions
/// are made by the value, so the tangent follows the piece of the function
/// that the value is on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dual<T> {
    /// The value.
    pub value: T,
    /// Its derivative.
    pub tangent: T,
}

impl<T: Number> Dual<T> {
    /// A number that does not move.
    pub fn constant(value: T) -> Self {
        Dual {
            value,
            tangent: T::from_f64(0.0),
        }
    }

    /// f at the value, where f has this slope.
    fn chain(self, value: T, slope: T) -> Self {
        Dual {
            value,
            tangent: slope * self.tangent,
        }
    }
}

impl<T: Number> Add for Dual<T> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Dual {
            value: self.value + other.value,
            tangent: self.tangent + other.tangent,
        }
    }
}

impl<T: Number> Sub for Dual<T> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Dual {
            value: self.value - other.value,
            tangent: self.tangent - other.tangent,
        }
    }
}

impl<T: Number> Mul for Dual<T> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Dual {
            value: self.value * other.value,
            tangent: self.tangent * other.value + self.value * other.tangent,
        }
    }
}

impl<T: Number> Div for Dual<T> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let quotient = self.value / other.value;
        Dual {
            value: quotient,
            tangent: (self.tangent - quotient * other.tangent) / other.value,
        }
    }
}

impl<T: Number> Neg for Dual<T> {
    type Output = Self;
    fn neg(self) -> Self {
        Dual {
            value: -self.value,
            tangent: -self.tangent,
        }
    }
}

impl<T: Number> Number for Dual<T> {
    fn holds(element: ElementType) -> bool {
        T::holds(element)
    }

    fn from_f64(value: f64) -> Self {
        Dual::constant(T::from_f64(value))
    }

    fn from_integer(value: i128) -> Self {
        Dual::constant(T::from_integer(value))
    }

    fn shadow(self) -> f64 {
        self.value.shadow()
    }

    fn exponential(self) -> Self {
        let e = self.value.exponential();
        self.chain(e, e)
    }

    fn log(self) -> Self {
        Dual {
            value: self.value.log(),
            tangent: self.tangent / self.value,
        }
    }

    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        Dual {
            value: root,
            tangent: self.tangent / (root + root),
        }
    }

    /// r' = -r^3 / 2, which holds in the field too, where r^2 x is not 1.
    fn rsqrt(self) -> Self {
        let r = self.value.rsqrt();
        self.chain(r, r * r * r * T::from_f64(-0.5))
    }

    fn tanh(self) -> Self {
        let t = self.value.tanh();
        self.chain(t, T::from_f64(1.0) - t * t)
    }

    fn logistic(self) -> Self {
        let s = self.value.logistic();
        self.chain(s, s * (T::from_f64(1.0) - s))
    }

    fn cosine(self) -> Self {
        self.chain(self.value.cosine(), -self.value.sine())
    }

    fn sine(self) -> Self {
        self.chain(self.value.sine(), self.value.cosine())
    }
}
