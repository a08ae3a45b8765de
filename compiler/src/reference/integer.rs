//! Integers and booleans, held as i64: signed ones as their value, unsigned
//! ones zero-extended (ui64 keeps its bits), booleans as 0 or 1.

use crate::stablehlo::{BinaryOp, Direction, ElementType, UnaryOp};

/// The value modulo 2^bits; for booleans, whether it is not 0.
pub(super) fn wrap(element: ElementType, value: i64) -> i64 {
    match element {
        ElementType::I1 => i64::from(value != 0),
        ElementType::I8 => i64::from(value as i8),
        ElementType::I32 => i64::from(value as i32),
        ElementType::Ui8 => i64::from(value as u8),
        ElementType::Ui32 => i64::from(value as u32),
        _ => value,
    }
}

/// The number that is meant.
pub(super) fn value(element: ElementType, bits: i64) -> i128 {
    match element {
        ElementType::Ui64 => i128::from(bits as u64),
        _ => i128::from(bits),
    }
}

/// A real number rounded towards zero. Numbers out of range, where the
/// specification is open, become the nearest that is in range, and NaN 0, as
/// in XLA. For booleans, whether it is not 0.
pub(super) fn from_real(element: ElementType, real: f64) -> i64 {
    match element {
        ElementType::I1 => i64::from(real != 0.0),
        ElementType::I8 => i64::from(real as i8),
        ElementType::I32 => i64::from(real as i32),
        ElementType::Ui8 => i64::from(real as u8),
        ElementType::Ui32 => i64::from(real as u32),
        ElementType::Ui64 => (real as u64) as i64,
        _ => real as i64,
    }
}

/// The function of a unary operation.
///
/// # Errors
/// If the operation is not defined for the type.
pub(super) fn unary(op: UnaryOp, element: ElementType) -> Result<impl Fn(i64) -> i64, String> {
    let boolean = element == ElementType::I1;
    let function: fn(i64, ElementType) -> i64 = match op {
        UnaryOp::Not if boolean => |a, _| 1 - a,
        UnaryOp::Not => |a, _| !a,
        UnaryOp::Negate if !boolean => |a, _| a.wrapping_neg(),
        UnaryOp::Abs if element.is_unsigned() => |a, _| a,
        UnaryOp::Abs if !boolean => |a, _| a.wrapping_abs(),
        UnaryOp::Sign if !boolean && !element.is_unsigned() => |a, _| a.signum(),
        UnaryOp::Popcnt if !boolean => |a, e| i64::from(pattern(a, e).count_ones()),
        UnaryOp::CountLeadingZeros if !boolean => {
            |a, e| i64::from(pattern(a, e).leading_zeros()) - 64 + i64::from(e.bits())
        }
        _ => return Err(format!("is not defined for {element}")),
    };
    Ok(move |a| wrap(element, function(a, element)))
}

/// The function of a binary operation. Arithmetic wraps. Division rounds
/// towards zero; where it has no result, all bits are set, and the least
/// integer divided by -1 is itself, as in XLA; the remainder of a division by 0
/// is the dividend. Shifts by the width or more give 0, or the sign where they
/// fill with it.
///
/// # Errors
/// If the operation is not defined for the type.
pub(super) fn binary(
    op: BinaryOp,
    element: ElementType,
) -> Result<impl Fn(i64, i64) -> i64, String> {
    let boolean = element == ElementType::I1;
    let function: fn(i64, i64, ElementType) -> i64 = match op {
        BinaryOp::And => |a, b, _| a & b,
        BinaryOp::Or => |a, b, _| a | b,
        BinaryOp::Xor => |a, b, _| a ^ b,
        BinaryOp::Maximum => |a, b, e| if value(e, b) > value(e, a) { b } else { a },
        BinaryOp::Minimum => |a, b, e| if value(e, b) < value(e, a) { b } else { a },
        BinaryOp::Add if boolean => |a, b, _| a | b,
        BinaryOp::Multiply => |a, b, _| a.wrapping_mul(b),
        BinaryOp::Add => |a, b, _| a.wrapping_add(b),
        BinaryOp::Subtract if !boolean => |a, b, _| a.wrapping_sub(b),
        BinaryOp::Divide if !boolean => |a, b, e| match (value(e, a), value(e, b)) {
            (_, 0) => -1,
            (a, b) => (a / b) as i64,
        },
        BinaryOp::Remainder if !boolean => |a, b, e| match (value(e, a), value(e, b)) {
            (_, 0) => a,
            (a, b) => (a % b) as i64,
        },
        BinaryOp::Power if !boolean => |a, b, e| power(a, value(e, b)),
        BinaryOp::ShiftRightArithmetic if !boolean => |a, b, e| {
            let width = e.bits();
            // Unsigned numbers, too, are filled with their first bit.
            let signed = pattern(a, e) as i64;
            let signed = signed << (64 - width) >> (64 - width);
            signed >> shift(b, e).unwrap_or(width - 1)
        },
        BinaryOp::ShiftLeft if !boolean => |a, b, e| shift(b, e).map_or(0, |by| a << by),
        BinaryOp::ShiftRightLogical if !boolean => {
            |a, b, e| shift(b, e).map_or(0, |by| (pattern(a, e) >> by) as i64)
        }
        _ => return Err(format!("is not defined for {element}")),
    };
    Ok(move |a, b| wrap(element, function(a, b, element)))
}

/// The bits, with zeros before them.
fn pattern(value: i64, element: ElementType) -> u64 {
    value as u64 & (u64::MAX >> (64 - element.bits()))
}

/// base^exponent; negative powers of numbers other than 1 and -1 round to 0.
fn power(base: i64, exponent: i128) -> i64 {
    if exponent < 0 {
        return match base {
            1 => 1,
            -1 if exponent % 2 == 0 => 1,
            -1 => -1,
            _ => 0,
        };
    }
    let (mut base, mut rest, mut result) = (base, exponent, 1i64);
    while rest > 0 {
        if rest & 1 == 1 {
            result = result.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        rest >>= 1;
    }
    result
}

/// The distance, if it is less than the width.
fn shift(by: i64, element: ElementType) -> Option<u32> {
    u32::try_from(by).ok().filter(|&by| by < element.bits())
}

/// The order of integers; false comes before true.
pub(super) fn compare(direction: Direction, element: ElementType, a: i64, b: i64) -> bool {
    direction.holds(value(element, a).cmp(&value(element, b)))
}
