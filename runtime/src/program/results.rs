//! From the values a program returns to numbers.

use eerie::runtime::{BufferElement, BufferView, Value};

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

/// The next of a function's results.
pub(super) fn next(
    entry: Entry,
    values: &mut impl Iterator<Item = Value>,
) -> Result<Value, ProgramError> {
    let next = values.next();
    next.ok_or_else(|| unexpected(entry, "a metric", "no more values".to_owned()))
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

/// The only number of a buffer, read without an allocation.
fn number<T: BufferElement + Default + Copy>(
    entry: Entry,
    expected: &'static str,
    buffer: &BufferView<T>,
) -> Result<T, ProgramError> {
    let count: usize = buffer.shape().iter().product();
    if count != 1 {
        return Err(unexpected(entry, expected, format!("{count} values")));
    }
    let mut value = [T::default()];
    let read = buffer.read_into(&mut value);
    read.map_err(|error| IreeError::new("read a result", &error))?;
    Ok(value[0])
}

pub(super) fn scalar(entry: Entry, value: Value) -> Result<f32, ProgramError> {
    const EXPECTED: &str = "an f32 scalar";
    match value {
        Value::F32(buffer) => number(entry, EXPECTED, &buffer),
        other => Err(unexpected(entry, EXPECTED, format!("{other:?}"))),
    }
}

/// A number of examples, which programs may return as i32 or as f32.
pub(super) fn count(entry: Entry, value: Value) -> Result<u64, ProgramError> {
    const EXPECTED: &str = "a count (i32 or f32 scalar)";
    let number = match value {
        Value::I32(buffer) => f64::from(number(entry, EXPECTED, &buffer)?),
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
