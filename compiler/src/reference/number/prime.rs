//! The field of integers modulo p = 2^61 - 1.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// p, a Mersenne prime: reduction is a shift and an addition.
const P: u64 = (1 << 61) - 1;

/// An element of the field of p = 2^61 - 1 elements.
///
/// The field has no square roots, exponentials or logarithms that obey the
/// laws of the real ones. In their place stand fixed functions whose values
/// look random, so that two formulas agree in the field only if they agree by
/// algebra: what holds of the stand-ins is stated at each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Prime(u64);

impl Prime {
    /// Number of elements.
    pub const ORDER: u64 = P;
    /// The neutral element of addition.
    pub const ZERO: Prime = Prime(0);
    /// The neutral element of multiplication.
    pub const ONE: Prime = Prime(1);

    /// The element that `value` is congruent to.
    pub fn new(value: u64) -> Self {
        Prime(value % P)
    }

    /// The element that an integer is congruent to.
    pub fn from_integer(value: i128) -> Self {
        Prime(value.rem_euclid(i128::from(P)) as u64)
    }

    /// The element that a finite number is: every one is m 2^e for integers m
    /// and e. Infinities and NaN have no element; each gives a fixed one of
    /// its own.
    pub fn from_f64(value: f64) -> Self {
        let bits = value.to_bits();
        if !value.is_finite() {
            return Prime(scramble(bits, 0));
        }
        let exponent = ((bits >> 52) & 0x7ff) as i64;
        let fraction = bits & ((1 << 52) - 1);
        // Subnormal numbers have no leading bit and the least exponent.
        let (mantissa, exponent) = match exponent {
            0 => (fraction, -1074),
            _ => (fraction | 1 << 52, exponent - 1075),
        };
        // 2^61 is 1, so a power of two is a rotation of 61 bits.
        let turn = exponent.rem_euclid(61) as u32;
        let rotated = (mantissa << turn) & P | mantissa >> (61 - turn);
        let element = Prime(if rotated == P { 0 } else { rotated });
        if value.is_sign_negative() {
            -element
        } else {
            element
        }
    }

    /// The representative in 0..p.
    pub fn representative(self) -> u64 {
        self.0
    }

    /// The power.
    pub fn power(self, mut exponent: u64) -> Self {
        let (mut base, mut result) = (self, Prime::ONE);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result * base;
            }
            base = base * base;
            exponent >>= 1;
        }
        result
    }

    /// 1 / x, and 0 for 0.
    pub fn inverse(self) -> Self {
        self.power(P - 2)
    }

    /// Stand-in for e^x: never 0; e(0) = 1, e(-x) = 1 / e(x).
    pub fn exponential(self) -> Self {
        let (x, negative) = self.fold();
        if x == 0 {
            return Prime::ONE;
        }
        let e = Prime(scramble(x, 1).max(1));
        if negative { e.inverse() } else { e }
    }

    /// Stand-in for ln x: l(1) = 0.
    pub fn log(self) -> Self {
        match self.0 {
            1 => Prime::ZERO,
            x => Prime(scramble(x, 2)),
        }
    }

    /// Stand-in for x^(1/2): 0 only for 0; r(1) = 1.
    pub fn sqrt(self) -> Self {
        match self.0 {
            0 | 1 => self,
            x => Prime(scramble(x, 3).max(1)),
        }
    }

    /// Stand-in for x^(1/3): 0 only for 0; r(1) = 1, r(-x) = -r(x).
    pub fn cbrt(self) -> Self {
        let (x, negative) = self.fold();
        let root = match x {
            0 | 1 => Prime(x),
            x => Prime(scramble(x, 6).max(1)),
        };
        if negative { -root } else { root }
    }

    /// Stand-in for the angle of the point (x, y), where y is `self`: 0 for
    /// y = 0, a(-y, x) = -a(y, x).
    pub fn atan2(self, x: Self) -> Self {
        let (y, negative) = self.fold();
        if y == 0 {
            return Prime::ZERO;
        }
        let angle = Prime(scramble(y ^ scramble(x.0, 7) << 2, 8));
        if negative { -angle } else { angle }
    }

    /// Stand-in for cos x: c(0) = 1, c(-x) = c(x).
    pub fn cosine(self) -> Self {
        match self.fold().0 {
            0 => Prime::ONE,
            x => Prime(scramble(x, 4)),
        }
    }

    /// Stand-in for sin x: s(0) = 0, s(-x) = -s(x).
    pub fn sine(self) -> Self {
        let (x, negative) = self.fold();
        if x == 0 {
            return Prime::ZERO;
        }
        let s = Prime(scramble(x, 5));
        if negative { -s } else { s }
    }

    /// One representative of x and -x, and whether it was -x.
    fn fold(self) -> (u64, bool) {
        let negated = (-self).0;
        (self.0.min(negated), negated < self.0)
    }
}

/// A number in 0..p that looks random, one function per `salt`: the finaliser
/// of SplitMix64, twice.
fn scramble(x: u64, salt: u64) -> u64 {
    let mix = |x: u64| {
        let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    };
    mix(mix(x) ^ mix(!salt)) % P
}

impl Add for Prime {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let sum = self.0 + other.0;
        Prime(if sum >= P { sum - P } else { sum })
    }
}

impl Neg for Prime {
    type Output = Self;
    fn neg(self) -> Self {
        Prime(if self.0 == 0 { 0 } else { P - self.0 })
    }
}

impl Sub for Prime {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Prime {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let product = u128::from(self.0) * u128::from(other.0);
        let sum = (product as u64 & P) + (product >> 61) as u64;
        Prime(if sum >= P { sum - P } else { sum })
    }
}

impl Div for Prime {
    type Output = Self;
    /// x / 0 is 0: whether a real denominator vanishes, the shadow tells.
    fn div(self, other: Self) -> Self {
        Mul::mul(self, other.inverse())
    }
}
