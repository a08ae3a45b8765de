//! Numbers for functions of the parameters.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A function of the parameters, by number: equal numbers mean equal
/// functions. Numbers of one [`Interner`] only can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Class(u32);

impl Class {
    /// The function that is 0 whatever the parameters are.
    pub const ZERO: Class = Class(0);
}

/// How a function is made. Different makings may still be the same function;
/// equal ones are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Making {
    /// This value of this channel, by its bits.
    Pixel { channel: u32, bits: u32 },
    /// Where a sum over the taps of a layer with these parameters begins.
    Layer { weight: u32, bias: Option<u32> },
    /// Where the maximum, sum, difference or product of others begins.
    Op(&'static str),
    /// One function beside those that were named before it.
    With(Class, Class),
}

/// Gives each making a number of its own.
#[derive(Debug, Default)]
pub(super) struct Interner {
    classes: HashMap<Making, Class, BuildHasherDefault<Mix>>,
}

impl Interner {
    pub(super) fn class(&mut self, making: Making) -> Class {
        // 0 is `Class::ZERO`, which nothing here makes.
        let next = Class(self.classes.len() as u32 + 1);
        *self.classes.entry(making).or_insert(next)
    }

    /// The function that `making` makes of these, in this order.
    pub(super) fn fold(&mut self, making: Making, parts: impl IntoIterator<Item = Class>) -> Class {
        let start = self.class(making);
        let parts = parts.into_iter();
        parts.fold(start, |made, part| self.class(Making::With(made, part)))
    }

    /// Forgets every making; classes given before mean nothing from now on.
    pub(super) fn clear(&mut self) {
        self.classes.clear();
    }
}

/// Multiplies and rotates: short keys, nobody's enemies.
#[derive(Debug, Default)]
pub(super) struct Mix(u64);

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(26) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_isize(&mut self, value: isize) {
        self.write_u64(value as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_makings_are_equal_and_others_are_not() {
        let mut interner = Interner::default();
        let pixel = |interner: &mut Interner, value: f32| {
            interner.class(Making::Pixel {
                channel: 0,
                bits: value.to_bits(),
            })
        };
        let a = pixel(&mut interner, 1.0);
        let b = pixel(&mut interner, 2.0);
        let conv = Making::Layer {
            weight: 0,
            bias: None,
        };
        let sum = interner.fold(conv, [a, b]);
        assert_eq!(sum, interner.fold(conv, [a, b]));
        let others = [
            interner.fold(conv, [b, a]),
            interner.fold(conv, [a]),
            interner.fold(Making::Op("add"), [a, b]),
            a,
            b,
            Class::ZERO,
        ];
        assert!(!others.contains(&sum), "{sum:?} in {others:?}");
    }
}
