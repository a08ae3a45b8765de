//! From the values a program returns to numbers.

use eerie::runtime::Value;

use super::{Entry, ProgramError};
use crate::device::IreeError;

pub(super) fn check_length(
    argument: &'static str,
    found: usize,
    expected: usize,
) -> Result<(), ProgramError> {
    if found == expected {
        return Ok(());
    }
    Err(ProgramError::Argument {
        argument,
        found,
        expected,
    })
}

pub(super) fn single(entry: Entry, results: Vec<Value>) -> Result<Value, ProgramError> {
    let count = results.len();
    let [value] = <[Value; 1]>::try_from(results)
        .map_err(|_| unexpected(entry, "one value", format!("{count} values")))?;
    Ok(value)
}

pub(super) fn pair(entry: Entry, results: Vec<Value>) -> Result<[Value; 2], ProgramError> {
    let count = results.len();
    results
        .try_into()
        .map_err(|_| unexpected(entry, "two metrics", format!("{count} values")))
}

pub(super) fn floats(
    entry: Entry,
    expected: &'static str,
    value: Value,
) -> Result<Vec<f32>, ProgramError> {
    let Value::F32(buffer) = value else {
        return Err(unexpected(entry, expected, format!("{value:?}")));
    };
    let read = buffer.read();
    Ok(read.map_err(|error| IreeError::new("read a result", &error))?)
}

pub(super) fn scalar(entry: Entry, value: Value) -> Result<f32, ProgramError> {
    let values = floats(entry, "an f32 scalar", value)?;
    match *values {
        [value] => Ok(value),
        _ => Err(unexpected(
            entry,
            "an f32 scalar",
            format!("{} values", values.len()),
        )),
    }
}

/// A number of examples, which programs may return as i32 or as f32.
pub(super) fn count(entry: Entry, value: Value) -> Result<u64, ProgramError> {
    const EXPECTED: &str = "a count (i32 or f32 scalar)";
    let number = match value {
        Value::I32(buffer) => {
            let values = buffer.read();
            let values = values.map_err(|error| IreeError::new("read a result", &error))?;
            match *values {
                [value] => f64::from(value),
                _ => {
                    return Err(unexpected(
                        entry,
                        EXPECTED,
                        format!("{} values", values.len()),
                    ));
                }
            }
        }
        other => f64::from(scalar(entry, other)?),
    };
    if number >= 0.0 && number.fract() == 0.0 {
        // Exact: the value came from an i32 or an f32 and is a whole number.
        return Ok(number as u64);
    }
    Err(unexpected(entry, EXPECTED, number.to_string()))
}

fn unexpected(entry: Entry, expected: &'static str, found: String) -> ProgramError {
    ProgramError::Result {
        function: entry.name(),
        expected,
        found,
    }
}
