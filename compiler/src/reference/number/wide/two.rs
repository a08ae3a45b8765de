//! The same for two words, which fit into a register pair: most audits need no
//! more, and most of their time goes here.

use super::{Rounded, Wide};

impl<const W: usize> Wide<W> {
    /// The mantissa, if it has two words.
    #[inline(always)]
    fn pair(&self) -> u128 {
        u128::from(self.words[W - 1]) << 64 | u128::from(self.words[0])
    }

    /// A mantissa of four words, of which the first bit is set, cut off.
    #[inline(always)]
    fn rounded(high: u128, low: u128, exponent: i32, negative: bool) -> Rounded<W> {
        let mut words = [0; W];
        words[0] = high as u64;
        words[W - 1] = (high >> 64) as u64;
        let result = Wide {
            words,
            exponent,
            negative,
        };
        (result, if low == 0 { 0.0 } else { result.unit() })
    }
}

/// The sum of two numbers, neither of them 0, whose exponents are less than 128
/// apart.
#[inline(always)]
pub(super) fn sum<const W: usize>(a: &Wide<W>, b: &Wide<W>) -> Rounded<W> {
    let (left, right) = ((a.exponent, a.pair()), (b.exponent, b.pair()));
    let turned = left < right;
    let ((exponent, a_bits), (least, b_bits)) = if turned { (right, left) } else { (left, right) };
    let negative = if turned { b.negative } else { a.negative };
    let apart = exponent.abs_diff(least) & 127;
    let (high, low) = (b_bits >> apart, b_bits << 1 << (127 - apart));
    if a.negative == b.negative {
        let (sum, carry) = a_bits.overflowing_add(high);
        if !carry {
            return Wide::rounded(sum, low, exponent, negative);
        }
        let (high, low) = (sum >> 1 | 1 << 127, low >> 1 | sum << 127);
        return Wide::rounded(high, low, exponent + 1, negative);
    }
    let (mut low, borrow) = 0u128.overflowing_sub(low);
    let mut high = a_bits - high - u128::from(borrow);
    let mut exponent = exponent;
    if high == 0 {
        if low == 0 {
            return (Wide::ZERO, 0.0);
        }
        (high, low) = (low, 0);
        exponent -= 128;
    }
    let zeros = high.leading_zeros();
    let high = high << zeros | low >> 1 >> (127 - zeros);
    Wide::rounded(high, low << zeros, exponent - zeros as i32, negative)
}

/// The product of two numbers, neither of them 0.
#[inline(always)]
pub(super) fn product<const W: usize>(a: &Wide<W>, b: &Wide<W>) -> Rounded<W> {
    let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
    let ([a_high, a_low], [b_high, b_low]) =
        ([a.words[W - 1], a.words[0]], [b.words[W - 1], b.words[0]]);
    let lowest = product(a_low, b_low);
    let (one, two) = (product(a_high, b_low), product(a_low, b_high));
    let half = |x: u128| u128::from(x as u64);
    // Three numbers of 64 bits.
    let middle = (lowest >> 64) + half(one) + half(two);
    let high = product(a_high, b_high) + (one >> 64) + (two >> 64) + (middle >> 64);
    let low = middle << 64 | half(lowest);
    let zeros = high.leading_zeros();
    Wide::rounded(
        high << zeros | low >> 1 >> (127 - zeros),
        low << zeros,
        a.exponent + b.exponent - zeros as i32,
        a.negative != b.negative,
    )
}
