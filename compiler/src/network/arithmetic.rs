//! Operators on numbers and booleans.

use super::value::Value;
use cnnc_grammar::ast::{BinaryOp, UnaryOp};
use thiserror::Error;

/// Why an operator has no result.
#[derive(Debug, Error, PartialEq)]
pub(super) enum Fault {
    #[error("`{text}` leaves the range of 64-bit integers")]
    Overflow { text: String },
    #[error("`{text}` divides by 0")]
    ZeroDivision { text: String },
    #[error("`{text}` is not a finite number")]
    NotFinite { text: String },
    #[error("`{op}` does not take {left} and {right}")]
    Operands {
        op: &'static str,
        left: String,
        right: String,
    },
    #[error("`{op}` does not take {operand}")]
    Operand { op: &'static str, operand: String },
}

/// `op value`
pub(super) fn unary(op: UnaryOp, value: &Value) -> Result<Value, Fault> {
    match (op, value) {
        (UnaryOp::Negate, Value::Integer(value)) => {
            let text = format!("-{value}");
            let negated = value.checked_neg().ok_or(Fault::Overflow { text })?;
            Ok(Value::Integer(negated))
        }
        (UnaryOp::Negate, Value::Float(value)) => Ok(Value::Float(-value)),
        (UnaryOp::Not, Value::Bool(value)) => Ok(Value::Bool(!value)),
        _ => Err(Fault::Operand {
            op: op.symbol(),
            operand: value.describe(),
        }),
    }
}

/// `left op right`. Division of integers rounds down, and `%` has the sign of
/// its right operand; an integer beside a float is taken as a float.
pub(super) fn binary(op: BinaryOp, left: &Value, right: &Value) -> Result<Value, Fault> {
    let fault = || Fault::Operands {
        op: op.symbol(),
        left: left.describe(),
        right: right.describe(),
    };
    match (left, right) {
        (Value::Integer(a), Value::Integer(b)) => {
            integers(op, *a, *b).unwrap_or_else(|| Err(fault()))
        }
        (Value::Bool(a), Value::Bool(b)) => booleans(op, *a, *b).map(Value::Bool).ok_or_else(fault),
        (Value::Text(a) | Value::Word(a), Value::Text(b) | Value::Word(b)) => match op {
            BinaryOp::Equal => Ok(Value::Bool(a == b)),
            BinaryOp::NotEqual => Ok(Value::Bool(a != b)),
            _ => Err(fault()),
        },
        _ => match (float(left), float(right)) {
            (Some(a), Some(b)) => floats(op, a, b).unwrap_or_else(|| Err(fault())),
            _ => Err(fault()),
        },
    }
}

fn float(value: &Value) -> Option<f64> {
    match value {
        // Integers beyond 2^53 are rounded, as in any language with both.
        Value::Integer(value) => Some(*value as f64),
        Value::Float(value) => Some(*value),
        _ => None,
    }
}

fn integers(op: BinaryOp, a: i64, b: i64) -> Option<Result<Value, Fault>> {
    let text = format!("{a} {} {b}", op.symbol());
    if matches!(op, BinaryOp::Divide | BinaryOp::Remainder) && b == 0 {
        return Some(Err(Fault::ZeroDivision { text }));
    }
    let result = match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Subtract => a.checked_sub(b),
        BinaryOp::Multiply => a.checked_mul(b),
        BinaryOp::Divide => a.checked_div(b).map(|quotient| {
            let inexact = a.wrapping_rem(b) != 0;
            quotient - i64::from(inexact && (a < 0) != (b < 0))
        }),
        BinaryOp::Remainder => a.checked_rem(b).map(|remainder| {
            let opposite = remainder != 0 && (remainder < 0) != (b < 0);
            if opposite { remainder + b } else { remainder }
        }),
        _ => return compare(op, &a, &b).map(|value| Ok(Value::Bool(value))),
    };
    Some(result.map(Value::Integer).ok_or(Fault::Overflow { text }))
}

fn floats(op: BinaryOp, a: f64, b: f64) -> Option<Result<Value, Fault>> {
    let text = format!("{a:?} {} {b:?}", op.symbol());
    if matches!(op, BinaryOp::Divide | BinaryOp::Remainder) && b == 0.0 {
        return Some(Err(Fault::ZeroDivision { text }));
    }
    let result = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        BinaryOp::Multiply => a * b,
        BinaryOp::Divide => a / b,
        BinaryOp::Remainder => a - b * (a / b).floor(),
        _ => return compare(op, &a, &b).map(|value| Ok(Value::Bool(value))),
    };
    Some(if result.is_finite() {
        Ok(Value::Float(result))
    } else {
        Err(Fault::NotFinite { text })
    })
}

fn booleans(op: BinaryOp, a: bool, b: bool) -> Option<bool> {
    match op {
        BinaryOp::And => Some(a && b),
        BinaryOp::Or => Some(a || b),
        BinaryOp::Equal => Some(a == b),
        BinaryOp::NotEqual => Some(a != b),
        _ => None,
    }
}

fn compare<T: PartialOrd>(op: BinaryOp, a: &T, b: &T) -> Option<bool> {
    Some(match op {
        BinaryOp::Equal => a == b,
        BinaryOp::NotEqual => a != b,
        BinaryOp::Less => a < b,
        BinaryOp::AtMost => a <= b,
        BinaryOp::Greater => a > b,
        BinaryOp::AtLeast => a >= b,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(op: BinaryOp, a: i64, b: i64) -> Result<Value, Fault> {
        binary(op, &Value::Integer(a), &Value::Integer(b))
    }

    #[test]
    fn division_rounds_down_and_remainder_follows_the_divisor() {
        for (a, b, quotient, remainder) in [
            (7, 2, 3, 1),
            (-7, 2, -4, 1),
            (7, -2, -4, -1),
            (-7, -2, 3, -1),
            (6, 3, 2, 0),
            (-6, 3, -2, 0),
        ] {
            assert_eq!(
                int(BinaryOp::Divide, a, b),
                Ok(Value::Integer(quotient)),
                "{a} / {b}"
            );
            assert_eq!(
                int(BinaryOp::Remainder, a, b),
                Ok(Value::Integer(remainder)),
                "{a} % {b}"
            );
        }
    }

    #[test]
    fn overflow_is_an_error() {
        for (op, a, b) in [
            (BinaryOp::Add, i64::MAX, 1),
            (BinaryOp::Subtract, i64::MIN, 1),
            (BinaryOp::Multiply, i64::MAX, 2),
            (BinaryOp::Divide, i64::MIN, -1),
        ] {
            assert!(
                matches!(int(op, a, b), Err(Fault::Overflow { .. })),
                "{a} {b}"
            );
        }
        assert!(unary(UnaryOp::Negate, &Value::Integer(i64::MIN)).is_err());
    }

    #[test]
    fn zero_divides_nothing() {
        assert!(matches!(
            int(BinaryOp::Divide, 1, 0),
            Err(Fault::ZeroDivision { .. })
        ));
        assert!(matches!(
            int(BinaryOp::Remainder, 1, 0),
            Err(Fault::ZeroDivision { .. })
        ));
        let zero = binary(BinaryOp::Divide, &Value::Float(1.0), &Value::Integer(0));
        assert!(matches!(zero, Err(Fault::ZeroDivision { .. })));
        let huge = binary(
            BinaryOp::Multiply,
            &Value::Float(1e300),
            &Value::Float(1e300),
        );
        assert!(matches!(huge, Err(Fault::NotFinite { .. })));
    }

    #[test]
    fn comparisons_and_mixed_numbers() {
        assert_eq!(int(BinaryOp::AtMost, 2, 2), Ok(Value::Bool(true)));
        let half = binary(BinaryOp::Divide, &Value::Integer(1), &Value::Float(2.0));
        assert_eq!(half, Ok(Value::Float(0.5)));
        let wrong = binary(BinaryOp::Add, &Value::Bool(true), &Value::Integer(1));
        assert_eq!(
            wrong.map_err(|fault| fault.to_string()),
            Err("`+` does not take the boolean true and the integer 1".to_string())
        );
    }
}
