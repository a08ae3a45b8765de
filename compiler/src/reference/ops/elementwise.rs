//! Element-wise operations.

use super::{Elements, unlike};
use crate::reference::integer;
use crate::reference::number::{Number, sign};
use crate::reference::tensor::{Data, Tensor};
use crate::stablehlo::{BinaryOp, Direction, ElementType, UnaryOp};

pub(super) fn unary<T: Number>(op: UnaryOp, x: &Tensor<T>) -> Elements<T> {
    match x.data() {
        Data::Numbers(values) if op == UnaryOp::IsFinite => {
            let finite = |v: &T| i64::from(v.shadow().is_finite());
            Ok(Data::Integers(values.iter().map(finite).collect()))
        }
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
        UnaryOp::Cbrt => T::cbrt,
        UnaryOp::Ceil => |x| x.step(f64::ceil),
        UnaryOp::Cosine => T::cosine,
        UnaryOp::Exponential => T::exponential,
        UnaryOp::ExponentialMinusOne => T::exponential_minus_one,
        UnaryOp::Floor => |x| x.step(f64::floor),
        UnaryOp::Log => T::log,
        UnaryOp::LogPlusOne => T::log_plus_one,
        UnaryOp::Logistic => T::logistic,
        UnaryOp::Negate => T::neg,
        UnaryOp::RoundNearestAfz => |x| x.step(f64::round),
        UnaryOp::RoundNearestEven => |x| x.step(f64::round_ties_even),
        UnaryOp::Rsqrt => T::rsqrt,
        UnaryOp::Sign => |x| x.step(sign),
        UnaryOp::Sine => T::sine,
        UnaryOp::Sqrt => T::sqrt,
        UnaryOp::Tan => T::tan,
        UnaryOp::Tanh => T::tanh,
        UnaryOp::CountLeadingZeros | UnaryOp::IsFinite | UnaryOp::Not | UnaryOp::Popcnt => {
            return Err("is not defined for floating-point numbers".to_owned());
        }
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
        BinaryOp::Atan2 => T::atan2,
        BinaryOp::Divide => T::div,
        BinaryOp::Maximum => T::maximum,
        BinaryOp::Minimum => T::minimum,
        BinaryOp::Multiply => T::mul,
        BinaryOp::Power => T::power,
        BinaryOp::Remainder => T::remainder,
        BinaryOp::Subtract => T::sub,
        BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRightArithmetic
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

/// Comparison in IEEE's total order, in which equal means the same bits.
pub(super) fn compare_total<T: Number>(
    direction: Direction,
    a: &Tensor<T>,
    b: &Tensor<T>,
) -> Elements<T> {
    let holds = |a: T, b: T| {
        let order = a.shadow().total_cmp(&b.shadow());
        i64::from(direction.holds(order))
    };
    Ok(Data::Integers(zip(a.as_numbers(), b.as_numbers(), holds)))
}

/// The least of the greatest bound and the greatest of the least bound and the
/// value. Where a value equals a bound it is the bound, so that it stands
/// still.
pub(super) fn clamp<T: Number>(min: &Tensor<T>, x: &Tensor<T>, max: &Tensor<T>) -> Elements<T> {
    let element = x.ty().element;
    match (min.data(), x.data(), max.data()) {
        (Data::Numbers(min), Data::Numbers(x), Data::Numbers(max)) => {
            Ok(Data::Numbers(within(min, x, max, T::maximum, T::minimum)))
        }
        (Data::Integers(min), Data::Integers(x), Data::Integers(max)) => {
            let larger = integer::binary(BinaryOp::Maximum, element)?;
            let smaller = integer::binary(BinaryOp::Minimum, element)?;
            Ok(Data::Integers(within(min, x, max, larger, smaller)))
        }
        _ => Err(unlike()),
    }
}

/// A scalar bound holds for all.
fn within<V: Copy>(
    min: &[V],
    x: &[V],
    max: &[V],
    larger: impl Fn(V, V) -> V,
    smaller: impl Fn(V, V) -> V,
) -> Vec<V> {
    let each = |bound: &[V], at: usize| bound.get(at).or(bound.first()).copied();
    x.iter()
        .enumerate()
        .filter_map(|(at, &x)| Some(smaller(each(max, at)?, larger(each(min, at)?, x))))
        .collect()
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

/// The bits of the elements as elements of a type of the same width. Those of
/// a number are the bits of its real value, rounded to its element type.
pub(super) fn bitcast_convert<T: Number>(element: ElementType, x: &Tensor<T>) -> Data<T> {
    let from = x.ty().element;
    let bits: Vec<i64> = match x.data() {
        Data::Numbers(values) => {
            let bits = |v: &T| match from {
                ElementType::F32 => i64::from((v.shadow() as f32).to_bits()),
                _ => v.shadow().to_bits() as i64,
            };
            values.iter().map(bits).collect()
        }
        Data::Integers(values) => values.clone(),
    };
    if !element.is_float() {
        return Data::Integers(bits.iter().map(|&v| integer::wrap(element, v)).collect());
    }
    let number = |&bits: &i64| match element {
        ElementType::F32 => T::from_f64(f64::from(f32::from_bits(bits as u32))),
        _ => T::from_f64(f64::from_bits(bits as u64)),
    };
    Data::Numbers(bits.iter().map(number).collect())
}

fn zip<A: Copy, B>(a: &[A], b: &[A], function: impl Fn(A, A) -> B) -> Vec<B> {
    a.iter().zip(b).map(|(&a, &b)| function(a, b)).collect()
}
