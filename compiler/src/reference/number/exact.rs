//! Field elements led by real values.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::{Number, Prime, quotient};
use crate::stablehlo::ElementType;

/// Largest whole exponent that is a product in the field; it bounds the degree
/// of formulas.
pub(crate) const MOST_POWER: f64 = 4096.0;

/// A field element beside the real value that makes its decisions.
///
/// The two need not be images of each other: an input may have any element and
/// any shadow. The shadows pick one smooth piece of the function, on which the
/// elements evaluate a formula; constants are the same number on both sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exact {
    /// The field element.
    pub element: Prime,
    /// The real value.
    pub shadow: f64,
}

impl Exact {
    /// An element led by a real value.
    pub fn new(element: Prime, shadow: f64) -> Self {
        Exact { element, shadow }
    }
}

macro_rules! both {
    ($($trait:ident, $name:ident, $op:tt;)*) => {
        $(
            impl $trait for Exact {
                type Output = Self;
                fn $name(self, other: Self) -> Self {
                    Exact::new(self.element $op other.element, self.shadow $op other.shadow)
                }
            }
        )*
    };
}

both! {
    Add, add, +;
    Sub, sub, -;
    Mul, mul, *;
    Div, div, /;
}

impl Neg for Exact {
    type Output = Self;
    fn neg(self) -> Self {
        Exact::new(-self.element, -self.shadow)
    }
}

impl Number for Exact {
    fn holds(element: ElementType) -> bool {
        f64::holds(element)
    }

    fn from_f64(value: f64) -> Self {
        Exact::new(Prime::from_f64(value), value)
    }

    fn from_integer(value: i128) -> Self {
        Exact::new(Prime::from_integer(value), f64::from_integer(value))
    }

    fn shadow(self) -> f64 {
        self.shadow
    }

    fn exponential(self) -> Self {
        Exact::new(self.element.exponential(), self.shadow.exponential())
    }

    /// e - 1 for the stand-in e of e^x.
    fn exponential_minus_one(self) -> Self {
        let e = self.element.exponential();
        Exact::new(e - Prime::ONE, self.shadow.exponential_minus_one())
    }

    fn log(self) -> Self {
        Exact::new(self.element.log(), Number::log(self.shadow))
    }

    fn log_plus_one(self) -> Self {
        let log = (self.element + Prime::ONE).log();
        Exact::new(log, self.shadow.log_plus_one())
    }

    fn sqrt(self) -> Self {
        Exact::new(self.element.sqrt(), Number::sqrt(self.shadow))
    }

    fn rsqrt(self) -> Self {
        Exact::new(self.element.sqrt().inverse(), self.shadow.rsqrt())
    }

    fn cbrt(self) -> Self {
        Exact::new(self.element.cbrt(), Number::cbrt(self.shadow))
    }

    /// (e - 1/e) / (e + 1/e) for the stand-in e of e^x, so that t' = 1 - t^2
    /// and t(-x) = -t(x).
    fn tanh(self) -> Self {
        let e = self.element.exponential();
        let inverse = e.inverse();
        Exact::new((e - inverse) / (e + inverse), Number::tanh(self.shadow))
    }

    /// 1 / (1 + 1/e) for the stand-in e of e^x, so that s' = s (1 - s).
    fn logistic(self) -> Self {
        let inverse = self.element.exponential().inverse();
        Exact::new((Prime::ONE + inverse).inverse(), self.shadow.logistic())
    }

    fn cosine(self) -> Self {
        Exact::new(self.element.cosine(), self.shadow.cosine())
    }

    fn sine(self) -> Self {
        Exact::new(self.element.sine(), self.shadow.sine())
    }

    /// s / c for the stand-ins of sine and cosine, so that t' = 1 + t^2.
    fn tan(self) -> Self {
        let tan = self.element.sine() / self.element.cosine();
        Exact::new(tan, Number::tan(self.shadow))
    }

    /// x^n e((y - n) l(x)) for the stand-ins e and l of exponential and
    /// logarithm, where n is the shadow of y rounded down. So whole powers are
    /// products, x^(y - 1) = x^y / x, and the derivatives are y x^(y - 1) and
    /// x^y l(x).
    fn power(self, exponent: Self) -> Self {
        let floor = exponent.shadow.floor();
        let whole = if floor.abs() <= MOST_POWER {
            floor
        } else {
            0.0
        };
        let rest = exponent.element - Prime::from_f64(whole);
        let base = if whole < 0.0 {
            self.element.inverse()
        } else {
            self.element
        };
        let product = base.power(whole.abs() as u64);
        let element = product * (rest * self.element.log()).exponential();
        Exact::new(element, self.shadow.power(exponent.shadow))
    }

    fn atan2(self, x: Self) -> Self {
        let angle = self.element.atan2(x.element);
        Exact::new(angle, Number::atan2(self.shadow, x.shadow))
    }

    fn remainder(self, divisor: Self) -> Self {
        let times = Prime::from_f64(quotient(self.shadow, divisor.shadow));
        Exact::new(
            self.element - times * divisor.element,
            self.shadow.remainder(divisor.shadow),
        )
    }
}
