//! Sums, differences and products of functions of the parameters.

use super::intern::{Class, Interner, Making};

/// How two functions become one.
#[derive(Clone, Copy)]
pub(super) struct Pairing {
    name: &'static str,
    commutes: bool,
    /// What it makes of 0 and a function.
    zero_and: Zero,
}

#[derive(Clone, Copy, PartialEq)]
enum Zero {
    /// The function.
    Neutral,
    /// 0.
    Absorbing,
    /// The function, only where 0 is on the right.
    NeutralRight,
}

impl Pairing {
    pub(super) const ADD: Pairing = Pairing {
        name: "add",
        commutes: true,
        zero_and: Zero::Neutral,
    };
    pub(super) const SUBTRACT: Pairing = Pairing {
        name: "subtract",
        commutes: false,
        zero_and: Zero::NeutralRight,
    };
    pub(super) const MULTIPLY: Pairing = Pairing {
        name: "multiply",
        commutes: true,
        zero_and: Zero::Absorbing,
    };

    /// The function that they make.
    pub(super) fn class(self, interner: &mut Interner, a: Class, b: Class) -> Class {
        match (self.zero_and, a == Class::ZERO, b == Class::ZERO) {
            (Zero::Absorbing, true, _) | (Zero::Absorbing, _, true) => return Class::ZERO,
            (Zero::Neutral, true, _) => return b,
            (Zero::Neutral | Zero::NeutralRight, _, true) => return a,
            _ => {}
        }
        let pair = if self.commutes && b < a {
            [b, a]
        } else {
            [a, b]
        };
        interner.fold(Making::Op(self.name), pair)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_neutral_or_absorbing() {
        let mut interner = Interner::default();
        let [a, b] = ["a", "b"].map(|name| interner.class(Making::Op(name)));
        let zero = Class::ZERO;
        let mut make = |pairing: Pairing, x, y| pairing.class(&mut interner, x, y);
        assert_eq!(make(Pairing::ADD, zero, a), a);
        assert_eq!(make(Pairing::ADD, a, b), make(Pairing::ADD, b, a));
        assert_eq!(make(Pairing::SUBTRACT, a, zero), a);
        assert_ne!(make(Pairing::SUBTRACT, zero, a), a);
        assert_ne!(make(Pairing::SUBTRACT, a, b), make(Pairing::SUBTRACT, b, a));
        assert_eq!(make(Pairing::MULTIPLY, a, zero), zero);
        assert_eq!(make(Pairing::MULTIPLY, zero, zero), zero);
        assert_ne!(make(Pairing::MULTIPLY, a, b), make(Pairing::ADD, a, b));
    }
}
