//! Binary floating-point numbers of many words.
//!
//! Every operation says how far its result may be from the real one, which is
//! nowhere more than a unit in the last place: what does not fit is cut off.
//! The methods are those of Knuth, "The Art of Computer Programming", volume 2,
//! 4.2.1 and 4.3.1.

mod arithmetic;
#[cfg(test)]
pub(super) mod tests;
mod two;

use std::cmp::Ordering;
use std::ops::Neg;

/// A number with a mantissa of `W` words of 64 bits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Wide<const W: usize> {
    /// The mantissa, least significant word first; its highest bit is set
    /// unless the number is 0.
    words: [u64; W],
    /// The number is 0.mantissa times two to this.
    exponent: i32,
    negative: bool,
}

/// A number, and how far it may be from what it stands for.
pub(super) type Rounded<const W: usize> = (Wide<W>, f64);

/// 2^exponent, rounded up where f64 does not reach down to it, infinite where it
/// does not reach up.
#[inline(always)]
pub(super) fn power_of_two(exponent: i32) -> f64 {
    match exponent {
        ..-1022 => f64::MIN_POSITIVE,
        -1022..=1023 => f64::from_bits(((exponent + 1023) as u64) << 52),
        _ => f64::INFINITY,
    }
}

impl<const W: usize> Wide<W> {
    /// 0
    pub const ZERO: Self = Wide {
        words: [0; W],
        exponent: 0,
        negative: false,
    };

    /// The first `W` words of a mantissa whose most significant word comes
    /// first, cut off.
    pub fn leading(mantissa: &[u64], exponent: i32) -> Self {
        let mut words = [0; W];
        for (word, &given) in words.iter_mut().rev().zip(mantissa) {
            *word = given;
        }
        Wide {
            words,
            exponent,
            negative: false,
        }
    }

    /// A finite f64; 0 for others.
    pub fn from_f64(value: f64) -> Self {
        let bits = value.to_bits();
        let (biased, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
        let (mantissa, exponent) = match biased {
            0 => (fraction, -1074),
            0x7ff => (0, 0),
            _ => (fraction | 1 << 52, biased - 1075),
        };
        let mut wide = Self::from_word(mantissa);
        if mantissa != 0 {
            wide.exponent += exponent;
            wide.negative = value.is_sign_negative();
        }
        wide
    }

    /// An integer.
    pub fn from_word(value: u64) -> Self {
        if value == 0 {
            return Self::ZERO;
        }
        let zeros = value.leading_zeros();
        let mut words = [0; W];
        words[W - 1] = value << zeros;
        Wide {
            words,
            exponent: 64 - zeros as i32,
            negative: false,
        }
    }

    /// Whether it is 0.
    #[inline(always)]
    pub fn is_zero(&self) -> bool {
        self.words[W - 1] == 0
    }

    /// Whether it is less than 0.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// The number is less than two to this, in absolute value.
    pub fn exponent(&self) -> i32 {
        self.exponent
    }

    /// Times a power of two.
    pub fn scaled(mut self, exponent: i32) -> Self {
        if !self.is_zero() {
            self.exponent += exponent;
        }
        self
    }

    /// The absolute value.
    pub fn abs(mut self) -> Self {
        self.negative = false;
        self
    }

    /// Whether it is a power of two, or the opposite of one.
    pub fn is_power_of_two(&self) -> bool {
        let (high, rest) = (self.words[W - 1], &self.words[..W - 1]);
        high == 1 << 63 && rest.iter().all(|&word| word == 0)
    }

    /// One in the last place.
    #[inline(always)]
    pub fn unit(&self) -> f64 {
        power_of_two(self.exponent - 64 * W as i32)
    }

    /// The largest f64 that is not above the absolute value, but for numbers
    /// that f64 does not hold.
    pub fn below(&self) -> f64 {
        if self.is_zero() {
            return 0.0;
        }
        self.size(0, 0.0, f64::MAX)
    }

    /// An f64 that the absolute value is below.
    #[inline(always)]
    pub fn above(&self) -> f64 {
        if self.is_zero() {
            return 0.0;
        }
        self.size(1, f64::MIN_POSITIVE, f64::INFINITY)
    }

    /// The leading 53 bits and so many more, or one of the others where f64
    /// does not reach.
    #[inline(always)]
    fn size(&self, more: u64, too_small: f64, too_large: f64) -> f64 {
        match self.exponent - 1 {
            ..-1022 => too_small,
            // The first bit adds one to the exponent.
            exponent @ -1022..=1023 => {
                let leading = (self.words[W - 1] >> 11) + more;
                f64::from_bits((((exponent + 1022) as u64) << 52) + leading)
            }
            _ => too_large,
        }
    }

    /// The nearest f64 towards 0.
    pub fn to_f64(self) -> f64 {
        let size = self.below();
        if self.negative { -size } else { size }
    }

    /// Compares absolute values.
    #[inline(always)]
    fn compare_sizes(&self, other: &Self) -> Ordering {
        if self.is_zero() || other.is_zero() {
            return other.is_zero().cmp(&self.is_zero());
        }
        if self.exponent != other.exponent {
            return self.exponent.cmp(&other.exponent);
        }
        let words = self.words.iter().zip(&other.words).rev();
        let apart = words.map(|(a, b)| a.cmp(b)).find(|order| order.is_ne());
        apart.unwrap_or(Ordering::Equal)
    }
}

impl<const W: usize> Neg for Wide<W> {
    type Output = Self;
    fn neg(mut self) -> Self {
        self.negative = !self.negative && !self.is_zero();
        self
    }
}
