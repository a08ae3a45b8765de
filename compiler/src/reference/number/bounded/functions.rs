//! Functions of bounded numbers.

use std::cmp::Ordering;

use super::Bounded;
use crate::reference::number::ball::Ball;
use crate::reference::number::{Exact, Number, quotient};
use crate::stablehlo::ElementType;

impl<const W: usize> Bounded<W> {
    /// A function of which `exact` is the result.
    fn function(self, exact: Exact, real: fn(Ball<W>) -> Ball<W>) -> Self {
        // The limits at the infinities are whole numbers.
        if self.is_infinity() {
            return Self::with(exact, Ball::exact(exact.shadow));
        }
        Self::with(exact, real(self.real))
    }

    /// The winner of a maximum or minimum against the loser.
    fn winner(self, other: Self, chosen: Exact) -> Self {
        let (winner, loser) = match chosen == self.exact {
            true => (self, other),
            false => (other, self),
        };
        if !self.undecided(other) {
            return winner;
        }
        Self::with(chosen, winner.real.hull(loser.real))
    }
}

impl<const W: usize> Number for Bounded<W> {
    fn holds(element: ElementType) -> bool {
        Exact::holds(element)
    }

    fn from_f64(value: f64) -> Self {
        Bounded {
            exact: Exact::from_f64(value),
            real: Ball::exact(value),
        }
    }

    fn from_integer(value: i128) -> Self {
        Bounded {
            exact: Exact::from_integer(value),
            real: Ball::integer(value),
        }
    }

    fn shadow(self) -> f64 {
        self.exact.shadow
    }

    fn exponential(self) -> Self {
        self.function(self.exact.exponential(), Ball::exp)
    }

    fn exponential_minus_one(self) -> Self {
        self.function(self.exact.exponential_minus_one(), Ball::exp_m1)
    }

    fn log(self) -> Self {
        self.function(self.exact.log(), Ball::ln)
    }

    fn log_plus_one(self) -> Self {
        self.function(self.exact.log_plus_one(), Ball::ln_1p)
    }

    fn sqrt(self) -> Self {
        self.function(Number::sqrt(self.exact), Ball::sqrt)
    }

    fn rsqrt(self) -> Self {
        self.function(self.exact.rsqrt(), Ball::rsqrt)
    }

    fn cbrt(self) -> Self {
        self.function(Number::cbrt(self.exact), Ball::cbrt)
    }

    fn tanh(self) -> Self {
        self.function(Number::tanh(self.exact), Ball::tanh)
    }

    fn logistic(self) -> Self {
        self.function(self.exact.logistic(), Ball::logistic)
    }

    fn cosine(self) -> Self {
        self.function(self.exact.cosine(), |x| x.sin_cos().1)
    }

    fn sine(self) -> Self {
        self.function(self.exact.sine(), |x| x.sin_cos().0)
    }

    fn tan(self) -> Self {
        self.function(Number::tan(self.exact), Ball::tan)
    }

    fn power(self, exponent: Self) -> Self {
        let exact = self.exact.power(exponent.exact);
        Self::with(exact, self.real.power(exponent.real))
    }

    fn atan2(self, x: Self) -> Self {
        let exact = Number::atan2(self.exact, x.exact);
        Self::with(exact, self.real.atan2(x.real, self.exact.shadow))
    }

    /// Known only while the quotient stays between two whole numbers.
    fn remainder(self, divisor: Self) -> Self {
        let exact = self.exact.remainder(divisor.exact);
        let times = quotient(self.exact.shadow, divisor.exact.shadow);
        let real = self.real - Ball::exact(times) * divisor.real;
        // It has the sign of x and is less than the divisor.
        let size = |x: Ball<W>| {
            if x.sign() == Some(Ordering::Less) {
                -x
            } else {
                x
            }
        };
        let fits = match (self.real.sign(), real.sign()) {
            (Some(_), Some(Ordering::Equal)) => true,
            (Some(sign), Some(own)) if sign == own => {
                (size(divisor.real) - size(real)).sign() == Some(Ordering::Greater)
            }
            _ => false,
        };
        Self::with(exact, if fits { real } else { Ball::UNKNOWN })
    }

    fn step(self, function: fn(f64) -> f64) -> Self {
        let exact = self.exact.step(function);
        let (low, high) = self.real.ends();
        let reach = |end: f64| (function(end) - exact.shadow).abs();
        Self::with(exact, Ball::near(exact.shadow, reach(low).max(reach(high))))
    }

    /// Of the real value, whatever the sign of the shadow.
    fn abs(self) -> Self {
        let exact = self.exact.abs();
        let real = match self.exact.shadow.is_sign_negative() {
            true => -self.real,
            false => self.real,
        };
        let real = match real.sign() {
            Some(Ordering::Less) => -real,
            Some(_) => real,
            None => real.hull(-real),
        };
        Self::with(exact, real)
    }

    fn maximum(self, other: Self) -> Self {
        self.winner(other, self.exact.maximum(other.exact))
    }

    fn minimum(self, other: Self) -> Self {
        self.winner(other, self.exact.minimum(other.exact))
    }
}
