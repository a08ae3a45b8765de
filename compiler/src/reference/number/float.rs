//! IEEE numbers.

use super::Number;
use crate::stablehlo::ElementType;

macro_rules! float {
    ($type:ident, $holds:pat) => {
        impl Number for $type {
            fn holds(element: ElementType) -> bool {
                matches!(element, $holds)
            }

            fn from_f64(value: f64) -> Self {
                value as $type
            }

            fn from_integer(value: i128) -> Self {
                value as $type
            }

            fn shadow(self) -> f64 {
                f64::from(self)
            }

            fn exponential(self) -> Self {
                self.exp()
            }

            fn exponential_minus_one(self) -> Self {
                self.exp_m1()
            }

            fn log(self) -> Self {
                self.ln()
            }

            fn log_plus_one(self) -> Self {
                self.ln_1p()
            }

            fn sqrt(self) -> Self {
                self.sqrt()
            }

            fn rsqrt(self) -> Self {
                1.0 / self.sqrt()
            }

            fn cbrt(self) -> Self {
                self.cbrt()
            }

            fn tanh(self) -> Self {
                self.tanh()
            }

            fn logistic(self) -> Self {
                1.0 / (1.0 + (-self).exp())
            }

            fn cosine(self) -> Self {
                self.cos()
            }

            fn sine(self) -> Self {
                self.sin()
            }

            fn tan(self) -> Self {
                self.tan()
            }

            fn power(self, exponent: Self) -> Self {
                self.powf(exponent)
            }

            fn atan2(self, x: Self) -> Self {
                self.atan2(x)
            }

            fn remainder(self, divisor: Self) -> Self {
                self % divisor
            }
        }
    };
}

// f64 stands for the real value of either type: nothing is rounded to f32.
float!(f64, ElementType::F32 | ElementType::F64);
// f32 is the type itself: a function of f64 cannot be run in it.
float!(f32, ElementType::F32);
