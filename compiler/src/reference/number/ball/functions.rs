//! Elementary functions.
//!
//! Each is computed at the midpoint, by operations on balls, which bound their
//! rounding themselves; what a series leaves out or an iteration leaves open is
//! added to the bound, and so is what the error of the argument makes of the
//! result, by the mean value theorem. Reduction and series are those of Brent
//! and Zimmermann, "Modern Computer Arithmetic" (2010), 4.2 to 4.4.

use std::cmp::Ordering;

use super::{Ball, UP};

/// Steps of an iteration that doubles the digits, from those of an f64 at least.
const DOUBLINGS: usize = 5;

impl<const W: usize> Ball<W> {
    /// e^r - 1 where |r| is at most 1/2: its series up to r^n / n!, by Horner's
    /// rule with the integers n! / k!, all over n!.
    fn exp_m1_near_zero(self) -> Self {
        let terms = 10 * W as i32 + 10;
        let mut coefficient = Self::exact(1.0);
        let mut sum = coefficient;
        for k in (1..terms).rev() {
            coefficient = coefficient * Self::exact(f64::from(k + 1));
            sum = sum * self + coefficient;
        }
        // The rest is less than twice its first term.
        let rest = self.above() * 0.5f64.powi(terms - 1) / coefficient.below();
        (sum * self / coefficient).widened(rest)
    }

    fn exp_of_middle(self) -> Self {
        let x = self.middle();
        let near = x.mid.to_f64();
        if near.abs() > 32768.0 {
            return match near < 0.0 {
                true => Self::near(0.0, f64::MIN_POSITIVE),
                false => Self::UNKNOWN,
            };
        }
        let times = (near / std::f64::consts::LN_2).round();
        let rest = x - Self::exact(times) * Self::ln_2();
        if rest.above() > 0.5 {
            return Self::UNKNOWN;
        }
        (rest.exp_m1_near_zero() + Self::exact(1.0)).scaled(times as i32)
    }

    /// e^x
    pub fn exp(self) -> Self {
        let power = self.exp_of_middle();
        power.widened(power.above() * self.growth())
    }

    /// e^x - 1
    pub fn exp_m1(self) -> Self {
        let value = match self.mid.above() <= 0.5 {
            true => self.middle().exp_m1_near_zero(),
            false => self.exp_of_middle() - Self::exact(1.0),
        };
        value.widened((1.0 + value.above()) * self.growth())
    }

    /// By which part of itself e^x may differ from e^mid.
    fn growth(self) -> f64 {
        self.bound.exp_m1()
    }

    /// ln x: y + ln(1 + t), where x is e^y (1 + t); and t is that logarithm
    /// but for t^2 while it is at most 1/2.
    pub fn ln(self) -> Self {
        if self.sign() != Some(Ordering::Greater) {
            return Self::UNKNOWN;
        }
        let mut exponent = self.mid.exponent();
        let mut mantissa = self.middle().scaled(-exponent);
        if mantissa.mid.to_f64() < std::f64::consts::FRAC_1_SQRT_2 {
            exponent -= 1;
            mantissa = mantissa.scaled(1);
        }
        let mut log = Self::exact(mantissa.mid.to_f64().ln());
        let mut result = Self::UNKNOWN;
        for _ in 0..DOUBLINGS {
            let power = log.exp();
            let part = (mantissa - power) / power;
            if part.above() > 0.5 {
                return Self::UNKNOWN;
            }
            let open = part.above() * part.above();
            let next = log + part;
            result = next.widened(open);
            if open <= next.bound {
                break;
            }
            log = next.middle();
        }
        let log = result + Self::exact(f64::from(exponent)) * Self::ln_2();
        log.widened(self.spread(1.0 / self.below()))
    }

    /// How far the error of the argument moves a function with this slope.
    fn spread(self, slope: f64) -> f64 {
        match self.bound {
            0.0 => 0.0,
            bound => slope * bound * UP,
        }
    }

    /// ln(1 + x)
    pub fn ln_1p(self) -> Self {
        (Self::exact(1.0) + self).ln()
    }

    /// 1 over the root
    pub fn rsqrt(self) -> Self {
        Self::exact(1.0) / self.sqrt()
    }

    /// The real cube root, by Newton's method; c is off by (x - c^3) over
    /// c^2 + c r + r^2, where r is the root, and that is 3/4 c^2 or more.
    pub fn cbrt(self) -> Self {
        if self.is_zero() {
            return self;
        }
        let third = self.mid.exponent().div_euclid(3);
        let x = self.middle().scaled(-3 * third);
        let mut root = Self::exact(x.mid.to_f64().cbrt());
        for _ in 0..DOUBLINGS {
            let square = root * root;
            let step = (x - square * root) / (square * Self::exact(3.0));
            root = (root + step).middle();
        }
        let square = root * root;
        let open = (x - square * root).above() / (0.75 * square.below());
        let root = root.widened(open).scaled(third);
        // Near 0 the roots of two numbers differ by less than 1.6 times that of
        // their difference.
        let spread = match self.sign() {
            None => 1.6 * self.bound.cbrt() * UP,
            Some(_) => self.spread(1.0 / (3.0 * self.below().cbrt().powi(2))),
        };
        root.widened(spread)
    }

    /// -d / (2 + d) with d = e^(-2 |x|) - 1.
    pub fn tanh(self) -> Self {
        let size = Ball {
            mid: self.mid.abs(),
            bound: 0.0,
        };
        let change = (-size.scaled(1)).exp_m1();
        let value = -change / (Self::exact(2.0) + change);
        let value = if self.mid.is_negative() {
            -value
        } else {
            value
        };
        value.widened(self.spread(1.0))
    }

    /// 1 / (1 + e^-x)
    pub fn logistic(self) -> Self {
        let size = Ball {
            mid: self.mid.abs(),
            bound: 0.0,
        };
        let power = (-size).exp();
        let one = Self::exact(1.0);
        let value = match self.mid.is_negative() {
            true => power / (one + power),
            false => one / (one + power),
        };
        value.widened(self.spread(0.25))
    }

    /// Sine and cosine.
    pub fn sin_cos(self) -> (Self, Self) {
        let near = self.mid.to_f64();
        let anything = Self::near(0.0, 1.0);
        if near.abs() > f64::from(1 << 20) {
            return (anything, anything);
        }
        let times = (near / std::f64::consts::FRAC_PI_2).round();
        let rest = self.middle() - Self::exact(times) * Self::quarter_turn();
        if rest.above() > 0.8 {
            return (anything, anything);
        }
        let (sine, cosine) = (rest * rest.waves(1), rest.waves(0));
        let (sine, cosine) = match times.rem_euclid(4.0) as u8 {
            0 => (sine, cosine),
            1 => (cosine, -sine),
            2 => (-sine, -cosine),
            _ => (-cosine, sine),
        };
        let spread = self.spread(1.0);
        (sine.widened(spread), cosine.widened(spread))
    }

    /// The sum of (-1)^j r^2j / (2 j + first)!, in which terms fall: cos r for
    /// 0, sin r / r for 1.
    fn waves(self, first: i32) -> Self {
        let terms = 5 * W as i32 + 9;
        let square = self * self;
        let mut coefficient = Self::exact(1.0);
        let mut sum = coefficient;
        for j in (0..terms).rev() {
            let last = 2 * j + first;
            coefficient = coefficient * Self::exact(f64::from((last + 1) * (last + 2)));
            sum = coefficient - sum * square;
        }
        let rest = 2.0 * square.above().powi(terms + 1) / coefficient.below();
        (sum / coefficient).widened(rest)
    }

    /// sin x / cos x
    pub fn tan(self) -> Self {
        let (sine, cosine) = self.sin_cos();
        sine / cosine
    }

    /// The angle of the point (x, y), where y is `self`; `sign` is that of a y
    /// of 0. The angle that f64 finds is turned by the atan of what is left,
    /// u, which is u but for |u|^3.
    pub fn atan2(self, x: Self, sign: f64) -> Self {
        let (y_near, x_near) = (self.mid.to_f64(), x.mid.to_f64());
        let y_near = match self.is_zero() {
            true => 0f64.copysign(sign),
            false => y_near,
        };
        let mut angle = Self::exact(y_near.atan2(x_near));
        if self.is_zero() && x.is_zero() {
            let turn = angle.above();
            return angle.widened(turn * f64::EPSILON);
        }
        let mut result = Self::UNKNOWN;
        for _ in 0..DOUBLINGS {
            let (sine, cosine) = angle.sin_cos();
            let (y, x) = (self.middle(), x.middle());
            let along = x * cosine + y * sine;
            if along.sign() != Some(Ordering::Greater) {
                return Self::UNKNOWN;
            }
            let turn = (y * cosine - x * sine) / along;
            let open = turn.above().powi(3);
            let next = angle + turn;
            result = next.widened(open);
            if open <= next.bound {
                break;
            }
            angle = next.middle();
        }
        // It turns by at most the way over the distance, but for the jump at
        // the negative half of the first axis.
        let way = (self.bound + x.bound) * UP;
        if way == 0.0 {
            return result;
        }
        let distance = self.below().max(x.below());
        let jumps = self.sign().is_none() && x.sign() != Some(Ordering::Greater);
        match jumps || distance <= 0.0 {
            true => result.widened(2.0 * std::f64::consts::PI * UP),
            false => result.widened(way / distance * UP),
        }
    }

    /// x^y: products if y is a whole number, and e^(y ln x) if x is positive.
    pub fn power(self, exponent: Self) -> Self {
        let (whole, end) = exponent.ends();
        if whole == end && whole.fract() == 0.0 && whole.abs() <= f64::from(1 << 20) {
            let mut product = Self::exact(1.0);
            let mut square = self;
            let mut rest = whole.abs() as u32;
            while rest > 0 {
                if rest % 2 == 1 {
                    product = product * square;
                }
                rest /= 2;
                if rest > 0 {
                    square = square * square;
                }
            }
            return match whole < 0.0 {
                true => Self::exact(1.0) / product,
                false => product,
            };
        }
        if self.is_zero() && exponent.sign() == Some(Ordering::Greater) {
            return self;
        }
        (exponent * self.ln()).exp()
    }
}
