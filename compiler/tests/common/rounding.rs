//! How far f32 may be from the real numbers, in units of roundoff.

use std::ops::{Add, Div, Mul, Neg, Sub};

use cnnc::reference::{Data, Number, Result, Tensor, run};
use cnnc::stablehlo::{ElementType, Function};

/// u, the largest relative error of one rounding to f32.
pub const ROUNDOFF: f64 = 1.0 / (1u64 << 24) as f64;

/// Below f32's normal numbers an error is no longer a share of the value.
const UNDERFLOW: f64 = 1e-36;

/// A real value and its spread: the size, in u, of the error that f32 makes.
///
/// Each operation rounds its result v by u |v| at most, and passes on the
/// errors of its operands by its slopes. Errors are added as if independent,
/// by their squares: roundings behave like random numbers of mean zero
/// (N. Higham and T. Mary, "A new approach to probabilistic rounding error
/// analysis", 2019). A sum is charged for its partial sums in the order of the
/// interpreter, one after the other, which is worse than the order of a
/// vectorised program. Arguments are exact, so that what only moves elements
/// must be, too.
///
/// A program that computes in f32 is right if its results are within K spreads
/// of the values, where K is stated by who compares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rounded {
    pub value: f64,
    pub spread: f64,
}

impl Rounded {
    /// A number that f32 holds.
    pub fn new(value: f64) -> Self {
        Rounded { value, spread: 0.0 }
    }

    /// The result of an operation that rounds it and passes on these errors.
    fn of_errors<const N: usize>(value: f64, passed: [f64; N]) -> Self {
        let squares: f64 = passed.iter().map(|e| e * e).sum();
        let spread = (squares + value * value).sqrt();
        Rounded { value, spread }
    }

    /// A function of this value and slope.
    fn function(self, value: f64, slope: f64) -> Self {
        Rounded::of_errors(value, [self.passed(slope)])
    }

    /// What a slope makes of the error; nothing of none, be it infinite.
    fn passed(self, slope: f64) -> f64 {
        match slope == 0.0 || self.spread == 0.0 {
            true => 0.0,
            false => slope.abs() * self.spread,
        }
    }

    /// The error of `found` in spreads; NaN and infinities must be what they
    /// are.
    pub fn units(self, found: f64) -> f64 {
        let same = self.value == found || self.value.is_nan() && found.is_nan();
        let error = ((self.value - found).abs() - UNDERFLOW).max(0.0);
        let units = error / (ROUNDOFF * self.spread);
        match () {
            () if same => 0.0,
            () if !found.is_finite() || !self.value.is_finite() => f64::INFINITY,
            () if error == 0.0 => 0.0,
            () if units.is_nan() => f64::INFINITY,
            () => units,
        }
    }

    /// Whether two numbers differ by more than so many spreads of both.
    pub fn apart(self, other: Self, units: f64) -> bool {
        let reach = units * ROUNDOFF * (self.spread + other.spread);
        (self.value - other.value).abs() > reach
    }

    fn winner(self, other: Self, value: f64) -> Self {
        let spread = match (self.apart(other, 8.0), value == self.value) {
            (false, _) => self.spread.max(other.spread),
            (true, true) => self.spread,
            (true, false) => other.spread,
        };
        Rounded { value, spread }
    }
}

/// Runs a function of numbers that f32 holds.
///
/// # Errors
/// As [`run`].
pub fn run_rounded(function: &Function, arguments: &[Tensor<f64>]) -> Result<Vec<Tensor<Rounded>>> {
    let arguments: Result<Vec<_>> = arguments.iter().map(lifted).collect();
    run(function, &arguments?)
}

/// A tensor of numbers that f32 holds.
///
/// # Errors
/// None: the elements fit.
pub fn lifted(tensor: &Tensor<f64>) -> Result<Tensor<Rounded>> {
    match tensor.data() {
        Data::Integers(values) => Tensor::integers(tensor.ty().clone(), values.clone()),
        Data::Numbers(values) => {
            let values = values.iter().map(|&v| Rounded::new(v)).collect();
            Tensor::numbers(tensor.ty().clone(), values)
        }
    }
}

/// The worst of [`Rounded::units`]; integers must be equal.
pub fn worst(expected: &Tensor<Rounded>, found: &Tensor<f32>) -> f64 {
    assert_eq!(expected.ty(), found.ty());
    if expected.as_integers() != found.as_integers() {
        return f64::INFINITY;
    }
    let pairs = expected.as_numbers().iter().zip(found.as_numbers());
    let units = pairs.map(|(e, &f)| e.units(f64::from(f)));
    units.fold(0.0, f64::max)
}

impl Add for Rounded {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let value = self.value + other.value;
        match (self.value == 0.0, other.value == 0.0) {
            // Nothing is rounded.
            (true, _) | (_, true) => Rounded {
                value,
                spread: self.spread.hypot(other.spread),
            },
            _ => Rounded::of_errors(value, [self.spread, other.spread]),
        }
    }
}

impl Sub for Rounded {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Rounded {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let passed = [self.passed(other.value), other.passed(self.value)];
        Rounded::of_errors(self.value * other.value, passed)
    }
}

impl Div for Rounded {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let quotient = self.value / other.value;
        let inverse = 1.0 / other.value;
        let passed = [self.passed(inverse), other.passed(quotient * inverse)];
        Rounded::of_errors(quotient, passed)
    }
}

impl Neg for Rounded {
    type Output = Self;
    fn neg(self) -> Self {
        Rounded {
            value: -self.value,
            ..self
        }
    }
}

macro_rules! functions {
    ($($name:ident: |$x:ident, $y:ident| $slope:expr;)*) => {
        $(
            fn $name(self) -> Self {
                let ($x, $y) = (self.value, Number::$name(self.value));
                let _ = $x;
                self.function($y, $slope)
            }
        )*
    };
}

impl Number for Rounded {
    fn holds(element: ElementType) -> bool {
        element == ElementType::F32
    }

    /// Constants of few digits are exact; others were rounded once.
    fn from_f64(value: f64) -> Self {
        let few = (value * 256.0).fract() == 0.0 || !value.is_finite();
        let spread = if few { 0.0 } else { value.abs() };
        Rounded { value, spread }
    }

    fn from_integer(value: i128) -> Self {
        Rounded::from_f64(f64::from_integer(value))
    }

    fn shadow(self) -> f64 {
        self.value
    }

    fn maximum(self, other: Self) -> Self {
        self.winner(other, Number::maximum(self.value, other.value))
    }

    fn minimum(self, other: Self) -> Self {
        self.winner(other, Number::minimum(self.value, other.value))
    }

    functions! {
        exponential: |x, y| y;
        exponential_minus_one: |x, y| y + 1.0;
        log: |x, y| 1.0 / x;
        log_plus_one: |x, y| 1.0 / (1.0 + x);
        sqrt: |x, y| 0.5 / y;
        rsqrt: |x, y| 0.5 * y / x;
        cbrt: |x, y| y / (3.0 * x);
        tanh: |x, y| 1.0 - y * y;
        logistic: |x, y| y * (1.0 - y);
    }

    /// IREE's sine and cosine have a small error, but no small relative one
    /// where they are near 0.
    fn cosine(self) -> Self {
        let value = self.value.cos();
        Rounded::of_errors(value, [self.passed(self.value.sin()), 1.0])
    }

    fn sine(self) -> Self {
        let value = self.value.sin();
        Rounded::of_errors(value, [self.passed(self.value.cos()), 1.0])
    }

    /// The quotient of such a sine by a cosine.
    fn tan(self) -> Self {
        let value = self.value.tan();
        let secant = 1.0 / self.value.cos();
        let passed = [self.passed(secant * secant), secant, value * secant];
        Rounded::of_errors(value, passed)
    }

    fn power(self, exponent: Self) -> Self {
        let value = self.value.powf(exponent.value);
        let by_base = exponent.value * value / self.value;
        let by_exponent = value * self.value.ln();
        let passed = [self.passed(by_base), exponent.passed(by_exponent)];
        Rounded::of_errors(value, passed)
    }

    fn atan2(self, x: Self) -> Self {
        let square = self.value * self.value + x.value * x.value;
        let passed = [self.passed(x.value / square), x.passed(self.value / square)];
        Rounded::of_errors(self.value.atan2(x.value), passed)
    }

    fn remainder(self, divisor: Self) -> Self {
        let turns = (self.value / divisor.value).trunc();
        let passed = [self.passed(1.0), divisor.passed(turns)];
        Rounded::of_errors(self.value % divisor.value, passed)
    }
}
