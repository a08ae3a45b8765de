//! Constant values.

use super::types::{ElementType, TensorType};

/// One element of a constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar {
    /// A floating-point value; f32 constants hold an f32 value exactly.
    Float(f64),
    /// An integer; ui64 keeps its bits.
    Int(i64),
    /// A boolean.
    Bool(bool),
}

impl Scalar {
    /// `value` as an element of type `element`, rounded if need be.
    pub fn of(value: f64, element: ElementType) -> Self {
        match element {
            ElementType::I1 => Scalar::Bool(value != 0.0),
            ElementType::F32 => Scalar::Float(f64::from(value as f32)),
            ElementType::F64 => Scalar::Float(value),
            ElementType::Ui64 if value > 0.0 => Scalar::Int(value as u64 as i64),
            _ => Scalar::Int(value as i64),
        }
    }

    /// The value as f64.
    pub fn as_f64(self) -> f64 {
        match self {
            Scalar::Float(value) => value,
            Scalar::Int(value) => value as f64,
            Scalar::Bool(value) => f64::from(u8::from(value)),
        }
    }

    fn bits(self) -> (u8, u64) {
        match self {
            Scalar::Float(value) => (0, value.to_bits()),
            Scalar::Int(value) => (1, value as u64),
            Scalar::Bool(value) => (2, u64::from(value)),
        }
    }
}

/// A constant tensor: one value for all elements, or one per element in
/// row-major order.
#[derive(Debug, Clone)]
pub struct Literal {
    /// Type of the tensor.
    pub ty: TensorType,
    /// One value (a splat) or `ty.elements()` values.
    pub values: Vec<Scalar>,
}

impl Literal {
    /// The same value everywhere.
    pub fn splat(value: f64, ty: TensorType) -> Self {
        let value = Scalar::of(value, ty.element);
        Literal {
            ty,
            values: vec![value],
        }
    }

    /// The value of all elements, if there is one.
    pub fn splat_value(&self) -> Option<Scalar> {
        let first = *self.values.first()?;
        self.values
            .iter()
            .all(|v| v.bits() == first.bits())
            .then_some(first)
    }
}

/// Literals are equal when their bits are, so that NaN equals itself and 0.0
/// differs from -0.0: equality is used to merge constants.
impl PartialEq for Literal {
    fn eq(&self, other: &Self) -> bool {
        self.ty == other.ty
            && self.values.len() == other.values.len()
            && self
                .values
                .iter()
                .zip(&other.values)
                .all(|(a, b)| a.bits() == b.bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equality_is_bitwise() {
        let ty = TensorType::scalar(ElementType::F32);
        let zero = Literal::splat(0.0, ty.clone());
        assert_ne!(zero, Literal::splat(-0.0, ty.clone()));
        let nan = Literal::splat(f64::NAN, ty);
        assert_eq!(nan, nan.clone());
    }

    #[test]
    fn values_are_rounded_to_the_element_type() {
        let tenth = Literal::splat(0.1, TensorType::scalar(ElementType::F32));
        assert_eq!(tenth.values, [Scalar::Float(f64::from(0.1f32))]);
    }
}
