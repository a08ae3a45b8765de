//! From a value to what an option takes.

use super::codes::options;
use super::signature::{Extents, Kind, PADDING_WORDS, Padding, Range, Setting};
use super::value::Value;
use cnnc_grammar::diagnostics::Code;

/// Why a value does not suit an option.
pub(super) struct Mismatch {
    pub code: Code,
    pub hint: Option<String>,
}

impl Mismatch {
    fn of_type() -> Self {
        Self {
            code: options::WRONG_TYPE,
            hint: None,
        }
    }

    fn of_word() -> Self {
        Self {
            code: options::UNKNOWN_VALUE,
            hint: None,
        }
    }

    fn of_range() -> Self {
        Self {
            code: options::OUT_OF_RANGE,
            hint: None,
        }
    }
}

/// What `kind` takes, for messages.
pub(super) fn expected(kind: Kind) -> String {
    match kind {
        Kind::Integer { least } => format!("an integer of at least {least}"),
        Kind::Pair { least } => {
            format!("an integer of at least {least}, or (height, width) of them")
        }
        Kind::Extents => format!("1 to {} integers of at least 1", Extents::MOST),
        Kind::Padding => "`same`, `valid`, an integer of at least 0, (height, width), or \
                          ((top, bottom), (left, right))"
            .to_string(),
        Kind::Float(Range::Any) => "a number".to_string(),
        Kind::Float(Range::Positive) => "a number above 0".to_string(),
        Kind::Float(Range::NotNegative) => "a number of at least 0".to_string(),
        Kind::Float(Range::Probability) => "a number from 0 to 1".to_string(),
        Kind::Bool => "`true` or `false`".to_string(),
        Kind::Initializer => "an initialiser".to_string(),
        Kind::Word(words) => format!("`{}`", words.join("`, `")),
        Kind::Float(Range::Fraction) => "a number of at least 0 and below 1".to_string(),
        Kind::Betas => "two numbers of at least 0 and below 1, such as (0.9, 0.999)".to_string(),
    }
}

/// The words that `kind` takes beside values.
pub(super) fn words(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Padding => PADDING_WORDS,
        Kind::Word(words) => words,
        _ => &[],
    }
}

/// The setting `value` stands for.
pub(super) fn convert(kind: Kind, value: &Value) -> Result<Setting, Mismatch> {
    match (kind, value) {
        (Kind::Integer { least }, value) => integer(value, least).map(Setting::Integer),
        (Kind::Pair { least }, value) => pair(value, least).map(Setting::Pair),
        (Kind::Padding, Value::Word(word)) => match word.as_str() {
            "same" => Ok(Setting::Padding(Padding::Same)),
            "valid" => Ok(Setting::Padding(Padding::Valid)),
            _ => Err(Mismatch::of_word()),
        },
        (Kind::Word(words), Value::Word(word)) => {
            let known = words.iter().find(|known| *known == word);
            known.copied().map(Setting::Word).ok_or(Mismatch::of_word())
        }
        (Kind::Padding, value) => {
            padding(value).map(|pads| Setting::Padding(Padding::Explicit(pads)))
        }
        (Kind::Extents, Value::Tuple(items)) => extents(items),
        (Kind::Extents, value) => extents(std::slice::from_ref(value)),
        (Kind::Float(range), value) => float(value, range).map(Setting::Float),
        (Kind::Bool, Value::Bool(value)) => Ok(Setting::Bool(*value)),
        (Kind::Betas, Value::Tuple(items)) => match items.as_slice() {
            [first, second] => Ok(Setting::Betas([
                float(first, Range::Fraction)?,
                float(second, Range::Fraction)?,
            ])),
            _ => Err(Mismatch::of_type()),
        },
        _ => Err(Mismatch::of_type()),
    }
}

fn integer(value: &Value, least: i64) -> Result<i64, Mismatch> {
    match value {
        Value::Integer(value) if *value >= least => Ok(*value),
        Value::Integer(_) => Err(Mismatch::of_range()),
        // Within 2^53 every whole float is an integer.
        Value::Float(value) if value.fract() == 0.0 && value.abs() < 9e15 => Err(Mismatch {
            hint: Some(format!("write `{value:.0}` without a point")),
            ..Mismatch::of_type()
        }),
        _ => Err(Mismatch::of_type()),
    }
}

fn pair(value: &Value, least: i64) -> Result<[i64; 2], Mismatch> {
    match value {
        Value::Tuple(items) => match items.as_slice() {
            [height, width] => Ok([integer(height, least)?, integer(width, least)?]),
            _ => Err(Mismatch::of_type()),
        },
        value => integer(value, least).map(|value| [value, value]),
    }
}

fn extents(items: &[Value]) -> Result<Setting, Mismatch> {
    let extents: Result<Vec<i64>, Mismatch> = items.iter().map(|item| integer(item, 1)).collect();
    match Extents::new(&extents?) {
        Some(extents) => Ok(Setting::Extents(extents)),
        None => Err(Mismatch::of_range()),
    }
}

fn padding(value: &Value) -> Result<[[i64; 2]; 2], Mismatch> {
    let Value::Tuple(items) = value else {
        return integer(value, 0).map(|pad| [[pad, pad], [pad, pad]]);
    };
    match items.as_slice() {
        [height @ Value::Tuple(_), width @ Value::Tuple(_)] => {
            Ok([pair(height, 0)?, pair(width, 0)?])
        }
        [height, width] => {
            let (height, width) = (integer(height, 0)?, integer(width, 0)?);
            Ok([[height, height], [width, width]])
        }
        _ => Err(Mismatch::of_type()),
    }
}

fn float(value: &Value, range: Range) -> Result<f64, Mismatch> {
    let value = match value {
        Value::Integer(value) => *value as f64,
        Value::Float(value) => *value,
        _ => return Err(Mismatch::of_type()),
    };
    let inside = match range {
        Range::Any => value.is_finite(),
        Range::Positive => value > 0.0 && value.is_finite(),
        Range::NotNegative => value >= 0.0 && value.is_finite(),
        Range::Probability => (0.0..=1.0).contains(&value),
        Range::Fraction => (0.0..1.0).contains(&value),
    };
    if inside {
        Ok(value)
    } else {
        Err(Mismatch::of_range())
    }
}
