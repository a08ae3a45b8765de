//! Where a module is checked: real values that make the decisions, and field
//! elements that no formula can foresee.

use std::collections::BTreeSet;
use std::collections::btree_map::Entry;

use super::error::{Error, Result};
use super::random::Random;
use super::state::Piece;
use super::subject::{LIMITS, Subject, Values};
use crate::lower::LABEL;
use crate::optimizer::{EXAMPLES, UPDATE, UPDATES};
use crate::program::COTANGENT;
use crate::reference::{Data, Dual, Exact, Number, Prime, Tensor};
use crate::stablehlo::{ElementType, TensorType};

/// How the real values are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Draw {
    /// Weights as He initialises them, biases in -0.1..0.1 so that no
    /// background pixel sits on a relu's kink, everything else in 0..1.
    Real,
    /// -1, 0 and 1, not 0 with this probability: f64 holds every sum of a
    /// moderate network exactly, so that ties are ties in whatever order a
    /// module adds, and there are many.
    Ternary(f64),
    /// The same, but images and kernels are equal to their transposes, and so is
    /// what is computed of them: cells of a window on the diagonal tie by pairs, of
    /// which the first in rows is not the first in columns.
    Symmetric(f64),
}

/// Real values for every argument of the given functions of a subject.
///
/// # Errors
/// If a function is missing, its arguments have no names, or they do not fit
/// into memory, of which nothing is used then.
pub fn draw(
    subject: &Subject,
    functions: &[&str],
    how: Draw,
    random: &mut Random,
) -> Result<Values<f64>> {
    check_size(subject, functions)?;
    let mut values = Values::new();
    for name in functions {
        for (name, ty) in subject.slots(subject.function(name)?)? {
            if let Entry::Vacant(slot) = values.entry(name) {
                let value = tensor(subject, slot.key(), ty, how, random)?;
                slot.insert(value);
            }
        }
    }
    Ok(values)
}

/// Bytes per element of an argument: its value; an element, a direction and a
/// gradient; and a dual number.
const BYTES: u64 = (size_of::<f64>() + 3 * size_of::<Exact>() + size_of::<Dual<Exact>>()) as u64;

/// Refuses arguments that do not fit into memory.
fn check_size(subject: &Subject, functions: &[&str]) -> Result<()> {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut needed = 0u64;
    for function in functions {
        for (name, ty) in subject.slots(subject.function(function)?)? {
            if !seen.insert(name.clone()) {
                continue;
            }
            let elements = u64::try_from(ty.elements()).unwrap_or(u64::MAX);
            needed = needed.saturating_add(elements.saturating_mul(BYTES));
            if needed > LIMITS.bytes {
                return Err(Error::TooLarge {
                    function: (*function).to_owned(),
                    name,
                    ty,
                    needed,
                    limit: LIMITS.bytes,
                });
            }
        }
    }
    Ok(())
}

fn tensor(
    subject: &Subject,
    name: &str,
    ty: TensorType,
    how: Draw,
    random: &mut Random,
) -> Result<Tensor<f64>> {
    let count = ty.elements().max(0) as usize;
    if !ty.element.is_float() {
        let integer = |random: &mut Random| match name {
            LABEL => random.below(subject.classes()) as i64,
            // A training that has gone on for a while, and either answer.
            UPDATES | EXAMPLES => random.below(100) as i64,
            UPDATE => random.below(2) as i64,
            _ => random.bits() as i64,
        };
        let values = (0..count).map(|_| integer(random)).collect();
        return Ok(Tensor::integers(ty, values)?);
    }
    let parameter = subject.parameters().iter().find(|p| p.name == name);
    let range = match parameter {
        Some(p) if p.role == "weight" => {
            let bound = (6.0 / p.fan_in.max(1) as f64).sqrt();
            -bound..bound
        }
        Some(_) => -0.1..0.1,
        None if name == COTANGENT => -1.0..1.0,
        None => 0.0..1.0,
    };
    let piece = subject.state().iter().find(|piece| piece.name == name);
    let of_squares = piece.is_some_and(Piece::is_of_squares);
    let number = |random: &mut Random| match how {
        // Above the square of any mean that is drawn.
        Draw::Real if of_squares => random.real(1.0, 2.0),
        Draw::Real => random.real(range.start, range.end),
        Draw::Ternary(density) | Draw::Symmetric(density) if of_squares => {
            random.ternary(density).abs()
        }
        Draw::Ternary(density) | Draw::Symmetric(density) => random.ternary(density),
    };
    let mut values: Vec<f64> = (0..count).map(|_| number(random)).collect();
    if let (Draw::Symmetric(_), &[_, _, height, width]) = (how, &ty.shape[..])
        && height == width
    {
        let side = height.max(1) as usize;
        for plane in values.chunks_mut(side * side) {
            for (y, x) in (0..side).flat_map(|y| (0..y).map(move |x| (y, x))) {
                plane[x * side + y] = plane[y * side + x];
            }
        }
    }
    Ok(Tensor::numbers(ty, values)?)
}

/// The same values with another number for each floating-point element.
///
/// # Errors
/// If `U` cannot stand for an element type.
pub fn map<T: Number, U: Number>(
    values: &Values<T>,
    mut number: impl FnMut(&str, T) -> U,
) -> Result<Values<U>> {
    let mut mapped = Values::new();
    for (name, tensor) in values {
        let ty = tensor.ty().clone();
        let tensor = match tensor.data() {
            Data::Numbers(numbers) => {
                let numbers = numbers.iter().map(|&n| number(name, n)).collect();
                Tensor::numbers(ty, numbers)?
            }
            Data::Integers(integers) => Tensor::integers(ty, integers.clone())?,
        };
        mapped.insert(name.clone(), tensor);
    }
    Ok(mapped)
}

/// Random elements led by these real values.
///
/// # Errors
/// None at present; for symmetry.
pub fn elements(values: &Values<f64>, random: &mut Random) -> Result<Values<Exact>> {
    map(values, |_, shadow| Exact::new(random.element(), shadow))
}

/// The values as dual numbers that move along `directions`; what has no
/// direction stands still.
///
/// # Errors
/// None at present; for symmetry.
pub fn along<T: Number>(values: &Values<T>, directions: &Values<T>) -> Result<Values<Dual<T>>> {
    let mut moved = Values::new();
    for (name, tensor) in values {
        let direction = directions.get(name).map(Tensor::as_numbers);
        moved.insert(name.clone(), move_tensor(tensor, direction)?);
    }
    Ok(moved)
}

/// A tensor as dual numbers that move along a direction, or stand still.
///
/// # Errors
/// None at present; for symmetry.
pub fn move_tensor<T: Number>(
    tensor: &Tensor<T>,
    direction: Option<&[T]>,
) -> Result<Tensor<Dual<T>>> {
    let ty = tensor.ty().clone();
    Ok(match tensor.data() {
        Data::Numbers(numbers) => {
            let pair = |(i, &value): (usize, &T)| match direction.and_then(|d| d.get(i)) {
                Some(&tangent) => Dual { value, tangent },
                None => Dual::constant(value),
            };
            Tensor::numbers(ty, numbers.iter().enumerate().map(pair).collect())?
        }
        Data::Integers(integers) => Tensor::integers(ty, integers.clone())?,
    })
}

/// Numbers that can point in a random direction.
pub trait Direction: Number {
    /// A random number.
    fn direction(random: &mut Random) -> Self;
}

impl Direction for f64 {
    fn direction(random: &mut Random) -> Self {
        random.real(-1.0, 1.0)
    }
}

impl Direction for Exact {
    fn direction(random: &mut Random) -> Self {
        Exact::new(random.element(), 0.0)
    }
}

/// A random direction of this type.
///
/// # Errors
/// If the type is not a floating-point one.
pub fn direction<T: Direction>(ty: &TensorType, random: &mut Random) -> Result<Tensor<T>> {
    let numbers = (0..ty.elements()).map(|_| T::direction(random)).collect();
    Ok(Tensor::numbers(ty.clone(), numbers)?)
}

/// The inner product of two tensors.
pub fn inner<T: Number>(a: &[T], b: &[T]) -> T {
    let terms = a.iter().zip(b).map(|(&a, &b)| a * b);
    terms.fold(T::from_f64(0.0), |sum, term| sum + term)
}

/// A scalar.
///
/// # Errors
/// None at present; for symmetry.
pub fn scalar<T: Number>(value: T) -> Result<Tensor<T>> {
    Ok(Tensor::numbers(
        TensorType::scalar(ElementType::F32),
        vec![value],
    )?)
}

/// The field elements of a tensor of numbers.
pub fn field(tensor: &Tensor<Exact>) -> Vec<Prime> {
    tensor.as_numbers().iter().map(|n| n.element).collect()
}
