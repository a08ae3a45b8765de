//! Against integers of any size, by the methods of school.

use std::cmp::Ordering;

use proptest::prelude::*;

use super::{Rounded, Wide, power_of_two};

/// An integer: digits of 32 bits, the least significant first.
#[derive(Debug, Clone)]
struct Big {
    negative: bool,
    digits: Vec<u32>,
}

impl Big {
    fn new(value: i64) -> Self {
        let size = value.unsigned_abs();
        Big {
            negative: value < 0,
            digits: vec![size as u32, (size >> 32) as u32],
        }
    }

    /// A number times 2^shift, which is an integer.
    fn of<const W: usize>(value: &Wide<W>, shift: i32) -> Self {
        let words = value.words.iter();
        let mantissa = Big {
            negative: value.negative,
            digits: words
                .flat_map(|&word| [word as u32, (word >> 32) as u32])
                .collect(),
        };
        if value.is_zero() {
            return mantissa;
        }
        mantissa.shifted(value.exponent - 64 * W as i32 + shift)
    }

    fn shifted(&self, bits: i32) -> Self {
        let bits = u32::try_from(bits).expect("an integer");
        let mut digits = vec![0; (bits / 32) as usize];
        let mut carry = 0u64;
        for &digit in &self.digits {
            let moved = (u64::from(digit) << (bits % 32)) | carry;
            digits.push(moved as u32);
            carry = moved >> 32;
        }
        digits.push(carry as u32);
        Big {
            negative: self.negative,
            digits,
        }
    }

    fn digit(&self, at: usize) -> i64 {
        i64::from(self.digits.get(at).copied().unwrap_or(0))
    }

    fn compare_sizes(&self, other: &Self) -> Ordering {
        let count = self.digits.len().max(other.digits.len());
        let mut digits = (0..count).rev();
        let apart = digits.find(|&at| self.digit(at) != other.digit(at));
        apart.map_or(Ordering::Equal, |at| self.digit(at).cmp(&other.digit(at)))
    }

    fn plus(&self, other: &Self) -> Self {
        let (large, small) = match self.compare_sizes(other) {
            Ordering::Less => (other, self),
            _ => (self, other),
        };
        let sign = if large.negative == small.negative {
            1
        } else {
            -1
        };
        let mut carry = 0;
        let digits = (0..=large.digits.len()).map(|at| {
            let sum = large.digit(at) + sign * small.digit(at) + carry;
            carry = sum >> 32;
            sum as u32
        });
        Big {
            digits: digits.collect(),
            negative: large.negative,
        }
    }

    fn minus(&self, other: &Self) -> Self {
        let mut opposite = other.clone();
        opposite.negative = !opposite.negative;
        self.plus(&opposite)
    }

    fn times(&self, other: &Self) -> Self {
        let mut digits = vec![0u32; self.digits.len() + other.digits.len()];
        for (i, &a) in self.digits.iter().enumerate() {
            let mut carry = 0;
            for (j, &b) in other.digits.iter().enumerate() {
                let sum = u64::from(a) * u64::from(b) + u64::from(digits[i + j]) + carry;
                digits[i + j] = sum as u32;
                carry = sum >> 32;
            }
            digits[i + other.digits.len()] = carry as u32;
        }
        Big {
            negative: self.negative != other.negative,
            digits,
        }
    }

    fn is_zero(&self) -> bool {
        self.digits.iter().all(|&digit| digit == 0)
    }

    /// Whether the absolute value is at most that of the other.
    fn within(&self, other: &Self) -> bool {
        self.compare_sizes(other) != Ordering::Greater
    }
}

impl Wide<8> {
    /// A number with more words.
    pub fn widened_from<const W: usize>(narrow: &Wide<W>) -> Self {
        let mantissa: Vec<u64> = narrow.words.iter().rev().copied().collect();
        let mut wide = Self::leading(&mantissa, narrow.exponent);
        wide.negative = narrow.negative;
        wide
    }
}

/// All numbers of the tests are integers over 2^K.
const K: i32 = 1200;

fn big<const W: usize>(value: &Wide<W>) -> Big {
    Big::of(value, K)
}

fn error(error: f64) -> Big {
    big(&Wide::<2>::from_f64(error))
}

/// Words at which carries and cuts happen, and any others.
fn word() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0),
        Just(u64::MAX),
        Just(1),
        Just(1 << 63),
        any::<u64>()
    ]
}

fn number<const W: usize>() -> impl Strategy<Value = Wide<W>> {
    let words = proptest::collection::vec(word(), W);
    (words, -150..150, any::<bool>()).prop_map(|(words, exponent, negative)| {
        let mut number = Wide::<W>::leading(&words, exponent);
        number.words[W - 1] |= 1 << 63;
        number.negative = negative;
        number
    })
}

/// The result is no further from the exact one, over 2^(K + more), than it
/// says, nor than a unit; and it says 0 only where it is exact.
fn check<const W: usize>((result, far): Rounded<W>, exact: &Big, more: i32) {
    let apart = big(&result).shifted(more).minus(exact);
    assert!(
        apart.within(&error(far).shifted(more)),
        "{result:?} is off by more than {far}"
    );
    assert_eq!(far == 0.0, apart.is_zero(), "{result:?} {far}");
    assert!(far <= result.unit(), "{far} is more than a unit");
    assert!(result.is_zero() || result.words[W - 1] >> 63 == 1);
}

fn sums_and_products<const W: usize>(a: Wide<W>, b: Wide<W>) {
    check(a.plus(b), &big(&a).plus(&big(&b)), 0);
    check(a.minus(b), &big(&a).minus(&big(&b)), 0);
    check(a.times(b), &big(&a).times(&big(&b)), K);
}

fn quotients<const W: usize>(a: Wide<W>, b: Wide<W>) {
    let (quotient, far) = a.over(b);
    let rest = big(&quotient).times(&big(&b)).minus(&big(&a).shifted(K));
    let far_by = error(far).times(&big(&b));
    assert!(rest.within(&far_by), "{a:?} / {b:?}: {quotient:?}, {far}");
    assert!(far <= 32.0 * quotient.unit(), "{a:?} / {b:?}: {far}");
    let back = a.times(b);
    if back.1 == 0.0 && b.is_power_of_two() {
        assert_eq!(back.0.over(b), (a, 0.0));
    }
}

fn roots<const W: usize>(x: Wide<W>) {
    let (root, far) = x.root();
    let x = big(&x).shifted(K);
    let (low, high) = (big(&root).minus(&error(far)), big(&root).plus(&error(far)));
    assert!(low.times(&low).within(&x), "{root:?}, {far}");
    assert!(x.within(&high.times(&high)), "{root:?}, {far}");
    assert!(far <= 32.0 * root.unit(), "{root:?}, {far}");
}

proptest! {
    #[test]
    fn sums_and_products_are_off_by_less_than_a_unit(
        one in (number::<1>(), number::<1>()),
        two in (number::<2>(), number::<2>()),
        four in (number::<4>(), number::<4>()),
    ) {
        sums_and_products(one.0, one.1);
        sums_and_products(two.0, two.1);
        sums_and_products(four.0, four.1);
    }

    /// Leading words cancel, within one exponent and from one to the next.
    #[test]
    fn differences_of_neighbours_are_exact(mut a in number::<2>(), last in word(), down in 0..2i32) {
        let mut b = a.scaled(-down);
        b.words[0] = last;
        if down == 1 {
            (a.words[1], b.words[1]) = (1 << 63, u64::MAX);
        }
        check(a.minus(b), &big(&a).minus(&big(&b)), 0);
        prop_assert_eq!(a.minus(b).1, 0.0);
    }

    #[test]
    fn quotients_and_roots_are_off_by_what_they_say(
        one in (number::<1>(), number::<1>()),
        two in (number::<2>(), number::<2>()),
        three in (number::<3>(), number::<3>()),
        eight in (number::<8>(), number::<8>()),
    ) {
        quotients(one.0, one.1);
        quotients(two.0, two.1);
        quotients(three.0, three.1);
        quotients(eight.0, eight.1);
        roots(one.0.abs());
        roots(two.0.abs());
        roots(three.0.abs());
        roots(eight.0.abs());
    }

    #[test]
    fn every_f64_is_a_number(value in any::<f64>().prop_filter("finite", |v| v.is_finite())) {
        let wide = Wide::<2>::from_f64(value);
        prop_assert!(wide.below() <= value.abs() && value.abs() <= wide.above());
        if value.is_normal() {
            prop_assert_eq!(wide.to_f64(), value);
        }
    }
}

#[test]
fn small_numbers_by_hand() {
    let number = Wide::<2>::from_f64;
    assert_eq!(number(3.0).plus(number(-1.25)), (number(1.75), 0.0));
    assert_eq!(number(1.5).times(number(-6.0)), (number(-9.0), 0.0));
    assert_eq!(number(1.0).minus(number(1.0)), (Wide::ZERO, 0.0));
    assert_eq!(number(7.0).over(number(-0.5)), (number(-14.0), 0.0));
    assert_eq!(number(0.0).over(number(3.0)), (Wide::ZERO, 0.0));
    assert_eq!(number(1.0).over(number(0.0)).1, f64::INFINITY);
    assert_eq!(number(9.0).root().0.to_f64(), 3.0);
    assert_eq!(Wide::<2>::from_word(10).to_f64(), 10.0);
    // 1 + 2^-127 has 128 bits, 1 + 2^-128 has one more.
    let least = |exponent| number(1.0).plus(number(power_of_two(exponent)));
    assert_eq!(least(-127).1, 0.0);
    assert_eq!(least(-128), (number(1.0), power_of_two(-127)));
    // Subnormal: 2^-1074.
    assert_eq!(number(f64::from_bits(1)).exponent(), -1073);
    assert_eq!(number(f64::from_bits(1)).above(), f64::MIN_POSITIVE);
}

/// Big integers against i128.
#[test]
fn the_integers_of_these_tests_are_right() {
    let value = |big: &Big| {
        let size = big.digits.iter().rev();
        let size = size.fold(0i128, |sum, &digit| (sum << 32) + i128::from(digit));
        if big.negative { -size } else { size }
    };
    let values = [0, 1, -1, 77, -(1 << 40), (1 << 62) - 5, i64::MAX];
    for a in values {
        for b in values {
            let (x, y) = (Big::new(a), Big::new(b));
            let (a, b) = (i128::from(a), i128::from(b));
            assert_eq!(value(&x.plus(&y)), a + b);
            assert_eq!(value(&x.minus(&y)), a - b);
            assert_eq!(value(&x.times(&y)), a * b);
            assert_eq!(x.within(&y), a.abs() <= b.abs());
        }
        assert_eq!(value(&Big::new(a).shifted(37)), i128::from(a) << 37);
    }
}
