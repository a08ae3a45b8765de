//! Modules, functions and instructions.

use std::fmt;
use std::sync::Arc;

use super::error::Error;
use super::mlir::attribute::Attribute;
use super::op::{Op, Region};
use super::types::TensorType;

/// A place in a source file; lines and columns count from 1.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Location {
    /// The file, line and column, if known.
    pub place: Option<(Arc<str>, u32, u32)>,
}

impl Location {
    /// No known place.
    pub const UNKNOWN: Location = Location { place: None };

    /// A place in `file`.
    pub fn new(file: impl Into<Arc<str>>, line: u32, column: u32) -> Self {
        Location {
            place: Some((file.into(), line, column)),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some((file, line, column)) => write!(f, "{file}:{line}:{column}"),
            None => f.write_str("<unknown>"),
        }
    }
}

/// A value of a [`Function`]: an argument or the result of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub(super) u32);

impl Value {
    /// Position in the function's table of values.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One operation applied to values, with one result. An operation that has
/// several is an instruction for each, see
/// [`Compound`](super::op::Compound).
#[derive(Debug, Clone, PartialEq)]
pub struct Instruction {
    /// What is computed.
    pub op: Op,
    /// From what.
    pub operands: Vec<Value>,
    /// Into what.
    pub result: Value,
    /// Whether reverse mode treats the result as a constant (printed as
    /// `cnnc.stop_gradient`).
    pub stop_gradient: bool,
    /// Where it comes from.
    pub location: Location,
}

impl Instruction {
    /// Whether both are results of the same operation of the same operands, so
    /// that it need be run but once.
    pub fn is_same_compound(&self, other: &Instruction) -> bool {
        match (self.op.compound(), other.op.compound()) {
            (Some(a), Some(b)) => self.operands == other.operands && a == b,
            _ => false,
        }
    }
}

/// An argument of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// The value inside the function.
    pub value: Value,
    /// `cnnc.name`, for instance `conv1.weight`.
    pub name: Option<String>,
}

/// A result of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// The value that is returned.
    pub value: Value,
    /// `cnnc.name`.
    pub name: Option<String>,
}

/// A straight-line function in single-assignment form.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Function {
    /// Name without `@`.
    pub name: String,
    /// Arguments in order.
    pub arguments: Vec<Argument>,
    /// Instructions, each after those that define its operands.
    pub body: Vec<Instruction>,
    /// Results in order.
    pub outputs: Vec<Output>,
    /// Discardable attributes of the function, by full name.
    pub attributes: Vec<(String, Attribute)>,
    types: Vec<TensorType>,
}

impl Function {
    /// An empty function.
    pub fn new(name: impl Into<String>) -> Self {
        Function {
            name: name.into(),
            ..Function::default()
        }
    }

    /// Type of a value.
    pub fn ty(&self, value: Value) -> &TensorType {
        &self.types[value.index()]
    }

    /// Number of values, arguments included.
    pub fn value_count(&self) -> usize {
        self.types.len()
    }

    /// All values.
    pub fn values(&self) -> impl Iterator<Item = Value> + use<> {
        (0..self.types.len() as u32).map(Value)
    }

    /// Makes a new value; the caller defines it.
    pub(crate) fn new_value(&mut self, ty: TensorType) -> Value {
        let value = Value(self.types.len() as u32);
        self.types.push(ty);
        value
    }

    /// Adds an argument.
    pub fn argument(&mut self, name: Option<&str>, ty: TensorType) -> Value {
        let value = self.new_value(ty);
        self.arguments.push(Argument {
            value,
            name: name.map(str::to_owned),
        });
        value
    }

    /// Adds a result.
    pub fn output(&mut self, name: Option<&str>, value: Value) {
        self.outputs.push(Output {
            value,
            name: name.map(str::to_owned),
        });
    }

    /// For each value the index of the instruction that defines it; `None`
    /// for arguments.
    pub fn definitions(&self) -> Vec<Option<usize>> {
        let mut definitions = vec![None; self.types.len()];
        for (index, instruction) in self.body.iter().enumerate() {
            definitions[instruction.result.index()] = Some(index);
        }
        definitions
    }

    /// How often each value is used, outputs included.
    pub fn use_counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.types.len()];
        for instruction in &self.body {
            for operand in &instruction.operands {
                counts[operand.index()] += 1;
            }
        }
        for output in &self.outputs {
            counts[output.value.index()] += 1;
        }
        counts
    }
}

impl Function {
    /// The function with every function that its operations run replaced.
    ///
    /// # Errors
    /// That of `map`.
    pub fn map_regions<E>(
        &self,
        mut map: impl FnMut(&Function) -> Result<Function, E>,
    ) -> Result<Self, E> {
        let mut result = self.clone();
        // Instructions of one operation share their regions, before and after.
        let mut mapped: Vec<(Region, Region)> = Vec::new();
        for instruction in &mut result.body {
            if let Op::Compound { op, .. } = &mut instruction.op {
                *op = op.map_regions(&mut |region| {
                    if let Some((_, new)) = mapped.iter().find(|(old, _)| old == region) {
                        return Ok(new.clone());
                    }
                    let new = Region::new(map(region)?);
                    mapped.push((region.clone(), new.clone()));
                    Ok(new)
                })?;
            }
        }
        Ok(result)
    }
}

/// A module of functions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Module {
    /// Symbol name, without `@`.
    pub name: String,
    /// Discardable attributes, by full name (`cnnc.manifest`).
    pub attributes: Vec<(String, Attribute)>,
    /// Functions in order.
    pub functions: Vec<Function>,
}

impl Module {
    /// The function called `name`.
    pub fn function(&self, name: &str) -> Result<&Function, Error> {
        self.functions
            .iter()
            .find(|f| f.name == name)
            .ok_or_else(|| Error::NoFunction {
                name: name.to_owned(),
                available: self
                    .functions
                    .iter()
                    .map(|f| format!("@{}", f.name))
                    .collect::<Vec<_>>()
                    .join(", "),
            })
    }

    /// The attribute called `name`.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, a)| a)
    }
}
