//! Tensors of numbers and of integers.

use super::error::Error;
use super::integer;
use super::number::Number;
use crate::stablehlo::{Literal, Scalar, TensorType};

/// The elements of a tensor, row-major.
#[derive(Debug, Clone, PartialEq)]
pub enum Data<T> {
    /// Floating-point elements.
    Numbers(Vec<T>),
    /// Integers as their value (ui64: its bits), booleans as 0 or 1.
    Integers(Vec<i64>),
}

impl<T> Data<T> {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Data::Numbers(values) => values.len(),
            Data::Integers(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A tensor whose floating-point elements are of type `T`. The elements fit
/// the type in kind and number.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor<T> {
    ty: TensorType,
    data: Data<T>,
}

impl<T: Number> Tensor<T> {
    /// A tensor of a floating-point type.
    ///
    /// # Errors
    /// If the number of elements differs, `ty` is an integer type, or `T`
    /// cannot stand for its elements.
    pub fn numbers(ty: TensorType, values: Vec<T>) -> Result<Self, Error> {
        Self::checked(ty, Data::Numbers(values))
    }

    /// A tensor of an integer type; values are taken modulo 2^bits.
    ///
    /// # Errors
    /// If the number of elements differs or `ty` is a floating-point type.
    pub fn integers(ty: TensorType, mut values: Vec<i64>) -> Result<Self, Error> {
        for value in &mut values {
            *value = integer::wrap(ty.element, *value);
        }
        Self::checked(ty, Data::Integers(values))
    }

    /// A tensor of any type from real values, rounded if need be.
    ///
    /// # Errors
    /// As [`Tensor::numbers`].
    pub fn from_f64(ty: TensorType, values: &[f64]) -> Result<Self, Error> {
        let data = if ty.element.is_float() {
            Data::Numbers(values.iter().map(|&v| T::from_f64(v)).collect())
        } else {
            let element = ty.element;
            let round = |&v| integer::from_real(element, v);
            Data::Integers(values.iter().map(round).collect())
        };
        Self::checked(ty, data)
    }

    /// The tensor of a constant.
    ///
    /// # Errors
    /// As [`Tensor::numbers`].
    pub fn from_literal(literal: &Literal) -> Result<Self, Error> {
        let element = literal.ty.element;
        let repeat = match literal.values.len() {
            1 => usize::try_from(literal.ty.elements()).unwrap_or(0),
            _ => 1,
        };
        let data = if element.is_float() {
            let number = |v: &Scalar| T::from_f64(v.as_f64());
            Data::Numbers(repeated(literal.values.iter().map(number), repeat))
        } else {
            let integer = |v: &Scalar| match *v {
                Scalar::Float(value) => integer::from_real(element, value),
                Scalar::Int(value) => integer::wrap(element, value),
                Scalar::Bool(value) => i64::from(value),
            };
            Data::Integers(repeated(literal.values.iter().map(integer), repeat))
        };
        Self::checked(literal.ty.clone(), data)
    }

    pub(super) fn checked(ty: TensorType, data: Data<T>) -> Result<Self, Error> {
        let (kind, right_kind) = match data {
            Data::Numbers(_) => ("floating-point", T::holds(ty.element)),
            Data::Integers(_) => ("integer", !ty.element.is_float()),
        };
        let found = data.len();
        let negative = ty.shape.iter().any(|&size| size < 0);
        if !right_kind || negative || i64::try_from(found) != Ok(ty.elements()) {
            return Err(Error::Elements { ty, kind, found });
        }
        Ok(Tensor { ty, data })
    }

    /// The type.
    pub fn ty(&self) -> &TensorType {
        &self.ty
    }

    /// The elements.
    pub fn data(&self) -> &Data<T> {
        &self.data
    }

    /// The elements, taken out.
    pub(super) fn into_data(self) -> Data<T> {
        self.data
    }

    /// The floating-point elements; none for integers.
    pub fn as_numbers(&self) -> &[T] {
        match &self.data {
            Data::Numbers(values) => values,
            Data::Integers(_) => &[],
        }
    }

    /// The integer elements; none for floating-point numbers.
    pub fn as_integers(&self) -> &[i64] {
        match &self.data {
            Data::Numbers(_) => &[],
            Data::Integers(values) => values,
        }
    }

    /// The elements as real values (64-bit integers are rounded).
    pub fn to_f64(&self) -> Vec<f64> {
        match &self.data {
            Data::Numbers(values) => values.iter().map(|v| v.shadow()).collect(),
            Data::Integers(values) => values
                .iter()
                .map(|&v| integer::value(self.ty.element, v) as f64)
                .collect(),
        }
    }

    /// The sizes of the dimensions.
    pub(crate) fn extents(&self) -> Vec<usize> {
        extents(&self.ty)
    }
}

/// Sizes of the dimensions of a type without negative ones.
pub(super) fn extents(ty: &TensorType) -> Vec<usize> {
    let size = |&size| usize::try_from(size).unwrap_or(0);
    ty.shape.iter().map(size).collect()
}

fn repeated<V: Clone>(values: impl Iterator<Item = V>, repeat: usize) -> Vec<V> {
    values
        .flat_map(|value| std::iter::repeat_n(value, repeat))
        .collect()
}
