//! What an expression is worth at compile time.

use super::graph::TensorId;

/// A value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Integer(i64),
    /// Always finite.
    Float(f64),
    Bool(bool),
    Text(String),
    /// A name that stands for itself, such as `same`.
    Word(String),
    Tuple(Vec<Value>),
    List(Vec<Value>),
    Tensor(TensorId),
    Layer(LayerId),
}

/// Index of a layer that is named or not applied yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LayerId(pub usize);

impl Value {
    /// `an integer`, for messages.
    pub fn sort(&self) -> &'static str {
        match self {
            Value::Integer(_) => "an integer",
            Value::Float(_) => "a float",
            Value::Bool(_) => "a boolean",
            Value::Text(_) => "a string",
            Value::Word(_) => "a word",
            Value::Tuple(_) => "a tuple",
            Value::List(_) => "a list",
            Value::Tensor(_) => "a tensor",
            Value::Layer(_) => "an op that is not applied",
        }
    }

    /// The value as it would be written; tensors and ops have no such text.
    pub fn text(&self) -> Option<String> {
        Some(match self {
            Value::Integer(value) => value.to_string(),
            Value::Float(value) => format!("{value:?}"),
            Value::Bool(value) => value.to_string(),
            Value::Text(value) => format!("{value:?}"),
            Value::Word(value) => value.clone(),
            Value::Tuple(items) => match items.as_slice() {
                [only] => format!("({},)", only.text()?),
                _ => format!("({})", texts(items)?),
            },
            Value::List(items) => format!("[{}]", texts(items)?),
            Value::Tensor(_) | Value::Layer(_) => return None,
        })
    }

    /// `the integer 3` or `a tensor`, for messages.
    pub fn describe(&self) -> String {
        match (self.text(), self.sort().split_once(' ')) {
            (Some(text), Some((_, sort))) => format!("the {sort} {text}"),
            _ => self.sort().to_string(),
        }
    }
}

fn texts(items: &[Value]) -> Option<String> {
    let texts: Option<Vec<String>> = items.iter().map(Value::text).collect();
    Some(texts?.join(", "))
}

/// `f32[N, 32, 14, 14]` of a shape without the batch.
pub(super) fn show_shape(shape: &[i64]) -> String {
    let mut text = String::from("f32[N");
    for extent in shape {
        text.push_str(&format!(", {extent}"));
    }
    text.push(']');
    text
}
