//! Blocks: instruction by instruction, with calls replaced by what they call.

use std::collections::HashMap;

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, RegionLike, ValueLike};

use super::library::{Library, MOST_CALLS, callee};
use super::region::uses_more;
use super::{location, tensor_type, text_of};
use crate::stablehlo::Result;
use crate::stablehlo::error::Error;
use crate::stablehlo::function::{Function, Instruction, Location, Value};
use crate::stablehlo::infer;
use crate::stablehlo::mlir::STOP_GRADIENT;
use crate::stablehlo::mlir::spelled::{self, Texts};
use crate::stablehlo::op::Op;
use crate::stablehlo::types::TensorType;

/// A function being read.
pub(super) struct Reading<'l, 'c, 'a> {
    /// What has been read.
    pub function: Function,
    pub(super) library: &'l Library<'c, 'a>,
    /// Values by their address in MLIR.
    pub(super) values: HashMap<usize, Value>,
    /// Names of the functions that are being read, each called by the one
    /// before.
    pub(super) calls: Vec<String>,
    /// How deep the region lies.
    pub(super) depth: usize,
}

/// The address of an MLIR value.
pub(super) fn address<'c>(value: impl ValueLike<'c>) -> usize {
    value.to_raw().ptr as usize
}

impl<'l, 'c, 'a> Reading<'l, 'c, 'a> {
    pub fn new(function: Function, library: &'l Library<'c, 'a>) -> Self {
        Reading {
            calls: vec![function.name.clone()],
            function,
            library,
            values: HashMap::new(),
            depth: 0,
        }
    }

    /// Makes an argument of a block one of the function.
    pub fn argument(
        &mut self,
        block: BlockRef<'c, 'a>,
        index: usize,
        name: Option<&str>,
        place: &Location,
    ) -> Result<()> {
        if let Ok(argument) = block.argument(index) {
            let ty = tensor_type(argument.r#type(), place)?;
            let value = self.function.argument(name, ty);
            self.values.insert(address(argument), value);
        }
        Ok(())
    }

    /// Reads a block, whose arguments have values; returns what it returns.
    pub fn block(&mut self, block: BlockRef<'c, 'a>) -> Result<Vec<Value>> {
        let mut next = block.first_operation();
        while let Some(operation) = next {
            next = operation.next_in_block();
            let place = location(operation.location());
            let name = text_of(operation.name());
            let mut operands = Vec::new();
            for operand in operation.operands() {
                operands.push(self.value(address(operand), &name, &place)?);
            }
            match name.as_str() {
                "func.return" | "stablehlo.return" => return Ok(operands),
                "func.call" | "stablehlo.composite" => self.call(operation, &operands, &place)?,
                _ => self.operation(operation, &name, operands, place)?,
            }
        }
        Ok(Vec::new())
    }

    /// The value at an address.
    pub(super) fn value(&self, address: usize, user: &str, place: &Location) -> Result<Value> {
        self.values
            .get(&address)
            .copied()
            .ok_or_else(|| Error::Syntax {
                message: format!("operand of `{user}` is defined outside the function"),
                location: place.clone(),
            })
    }

    /// Reads the body of the function that is called.
    fn call(
        &mut self,
        operation: OperationRef<'c, 'a>,
        operands: &[Value],
        place: &Location,
    ) -> Result<()> {
        let refuse = |message: String| Error::Syntax {
            message,
            location: place.clone(),
        };
        let name = callee(operation).unwrap_or_default();
        let target = self.library.get(&name);
        let block = target
            .and_then(|function| function.region(0).ok())
            .and_then(|region| region.first_block())
            .ok_or_else(|| refuse(format!("the function `@{name}` that is called has no body")))?;
        if self.calls.contains(&name) {
            let chain: Vec<String> = self.calls.iter().map(|name| format!("@{name}")).collect();
            return Err(refuse(format!(
                "`@{name}` calls itself: {} -> @{name}",
                chain.join(" -> ")
            )));
        }
        if self.calls.len() > MOST_CALLS {
            return Err(refuse(format!("calls lie deeper than {MOST_CALLS}")));
        }
        let mut inside = HashMap::new();
        for (index, &operand) in operands.iter().enumerate() {
            let argument = block.argument(index).map_err(|_| {
                refuse(format!(
                    "`@{name}` takes fewer than {} arguments",
                    index + 1
                ))
            })?;
            self.check_type(operand, &tensor_type(argument.r#type(), place)?, place)?;
            inside.insert(address(argument), operand);
        }
        let outside = std::mem::replace(&mut self.values, inside);
        self.calls.push(name);
        let results = self.block(block);
        self.calls.pop();
        self.values = outside;
        let results = results?;
        if results.len() != operation.result_count() {
            return Err(refuse(format!(
                "the call has {} results, the function returns {}",
                operation.result_count(),
                results.len()
            )));
        }
        for (result, value) in operation.results().zip(results) {
            self.check_type(value, &tensor_type(result.r#type(), place)?, place)?;
            self.values.insert(address(result), value);
        }
        Ok(())
    }

    fn check_type(&self, value: Value, expected: &TensorType, place: &Location) -> Result<()> {
        let found = self.function.ty(value);
        if found == expected {
            return Ok(());
        }
        Err(Error::Syntax {
            message: format!("the call passes {found} for {expected}"),
            location: place.clone(),
        })
    }

    fn operation(
        &mut self,
        operation: OperationRef<'c, 'a>,
        name: &str,
        operands: Vec<Value>,
        place: Location,
    ) -> Result<()> {
        let unknown = || Error::UnknownOp {
            op: name.to_owned(),
            location: place.clone(),
        };
        let short = name.strip_prefix("stablehlo.").ok_or_else(unknown)?;
        let syntax = |message: String| Error::Syntax {
            message: format!("`{name}`: {message}"),
            location: place.clone(),
        };
        let mut types = Vec::new();
        for result in operation.results() {
            types.push(tensor_type(result.r#type(), &place)?);
        }
        let texts = texts(operation);
        let kind = match short {
            "reduce" if uses_more(operation) => Some(spelled::Kind::Reduce),
            short => spelled::Kind::of(short),
        };
        if let Some(kind) = kind {
            return self.compound(operation, kind, &texts, operands, &types, place);
        }
        let mut bodies = Vec::new();
        for region in operation.regions() {
            let body = self.region(region, &[], &place)?;
            bodies.push(spelled::Body::of(&body));
        }
        if short == "reduce" && !matches!(&bodies[..], [body] if body.reducer().is_some()) {
            let kind = spelled::Kind::Reduce;
            return self.compound(operation, kind, &texts, operands, &types, place);
        }
        let [ty] = &types[..] else {
            return Err(unknown());
        };
        let first = operands.first().map(|&v| self.function.ty(v));
        let op = spelled::operation(short, &texts, &bodies, first, ty)
            .map_err(syntax)?
            .ok_or_else(unknown)?;
        self.push(operation, op, &operands, ty, &place, 0)
    }

    /// Appends the instruction for one result of an operation.
    pub(super) fn push(
        &mut self,
        operation: OperationRef<'c, 'a>,
        op: Op,
        operands: &[Value],
        ty: &TensorType,
        place: &Location,
        number: usize,
    ) -> Result<()> {
        let types: Vec<&TensorType> = operands.iter().map(|&v| self.function.ty(v)).collect();
        let inferred = infer::result_type(&op, &types);
        if inferred.as_ref() != Ok(ty) {
            let message = match inferred {
                Ok(inferred) => format!("the result is {inferred}, but the text says {ty}"),
                Err(message) => message,
            };
            return Err(Error::Constraint {
                op: op.name(),
                message,
                location: place.clone(),
            });
        }
        let result = self.function.new_value(ty.clone());
        self.function.body.push(Instruction {
            op,
            operands: operands.to_vec(),
            result,
            stop_gradient: operation.has_attribute(STOP_GRADIENT),
            location: place.clone(),
        });
        if let Ok(made) = operation.result(number) {
            self.values.insert(address(made), result);
        }
        Ok(())
    }
}

/// The text of the attributes known here. Text with `<{...}>` holds attributes
/// as properties, which MLIR lists nowhere for operations it does not know;
/// they can be asked for by name.
fn texts(operation: OperationRef<'_, '_>) -> Texts {
    let text = |&name: &&str| {
        let attribute = operation
            .attribute(name)
            .or_else(|_| operation.inherent_attribute(name));
        Some((name.to_owned(), attribute.ok()?.to_string()))
    };
    Texts(spelled::NAMES.iter().filter_map(text).collect())
}
