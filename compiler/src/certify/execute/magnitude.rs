//! Integers that know how large any partial sum on the way to them can be.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::LIMIT;
use crate::reference::Number;
use crate::stablehlo::ElementType;

/// An integer and the sum of the absolute values of the terms that make it.
/// Products start anew: what is multiplied has been stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Magnitude {
    value: f64,
    mass: f64,
}

impl Magnitude {
    /// A number; only integers have a finite mass.
    pub fn new(value: f64) -> Self {
        let mass = if value == f64::NEG_INFINITY || value.is_nan() {
            // What windows are padded with, to lose every comparison, is in no
            // sum.
            0.0
        } else if value.fract() == 0.0 {
            value.abs()
        } else {
            f64::NAN
        };
        Magnitude { value, mass }
    }

    /// The number.
    pub fn value(self) -> f64 {
        self.value
    }

    /// Whether every partial sum is an integer below the limit.
    pub fn is_safe(&self) -> bool {
        self.mass < LIMIT
    }

    /// Why it is not.
    pub fn complaint(&self) -> String {
        match self.mass.is_nan() {
            true => format!("{} is no integer", self.value),
            false => format!(
                "the terms of a sum reach {} in all, not below {LIMIT}",
                self.mass
            ),
        }
    }

    /// The result of something that leaves the integers.
    fn outside(value: f64) -> Self {
        Magnitude {
            value,
            mass: f64::NAN,
        }
    }
}

impl Add for Magnitude {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Magnitude {
            value: self.value + other.value,
            mass: self.mass + other.mass,
        }
    }
}

impl Sub for Magnitude {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Magnitude {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Magnitude::new(self.value * other.value)
    }
}

impl Div for Magnitude {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        Magnitude::outside(self.value / other.value)
    }
}

impl Neg for Magnitude {
    type Output = Self;
    fn neg(self) -> Self {
        Magnitude {
            value: -self.value,
            mass: self.mass,
        }
    }
}

macro_rules! outside {
    ($($name:ident)*) => {
        $(
            fn $name(self) -> Self {
                Magnitude::outside(Number::$name(self.value))
            }
        )*
    };
}

impl Number for Magnitude {
    fn holds(element: ElementType) -> bool {
        f64::holds(element)
    }

    fn from_f64(value: f64) -> Self {
        Magnitude::new(value)
    }

    fn from_integer(value: i128) -> Self {
        Magnitude::new(f64::from_integer(value))
    }

    fn shadow(self) -> f64 {
        self.value
    }

    outside! {
        exponential exponential_minus_one log log_plus_one sqrt rsqrt cbrt tanh logistic cosine sine tan
    }

    fn power(self, exponent: Self) -> Self {
        Magnitude::outside(self.value.power(exponent.value))
    }

    fn atan2(self, x: Self) -> Self {
        Magnitude::outside(Number::atan2(self.value, x.value))
    }

    fn remainder(self, divisor: Self) -> Self {
        Magnitude::new(self.value.remainder(divisor.value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partial_sums_count_whatever_the_order() {
        let large = Magnitude::new(LIMIT - 1.0);
        let sum = large + Magnitude::new(1.0) - Magnitude::new(1.0);
        assert_eq!(sum.value(), LIMIT - 1.0);
        assert!(large.is_safe() && !sum.is_safe());
        let product = sum * Magnitude::new(0.0);
        assert!(product.is_safe());
    }

    #[test]
    fn what_is_no_integer_is_not_safe() {
        let half = Magnitude::new(0.5);
        let quotient = Magnitude::new(1.0) / Magnitude::new(2.0);
        for number in [
            half,
            quotient,
            half + quotient,
            Magnitude::new(1.0).exponential(),
        ] {
            assert!(!number.is_safe(), "{number:?}");
        }
        assert_eq!(quotient.complaint(), "0.5 is no integer");
        let lowest = Magnitude::from_f64(f64::NEG_INFINITY);
        assert_eq!(lowest.maximum(Magnitude::new(3.0)), Magnitude::new(3.0));
    }
}
