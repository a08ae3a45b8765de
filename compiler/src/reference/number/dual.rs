//! Dual numbers: a value and its derivative along one direction.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::{Number, quotient, sign};
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

    fn exponential_minus_one(self) -> Self {
        let e = self.value.exponential_minus_one();
        self.chain(e, e + T::from_f64(1.0))
    }

    fn log(self) -> Self {
        Dual {
            value: self.value.log(),
            tangent: self.tangent / self.value,
        }
    }

    fn log_plus_one(self) -> Self {
        Dual {
            value: self.value.log_plus_one(),
            tangent: self.tangent / (T::from_f64(1.0) + self.value),
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

    /// c' = 1 / (3 c^2), which holds in the field too, where c^3 is not x.
    fn cbrt(self) -> Self {
        let c = self.value.cbrt();
        Dual {
            value: c,
            tangent: self.tangent / (c * c * T::from_f64(3.0)),
        }
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

    fn tan(self) -> Self {
        let t = self.value.tan();
        self.chain(t, T::from_f64(1.0) + t * t)
    }

    /// A base or exponent that does not move adds nothing, not even where the
    /// other slope is not finite: x^2 has a derivative at x = -1, ln x has no
    /// value there.
    fn power(self, exponent: Self) -> Self {
        let (x, y) = (self.value, exponent.value);
        let (zero, one) = (T::from_f64(0.0), T::from_f64(1.0));
        let value = x.power(y);
        let mut tangent = zero;
        if self.tangent != zero && y != zero {
            tangent = tangent + self.tangent * y * x.power(y - one);
        }
        if exponent.tangent != zero {
            tangent = tangent + exponent.tangent * value * x.log();
        }
        Dual { value, tangent }
    }

    fn atan2(self, x: Self) -> Self {
        let square = self.value * self.value + x.value * x.value;
        let turn = self.tangent * x.value - x.tangent * self.value;
        Dual {
            value: self.value.atan2(x.value),
            tangent: turn / square,
        }
    }

    fn remainder(self, divisor: Self) -> Self {
        let times = T::from_f64(quotient(self.shadow(), divisor.shadow()));
        Dual {
            value: self.value.remainder(divisor.value),
            tangent: self.tangent - times * divisor.tangent,
        }
    }

    /// Stands still at 0.
    fn abs(self) -> Self {
        let slope = T::from_f64(sign(self.shadow()));
        self.chain(self.value.abs(), slope)
    }
}
