//! What an expression is worth at compile time.

use super::graph::{Initializer, ParameterId, TensorId};
use super::setting_text::initializer_text;

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
    Initializer(Initializer),
    Tensor(TensorId),
    /// A `param`: a tensor without batch, until something is done with it.
    Parameter(ParameterId),
    Layer(LayerId),
}

/// What an op is fed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    Tensor(TensorId),
    Parameter(ParameterId),
}

/// Index of a layer that is named or not applied yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LayerId(pub usize);

impl From<Operand> for Value {
    fn from(operand: Operand) -> Self {
        match operand {
            Operand::Tensor(id) => Value::Tensor(id),
            Operand::Parameter(id) => Value::Parameter(id),
        }
    }
}

impl Value {
    /// The value as something that can be fed to an op.
    pub fn operand(&self) -> Option<Operand> {
        match self {
            Value::Tensor(id) => Some(Operand::Tensor(*id)),
            Value::Parameter(id) => Some(Operand::Parameter(*id)),
            _ => None,
        }
    }

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
            Value::Initializer(_) => "an initialiser",
            Value::Tensor(_) => "a tensor",
            Value::Parameter(_) => "a parameter",
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
            Value::Initializer(init) => initializer_text(*init),
            Value::Tensor(_) | Value::Parameter(_) | Value::Layer(_) => return None,
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

/// `f32[32, 14]` of the shape of a parameter.
pub(super) fn show_parameter(shape: &[i64]) -> String {
    let extents: Vec<String> = shape.iter().map(i64::to_string).collect();
    format!("f32[{}]", extents.join(", "))
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
