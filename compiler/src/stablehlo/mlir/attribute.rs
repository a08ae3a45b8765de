//! Attributes of our own (`cnnc.*`): plain data, printed and read as MLIR.

use std::fmt;

use super::reader::Reader;

/// A discardable attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum Attribute {
    /// Present or absent.
    Unit,
    /// `true` or `false`.
    Bool(bool),
    /// A 64-bit integer.
    Int(i64),
    /// An f64 number.
    Float(f64),
    /// A string.
    String(String),
    /// `array<i64: ...>`.
    Ints(Vec<i64>),
    /// A list.
    Array(Vec<Attribute>),
    /// A dictionary, in the order of its keys: MLIR keeps no other.
    Dict(Vec<(String, Attribute)>),
}

impl Attribute {
    /// A dictionary.
    pub fn dict<const N: usize>(entries: [(&str, Attribute); N]) -> Self {
        let mut entries: Vec<_> = entries.map(|(k, v)| (k.to_owned(), v)).into();
        entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        Attribute::Dict(entries)
    }

    /// The entry `key` of a dictionary.
    pub fn get(&self, key: &str) -> Option<&Attribute> {
        match self {
            Attribute::Dict(entries) => entries.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// Sets the entry `key` of a dictionary; does nothing to anything else.
    pub fn set(&mut self, key: &str, value: Attribute) {
        if let Attribute::Dict(entries) = self {
            match entries.iter_mut().find(|(k, _)| k == key) {
                Some((_, slot)) => *slot = value,
                None => {
                    let place = entries.partition_point(|(k, _)| k.as_str() < key);
                    entries.insert(place, (key.to_owned(), value));
                }
            }
        }
    }

    /// The string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Attribute::String(s) => Some(s),
            _ => None,
        }
    }

    /// Reads MLIR text.
    ///
    /// # Errors
    /// What was found where something else was expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader::new(text);
        let attribute = reader.attribute()?;
        reader.end()?;
        Ok(attribute)
    }
}

/// Writes `text` as an MLIR string literal.
pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | 0..=0x1f | 0x7f.. => quoted.push_str(&format!("\\{byte:02X}")),
            _ => quoted.push(char::from(byte)),
        }
    }
    quoted.push('"');
    quoted
}

/// Writes a finite f64 the way MLIR reads it: with a point.
pub(super) fn decimal(text: String) -> String {
    if text.contains('.') {
        return text;
    }
    match text.split_once('e') {
        Some((mantissa, exponent)) => format!("{mantissa}.0e{exponent}"),
        None => format!("{text}.0"),
    }
}

fn list<T: fmt::Display>(items: &[T]) -> String {
    items
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Attribute::Unit => f.write_str("unit"),
            Attribute::Bool(value) => write!(f, "{value}"),
            Attribute::Int(value) => write!(f, "{value} : i64"),
            Attribute::Float(value) if value.is_finite() => {
                write!(f, "{} : f64", decimal(format!("{value:?}")))
            }
            Attribute::Float(value) => write!(f, "0x{:016X} : f64", value.to_bits()),
            Attribute::String(value) => f.write_str(&quote(value)),
            Attribute::Ints(values) if values.is_empty() => f.write_str("array<i64>"),
            Attribute::Ints(values) => write!(f, "array<i64: {}>", list(values)),
            Attribute::Array(values) => write!(f, "[{}]", list(values)),
            Attribute::Dict(entries) => {
                let entries: Vec<String> = entries
                    .iter()
                    .map(|(key, value)| match value {
                        Attribute::Unit => key.clone(),
                        value => format!("{key} = {value}"),
                    })
                    .collect();
                write!(f, "{{{}}}", entries.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_round_trip() {
        let attribute = Attribute::dict([
            ("version", Attribute::Int(1)),
            ("lr", Attribute::Float(1e-10)),
            ("nan", Attribute::Float(f64::INFINITY)),
            ("name", Attribute::String("a \"b\" \\ é\n".to_owned())),
            ("shape", Attribute::Ints(vec![32, -1])),
            ("scalar", Attribute::Ints(vec![])),
            ("on", Attribute::Bool(true)),
            ("flag", Attribute::Unit),
            (
                "list",
                Attribute::Array(vec![Attribute::Int(-3), Attribute::Array(vec![])]),
            ),
        ]);
        assert_eq!(Attribute::parse(&attribute.to_string()), Ok(attribute));
    }

    #[test]
    fn errors_say_what_was_found() {
        let error = Attribute::parse("{a = }").unwrap_err();
        assert_eq!(error, "expected an attribute, found `}`");
    }
}
