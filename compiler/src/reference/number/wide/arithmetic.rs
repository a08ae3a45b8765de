//! Sums, products, and approximate reciprocals and roots.

use std::cmp::Ordering;

use super::{Rounded, Wide, power_of_two, two};

/// a + b + carry, and whether that is too large for a word.
fn add(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (sum, one) = a.overflowing_add(b);
    let (sum, two) = sum.overflowing_add(u64::from(carry));
    (sum, one || two)
}

/// An error times a power of two, rounded up.
fn scaled_up(error: f64, exponent: i32) -> f64 {
    if error == 0.0 {
        return 0.0;
    }
    let scaled = error * power_of_two(exponent) * (1.0 + 8.0 * f64::EPSILON);
    scaled + f64::MIN_POSITIVE
}

/// A word moved so many bits to the right, less than 64, and the lowest bits of
/// the one before it.
fn right(word: u64, before: u64, bits: u32) -> u64 {
    word >> bits | before << 1 << (63 - bits)
}

/// A word moved so many bits to the left, less than 64, and the highest bits of
/// the one after it.
fn left(word: u64, after: u64, bits: u32) -> u64 {
    word << bits | after >> 1 >> (63 - bits)
}

/// A mantissa and the word that follows it.
struct Guarded<const W: usize> {
    words: [u64; W],
    guard: u64,
    /// Whether anything but 0 comes after the guard.
    lost: bool,
}

impl<const W: usize> Guarded<W> {
    /// `words` moved so many bits to the right.
    fn right(words: &[u64; W], bits: u32) -> Self {
        if bits < 64 {
            let mut moved = *words;
            for at in 0..W {
                moved[at] = right(words[at], words.get(at + 1).copied().unwrap_or(0), bits);
            }
            return Guarded {
                words: moved,
                guard: right(0, words[0], bits),
                lost: false,
            };
        }
        Self::far_right(words, bits)
    }

    /// The same by whole words and more.
    #[cold]
    fn far_right(words: &[u64; W], bits: u32) -> Self {
        let (whole, part) = ((bits / 64) as usize, bits % 64);
        let word = |at: usize| words.get(at).copied().unwrap_or(0);
        let joined = |at: usize| right(word(at), word(at + 1), part);
        let mut moved = [0; W];
        for (at, moved) in moved.iter_mut().enumerate() {
            *moved = joined(at + whole);
        }
        let guard = whole - 1;
        let after = words.iter().take(guard).fold(0, |all, &word| all | word);
        Guarded {
            words: moved,
            guard: joined(guard),
            lost: after | right(0, word(guard), part) != 0 || guard >= W,
        }
    }

    /// Moves so many bits to the left, out of the guard.
    fn left(&mut self, bits: u32) {
        for _ in 0..bits / 64 {
            // Rare: whole words cancel.
            for at in (1..W).rev() {
                self.words[at] = self.words[at - 1];
            }
            (self.words[0], self.guard) = (self.guard, 0);
        }
        let part = bits % 64;
        for at in (1..W).rev() {
            self.words[at] = left(self.words[at], self.words[at - 1], part);
        }
        self.words[0] = left(self.words[0], self.guard, part);
        self.guard <<= part;
    }

    fn leading_zeros(&self) -> u32 {
        let words = self.words.iter().rev().chain([&self.guard]);
        let mut zeros = 0;
        for word in words {
            zeros += word.leading_zeros();
            if *word != 0 {
                break;
            }
        }
        zeros
    }
}

/// The sum of two numbers, neither of them 0.
fn sum<const W: usize>(a: &Wide<W>, b: &Wide<W>) -> Rounded<W> {
    let (large, small) = match a.compare_sizes(b) {
        Ordering::Less => (b, a),
        _ => (a, b),
    };
    let apart = large.exponent.abs_diff(small.exponent);
    let mut sum = Guarded::right(&small.words, apart);
    let mut exponent = large.exponent;
    // The opposite of the smaller one is its complement and one; here and
    // below a branch that goes either way costs more than what it saves.
    let differ = large.negative != small.negative;
    let flip = if differ { u64::MAX } else { 0 };
    let (guard, mut carry) = add(sum.guard ^ flip, 0, differ);
    sum.guard = guard;
    for (sum, &word) in sum.words.iter_mut().zip(&large.words) {
        (*sum, carry) = add(word, *sum ^ flip, carry);
    }
    if carry && !differ {
        sum.lost |= sum.guard & 1 != 0;
        sum.guard = right(sum.guard, sum.words[0], 1);
        for at in 0..W {
            sum.words[at] = right(
                sum.words[at],
                sum.words.get(at + 1).copied().unwrap_or(1),
                1,
            );
        }
        exponent += 1;
    } else {
        let zeros = sum.leading_zeros();
        if zeros == 64 * (W as u32 + 1) {
            return (Wide::ZERO, 0.0);
        }
        sum.left(zeros);
        exponent -= zeros as i32;
    }
    let result = Wide {
        words: sum.words,
        exponent,
        negative: large.negative,
    };
    // What was lost is less than the guard holds, so that the two together
    // are less than a unit.
    let exact = sum.guard == 0 && !sum.lost;
    (result, if exact { 0.0 } else { result.unit() })
}

/// The product of two numbers, neither of them 0.
fn product<const W: usize>(a: &Wide<W>, b: &Wide<W>) -> Rounded<W> {
    let (mut low, mut high) = ([0u64; W], [0u64; W]);
    for i in 0..W {
        let mut carry = 0;
        for j in 0..W {
            let slot = match i + j {
                at if at < W => &mut low[at],
                at => &mut high[at - W],
            };
            let product = u128::from(a.words[i]) * u128::from(b.words[j]);
            let sum = product + u128::from(*slot) + u128::from(carry);
            (*slot, carry) = (sum as u64, (sum >> 64) as u64);
        }
        high[i] = carry;
    }
    let zeros = high[W - 1].leading_zeros();
    for at in (1..W).rev() {
        high[at] = left(high[at], high[at - 1], zeros);
    }
    high[0] = left(high[0], low[W - 1], zeros);
    low[W - 1] <<= zeros;
    let result = Wide {
        words: high,
        exponent: a.exponent + b.exponent - zeros as i32,
        negative: a.negative != b.negative,
    };
    let exact = low.iter().fold(0, |all, &word| all | word) == 0;
    (result, if exact { 0.0 } else { result.unit() })
}

impl<const W: usize> Wide<W> {
    /// The sum.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Rounded<W> {
        if other.is_zero() {
            return (self, 0.0);
        }
        if self.is_zero() {
            return (other, 0.0);
        }
        match W == 2 && self.exponent.abs_diff(other.exponent) < 128 {
            true => two::sum(&self, &other),
            false => sum(&self, &other),
        }
    }

    /// The difference.
    pub fn minus(self, other: Self) -> Rounded<W> {
        self.plus(-other)
    }

    /// The product.
    #[inline(always)]
    pub fn times(self, other: Self) -> Rounded<W> {
        if self.is_zero() || other.is_zero() {
            return (Self::ZERO, 0.0);
        }
        match W == 2 {
            true => two::product(&self, &other),
            false => product(&self, &other),
        }
    }

    /// How often Newton's method doubles the digits of an f64 to reach half of
    /// all.
    const DOUBLINGS: u32 = W.next_power_of_two().trailing_zeros();

    /// About 1 / x, to half of the digits or more, for x in 1/2..1.
    fn reciprocal(self) -> Self {
        let one = Self::from_word(1);
        let mut inverse = Self::from_f64(1.0 / self.to_f64());
        for _ in 0..Self::DOUBLINGS {
            let rest = one.minus(self.times(inverse).0).0;
            inverse = inverse.plus(inverse.times(rest).0).0;
        }
        inverse
    }

    /// About self / other, by Newton's method, and how far it may be from it:
    /// by the rest that it leaves, whatever made it. Infinitely far for a
    /// divisor of 0.
    pub fn over(self, other: Self) -> Rounded<W> {
        if other.is_zero() {
            return (Self::ZERO, f64::INFINITY);
        }
        let mut divisor = other;
        divisor.exponent = 0;
        if other.is_power_of_two() {
            let quotient = if other.negative { -self } else { self };
            return (quotient.scaled(1 - other.exponent), 0.0);
        }
        let inverse = divisor.reciprocal();
        let quotient = self.times(inverse).0;
        let rest = self.minus(quotient.times(divisor).0).0;
        let quotient = quotient.plus(rest.times(inverse).0).0;
        let (product, one) = quotient.times(divisor);
        let (rest, two) = self.minus(product);
        // The divisor is 1/2 or more.
        let far = 2.0 * (rest.above() + one + two);
        (
            quotient.scaled(-other.exponent),
            scaled_up(far, -other.exponent),
        )
    }

    /// About the root of a number that is not negative, and how far it may be
    /// from it: by the rest that it leaves.
    pub fn root(self) -> Rounded<W> {
        if self.is_zero() {
            return (self, 0.0);
        }
        let half = Self::from_f64(0.5);
        // The radicand in 1/4..1, and an even exponent.
        let odd = self.exponent.rem_euclid(2);
        let mut radicand = self;
        radicand.exponent = -odd;
        let one = Self::from_word(1);
        let mut inverse = Self::from_f64(1.0 / radicand.to_f64().sqrt());
        for _ in 0..Self::DOUBLINGS {
            let square = inverse.times(inverse).0;
            let rest = one.minus(radicand.times(square).0).0;
            inverse = inverse.plus(inverse.times(rest).0.times(half).0).0;
        }
        let root = radicand.times(inverse).0;
        let rest = radicand.minus(root.times(root).0).0;
        let root = root.plus(rest.times(inverse).0.times(half).0).0;
        let (square, one) = root.times(root);
        let (rest, two) = radicand.minus(square);
        // The two roots differ by x - r^2 over their sum, which is 1/2 or more.
        let far = 2.0 * (rest.above() + one + two);
        let scale = (self.exponent + odd) / 2;
        (root.scaled(scale), scaled_up(far, scale))
    }
}
