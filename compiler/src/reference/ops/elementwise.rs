//! Element-wise operations.

use super::{Elements, unlike};
use crate::reference::integer;
use crate::reference::number::Number;
use crate::reference::tensor::{Data, Tensor};
use crate::stablehlo::{BinaryOp, Direction, ElementType, UnaryOp};

pub(super) fn unary<T: Number>(op: UnaryOp, x: &Tensor<T>) -> Elements<T> {
    match x.data() {
        Data::Numbers(values) => {
            let function = number_unary(op)?;
            Ok(Data::Numbers(values.iter().map(|&v| function(v)).collect()))
        }
        Data::Integers(values) => {
            let function = integer::unary(op, x.ty().element)?;
            Ok(Data::Integers(
                values.iter().map(|&v| function(v)).collect(),
            ))
        }
    }
}

fn number_unary<T: Number>(op: UnaryOp) -> Result<fn(T) -> T, String> {
    Ok(match op {
        UnaryOp::Abs => T::abs,
        UnaryOp::Cosine => T::cosine,
        UnaryOp::Exponential => T::exponential,
        UnaryOp::Log => T::log,
        UnaryOp::Negate => T::neg,
        UnaryOp::Rsqrt => T::rsqrt,
        UnaryOp::Sqrt => T::sqrt,
        UnaryOp::Tanh => T::tanh,
        UnaryOp::Logistic => T::logistic,
        UnaryOp::Not => return Err("is not defined for floating-point numbers".to_owned()),
    })
}

pub(super) fn binary<T: Number>(op: BinaryOp, a: &Tensor<T>, b: &Tensor<T>) -> Elements<T> {
    match (a.data(), b.data()) {
        (Data::Numbers(x), Data::Numbers(y)) => Ok(Data::Numbers(zip(x, y, number_binary(op)?))),
        (Data::Integers(x), Data::Integers(y)) => Ok(Data::Integers(zip(
            x,
            y,
            integer::binary(op, a.ty().element)?,
        ))),
        _ => Err(unlike()),
    }
}

/// The function of a binary operation on numbers.
///
/// # Errors
/// If it is one of bits.
pub(super) fn number_binary<T: Number>(op: BinaryOp) -> Result<fn(T, T) -> T, String> {
    Ok(match op {
        BinaryOp::Add => T::add,
        BinaryOp::Divide => T::div,
        BinaryOp::Maximum => T::maximum,
        BinaryOp::Minimum => T::minimum,
        BinaryOp::Multiply => T::mul,
        BinaryOp::Subtract => T::sub,
        BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRightLogical => {
            return Err("is not defined for floating-point numbers".to_owned());
        }
    })
}

pub(super) fn compare<T: Number>(
    direction: Direction,
    a: &Tensor<T>,
    b: &Tensor<T>,
) -> Elements<T> {
    let element = a.ty().element;
    match (a.data(), b.data()) {
        (Data::Numbers(x), Data::Numbers(y)) => {
            let holds = |a: T, b: T| i64::from(a.compare(direction, b));
            Ok(Data::Integers(zip(x, y, holds)))
        }
        (Data::Integers(x), Data::Integers(y)) => {
            let holds = |a, b| i64::from(integer::compare(direction, element, a, b));
            Ok(Data::Integers(zip(x, y, holds)))
        }
        _ => Err(unlike()),
    }
}

pub(super) fn select<T: Number>(
    predicate: &Tensor<T>,
    on_true: &Tensor<T>,
    on_false: &Tensor<T>,
) -> Elements<T> {
    let predicate = predicate.as_integers();
    match (on_true.data(), on_false.data()) {
        (Data::Numbers(a), Data::Numbers(b)) => Ok(Data::Numbers(choose(predicate, a, b))),
        (Data::Integers(a), Data::Integers(b)) => Ok(Data::Integers(choose(predicate, a, b))),
        _ => Err(unlike()),
    }
}

/// A scalar predicate chooses for all.
fn choose<V: Copy>(predicate: &[i64], on_true: &[V], on_false: &[V]) -> Vec<V> {
    if let &[predicate] = predicate {
        return if predicate != 0 { on_true } else { on_false }.to_vec();
    }
    let alternatives = on_true.iter().zip(on_false);
    let chosen = predicate.iter().zip(alternatives);
    chosen
        .map(|(&p, (&a, &b))| if p != 0 { a } else { b })
        .collect()
}

/// Floating-point numbers stay what they are: the number type, not the element
/// type, says how exactly they are held. Integers out of range wrap.
pub(super) fn convert<T: Number>(element: ElementType, x: &Tensor<T>) -> Data<T> {
    let from = x.ty().element;
    match x.data() {
        Data::Numbers(values) if element.is_float() => Data::Numbers(values.clone()),
        Data::Numbers(values) => {
            let convert = |v: &T| integer::from_real(element, v.shadow());
            Data::Integers(values.iter().map(convert).collect())
        }
        Data::Integers(values) if element.is_float() => {
            let convert = |&v: &i64| T::from_integer(integer::value(from, v));
            Data::Numbers(values.iter().map(convert).collect())
        }
        Data::Integers(values) => {
            let convert = |&v: &i64| integer::wrap(element, v);
            Data::Integers(values.iter().map(convert).collect())
        }
    }
}

fn zip<A: Copy, B>(a: &[A], b: &[A], function: impl Fn(A, A) -> B) -> Vec<B> {
    a.iter().zip(b).map(|(&a, &b)| function(a, b)).collect()
}
