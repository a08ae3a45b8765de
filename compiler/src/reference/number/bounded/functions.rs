//! Functions of bounded numbers, each with the error that its argument's error
//! makes of it.

use super::{Bounded, ROUNDOFF};
use crate::reference::number::{Exact, Number, quotient};
use crate::stablehlo::ElementType;

/// Relative error granted to the elementary functions of the platform.
const FUNCTION: f64 = 4.0 * ROUNDOFF;

impl Bounded {
    /// A function with this slope at most between the two ends of the range.
    fn function(self, exact: Exact, slope: f64) -> Self {
        let spread = if self.bound == 0.0 {
            0.0
        } else {
            slope * self.bound
        };
        self.with(exact, spread + FUNCTION * exact.shadow.abs())
    }

    /// A function that rises from one end of the range to the other.
    fn rising(self, exact: Exact, function: fn(f64) -> f64) -> Self {
        let (low, high) = self.ends();
        let (up, down) = (function(high) - exact.shadow, exact.shadow - function(low));
        let spread = if up > down { up } else { down };
        // An end that is outside of the domain says nothing.
        let spread = if up.is_nan() { up } else { spread };
        self.with(exact, spread + FUNCTION * exact.shadow.abs())
    }

    /// The ends of the range.
    fn ends(self) -> (f64, f64) {
        let (x, bound) = (self.exact.shadow, self.bound);
        if bound == 0.0 {
            return (x, x);
        }
        ((x - bound).next_down(), (x + bound).next_up())
    }

    /// The least and the largest absolute value.
    fn sizes(self) -> (f64, f64) {
        let x = self.exact.shadow.abs();
        ((x - self.bound).max(0.0), x + self.bound)
    }

    /// The winner of a maximum or minimum against the loser.
    fn winner(self, other: Self, chosen: Exact) -> Self {
        let own = chosen == self.exact;
        let bound = match (self.undecided(other), own) {
            (true, _) => self.bound.max(other.bound),
            (false, true) => self.bound,
            (false, false) => other.bound,
        };
        Bounded {
            exact: chosen,
            bound,
        }
    }
}

impl Number for Bounded {
    fn holds(element: ElementType) -> bool {
        Exact::holds(element)
    }

    fn from_f64(value: f64) -> Self {
        Bounded {
            exact: Exact::from_f64(value),
            bound: 0.0,
        }
    }

    fn from_integer(value: i128) -> Self {
        let exact = Exact::from_integer(value);
        let lost = value.unsigned_abs() > 1 << 53;
        let bound = if lost {
            ROUNDOFF * exact.shadow.abs()
        } else {
            0.0
        };
        Bounded { exact, bound }
    }

    fn shadow(self) -> f64 {
        self.exact.shadow
    }

    fn exponential(self) -> Self {
        let exact = self.exact.exponential();
        self.function(exact, (self.exact.shadow + self.bound).exp())
    }

    fn exponential_minus_one(self) -> Self {
        self.rising(self.exact.exponential_minus_one(), f64::exp_m1)
    }

    fn log(self) -> Self {
        let exact = self.exact.log();
        let least = (self.exact.shadow - self.bound).max(0.0);
        self.function(exact, 1.0 / least)
    }

    fn log_plus_one(self) -> Self {
        self.rising(self.exact.log_plus_one(), f64::ln_1p)
    }

    fn sqrt(self) -> Self {
        let exact = Number::sqrt(self.exact);
        let least = (self.exact.shadow - self.bound).max(0.0);
        self.function(exact, 0.5 / least.sqrt())
    }

    fn rsqrt(self) -> Self {
        let exact = self.exact.rsqrt();
        let least = (self.exact.shadow - self.bound).max(0.0);
        self.function(exact, 0.5 / (least * least.sqrt()))
    }

    fn cbrt(self) -> Self {
        self.rising(Number::cbrt(self.exact), f64::cbrt)
    }

    fn tanh(self) -> Self {
        self.function(Number::tanh(self.exact), 1.0)
    }

    fn logistic(self) -> Self {
        self.function(self.exact.logistic(), 0.25)
    }

    fn cosine(self) -> Self {
        self.function(self.exact.cosine(), 1.0)
    }

    fn sine(self) -> Self {
        self.function(self.exact.sine(), 1.0)
    }

    /// Rises between two poles, and from one piece to the next it falls.
    fn tan(self) -> Self {
        let exact = Number::tan(self.exact);
        let (low, high) = self.ends();
        let turn = std::f64::consts::FRAC_PI_2;
        let one_piece = high - low < turn && low.tan() <= high.tan();
        if !one_piece {
            return self.with(exact, f64::INFINITY);
        }
        self.rising(exact, f64::tan)
    }

    fn power(self, exponent: Self) -> Self {
        let exact = self.exact.power(exponent.exact);
        if self.bound == 0.0 && exponent.bound == 0.0 {
            return self.with(exact, FUNCTION * exact.shadow.abs());
        }
        let (least, largest) = self.sizes();
        let (low, high) = exponent.ends();
        let powers = |less: f64| {
            let ends = [least, largest].map(|x| x.powf(low - less).max(x.powf(high - less)));
            ends[0].max(ends[1])
        };
        // Between a negative base and an exponent that may not be whole there
        // is no value.
        let whole = exponent.bound == 0.0 && exponent.exact.shadow.fract() == 0.0;
        if !whole && self.exact.shadow - self.bound < 0.0 {
            return self.with(exact, f64::INFINITY);
        }
        let mut spread = 0.0;
        if self.bound > 0.0 {
            spread += low.abs().max(high.abs()) * powers(1.0) * self.bound;
        }
        if exponent.bound > 0.0 {
            let log = least.ln().abs().max(largest.ln().abs());
            spread += log * powers(0.0) * exponent.bound;
        }
        self.with(exact, spread + FUNCTION * exact.shadow.abs())
    }

    /// The angle turns by at most the way over the distance, but for the jump
    /// at the negative half of the first axis.
    fn atan2(self, x: Self) -> Self {
        let exact = Number::atan2(self.exact, x.exact);
        let way = self.bound + x.bound;
        let distance = self.exact.shadow.hypot(x.exact.shadow) - way;
        let jumps = way > 0.0 && self.sizes().0 == 0.0 && x.exact.shadow - x.bound < 0.0;
        let spread = match way {
            0.0 => 0.0,
            _ if jumps || distance.is_nan() || distance <= 0.0 => 2.0 * std::f64::consts::PI,
            way => way / distance,
        };
        self.with(exact, spread + FUNCTION * exact.shadow.abs())
    }

    fn remainder(self, divisor: Self) -> Self {
        let exact = self.exact.remainder(divisor.exact);
        let known = self.bound == 0.0 && divisor.bound == 0.0;
        if known || (self / divisor).step(f64::trunc).bound == 0.0 {
            let times = quotient(self.exact.shadow, divisor.exact.shadow).abs();
            let spread = if known {
                0.0
            } else {
                self.bound + times * divisor.bound
            };
            return self.with(exact, spread);
        }
        self.with(exact, f64::INFINITY)
    }

    fn step(self, function: fn(f64) -> f64) -> Self {
        let exact = self.exact.step(function);
        let (low, high) = self.ends();
        let reach = |end: f64| (function(end) - exact.shadow).abs();
        let bound = reach(low).max(reach(high));
        Bounded {
            exact,
            bound: if bound.is_nan() { f64::INFINITY } else { bound },
        }
    }

    fn maximum(self, other: Self) -> Self {
        self.winner(other, self.exact.maximum(other.exact))
    }

    fn minimum(self, other: Self) -> Self {
        self.winner(other, self.exact.minimum(other.exact))
    }
}
