//! Field elements led by real values.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::{Number, Prime};
use crate::stablehlo::ElementType;

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

    fn log(self) -> Self {
        Exact::new(self.element.log(), Number::log(self.shadow))
    }

    fn sqrt(self) -> Self {
        Exact::new(self.element.sqrt(), Number::sqrt(self.shadow))
    }

    fn rsqrt(self) -> Self {
        Exact::new(self.element.sqrt().inverse(), self.shadow.rsqrt())
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
}
