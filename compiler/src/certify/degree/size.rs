//! Degrees of formulas and of their derivatives.

/// Degree of a formula in the random elements, and in inverses.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Size {
    pub variables: f64,
    pub inverses: f64,
}

impl Size {
    pub const VARIABLE: Size = Size {
        variables: 1.0,
        inverses: 0.0,
    };

    pub fn max(self, other: Size) -> Size {
        Size {
            variables: self.variables.max(other.variables),
            inverses: self.inverses.max(other.inverses),
        }
    }

    pub fn times(self, other: Size) -> Size {
        Size {
            variables: self.variables + other.variables,
            inverses: self.inverses + other.inverses,
        }
    }

    /// Multiplied by itself so many times.
    pub fn power(self, times: f64) -> Size {
        if times == 0.0 {
            return Size::default();
        }
        Size {
            variables: self.variables * times,
            inverses: self.inverses * times,
        }
    }

    /// Divided by something that is not constant.
    pub fn inverted(self) -> Size {
        Size {
            inverses: self.inverses + 1.0,
            ..self
        }
    }
}

/// A value and its derivative along a direction.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pair {
    pub value: Size,
    pub tangent: Size,
}

impl Pair {
    pub fn max(self, other: Pair) -> Pair {
        Pair {
            value: self.value.max(other.value),
            tangent: self.tangent.max(other.tangent),
        }
    }

    pub fn times(self, other: Pair) -> Pair {
        Pair {
            value: self.value.times(other.value),
            tangent: self
                .tangent
                .times(other.value)
                .max(self.value.times(other.tangent)),
        }
    }

    pub fn constant(self) -> bool {
        self.value == Size::default()
    }

    /// The product of so many of these.
    pub fn product(self, count: f64) -> Pair {
        let others = self.value.power((count - 1.0).max(0.0));
        Pair {
            value: self.value.power(count),
            tangent: others.times(self.tangent),
        }
    }

    /// Of something that may be repeated any number of times.
    pub fn unbounded() -> Pair {
        let size = Size {
            variables: f64::INFINITY,
            inverses: 0.0,
        };
        Pair {
            value: size,
            tangent: size,
        }
    }
}
