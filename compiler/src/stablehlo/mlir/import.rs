//! MLIR in generic form to typed functions.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::RankedTensorType;
use melior::ir::{
    BlockLike, BlockRef, Location as MlirLocation, Module as MlirModule, RegionLike,
    ShapedTypeLike, Type, ValueLike,
};

use super::attribute::Attribute;
use super::spelled::{self, Texts};
use super::{NAME, STOP_GRADIENT, context};
use crate::stablehlo::Result;
use crate::stablehlo::error::Error;
use crate::stablehlo::function::{Function, Instruction, Location, Module, Value};
use crate::stablehlo::infer;
use crate::stablehlo::types::{ElementType, TensorType};

/// Reads a module of straight-line functions in MLIR's generic form.
///
/// # Errors
/// [`Error::Syntax`] if the text is not MLIR, [`Error::UnknownOp`] for an
/// operation outside [`Op`](crate::stablehlo::Op), [`Error::Constraint`] where
/// a result type is not the one that the operands give.
pub fn parse(text: &str) -> Result<Module> {
    let context = context();
    let messages = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&messages);
    let handler = context.attach_diagnostic_handler(move |diagnostic| {
        if let Ok(mut messages) = sink.lock() {
            messages.push((diagnostic.to_string(), location(diagnostic.location())));
        }
        true
    });
    let module = MlirModule::parse(&context, text);
    context.detach_diagnostic_handler(handler);
    let Some(module) = module else {
        let first = messages.lock().ok().and_then(|m| m.first().cloned());
        let (message, location) =
            first.unwrap_or_else(|| ("not an MLIR module".to_owned(), Location::UNKNOWN));
        return Err(Error::Syntax { message, location });
    };
    let mut result = Module::default();
    let operation = module.as_operation();
    for (name, attribute) in operation.attributes() {
        let name = text_of(name);
        if name == "sym_name" {
            result.name = string(attribute).unwrap_or_default();
        } else if name.contains('.') {
            let attribute = own(&attribute.to_string(), &name, &Location::UNKNOWN)?;
            result.attributes.push((name, attribute));
        }
    }
    let mut next = module.body().first_operation();
    while let Some(operation) = next {
        result.functions.push(function(operation)?);
        next = operation.next_in_block();
    }
    Ok(result)
}

fn text_of(identifier: melior::ir::Identifier<'_>) -> String {
    identifier
        .as_string_ref()
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

fn string(attribute: melior::ir::Attribute<'_>) -> Option<String> {
    // Read from the text: melior's accessor builds a slice from a null pointer
    // for an empty string.
    let attribute = Attribute::parse(&attribute.to_string()).ok()?;
    attribute.as_str().map(str::to_owned)
}

fn own(text: &str, name: &str, location: &Location) -> Result<Attribute> {
    Attribute::parse(text).map_err(|message| Error::Syntax {
        message: format!("attribute `{name}`: {message}"),
        location: location.clone(),
    })
}

/// The innermost file location of an MLIR location.
fn location(location: MlirLocation<'_>) -> Location {
    if location.is_file_line_col_range() {
        let file = text_of(location.file_line_col_range_filename());
        return Location::new(
            file,
            location.file_line_col_range_start_line() as u32,
            location.file_line_col_range_start_column() as u32,
        );
    }
    if location.is_name() {
        return self::location(location.name_child_location());
    }
    if location.is_fused() && location.fused_num_locations() > 0 {
        return self::location(location.fused_location(0));
    }
    Location::UNKNOWN
}

fn tensor_type(ty: Type<'_>, location: &Location) -> Result<TensorType> {
    let refuse = |why: &str| Error::Syntax {
        message: format!("{why} `{ty}`; tensors of static shape are known here"),
        location: location.clone(),
    };
    let tensor = RankedTensorType::try_from(ty).map_err(|_| refuse("unknown type"))?;
    let element = ElementType::parse(&tensor.element().to_string())
        .ok_or_else(|| refuse("unknown element type in"))?;
    let mut shape = Vec::with_capacity(tensor.rank());
    for i in 0..tensor.rank() {
        match tensor.dim_size(i) {
            Ok(melior::ir::r#type::DimSize::Static(size)) => shape.push(size as i64),
            _ => return Err(refuse("dynamic shape in")),
        }
    }
    Ok(TensorType::new(shape, element))
}

fn function(operation: OperationRef<'_, '_>) -> Result<Function> {
    let place = location(operation.location());
    let name = text_of(operation.name());
    if name != "func.func" {
        return Err(Error::UnknownOp {
            op: name,
            location: place,
        });
    }
    let mut function = Function::new(
        operation
            .attribute("sym_name")
            .ok()
            .and_then(string)
            .unwrap_or_default(),
    );
    let names = |key: &str| -> Result<Vec<Option<String>>> {
        let Ok(attribute) = operation.attribute(key) else {
            return Ok(Vec::new());
        };
        let Attribute::Array(entries) = own(&attribute.to_string(), key, &place)? else {
            return Ok(Vec::new());
        };
        Ok(entries
            .iter()
            .map(|entry| {
                entry
                    .get(NAME)
                    .and_then(Attribute::as_str)
                    .map(str::to_owned)
            })
            .collect())
    };
    for (name, attribute) in operation.attributes() {
        let name = text_of(name);
        if name.contains('.') {
            let attribute = own(&attribute.to_string(), &name, &place)?;
            function.attributes.push((name, attribute));
        }
    }
    let block = operation
        .region(0)
        .ok()
        .and_then(|region| region.first_block())
        .ok_or_else(|| Error::Syntax {
            message: format!("function `@{}` has no body", function.name),
            location: place.clone(),
        })?;
    body(
        block,
        &mut function,
        &names("arg_attrs")?,
        &names("res_attrs")?,
    )?;
    Ok(function)
}

fn body(
    block: BlockRef<'_, '_>,
    function: &mut Function,
    argument_names: &[Option<String>],
    result_names: &[Option<String>],
) -> Result<()> {
    let mut values: HashMap<usize, Value> = HashMap::new();
    for index in 0..block.argument_count() {
        let Ok(argument) = block.argument(index) else {
            continue;
        };
        let ty = tensor_type(argument.r#type(), &Location::UNKNOWN)?;
        let name = argument_names.get(index).and_then(|n| n.as_deref());
        let value = function.argument(name, ty);
        values.insert(argument.to_raw().ptr as usize, value);
    }
    let mut next = block.first_operation();
    while let Some(operation) = next {
        next = operation.next_in_block();
        let place = location(operation.location());
        let name = text_of(operation.name());
        let mut operands = Vec::new();
        for operand in operation.operands() {
            let value = values.get(&(operand.to_raw().ptr as usize));
            operands.push(*value.ok_or_else(|| Error::Syntax {
                message: format!("operand of `{name}` is defined outside the function"),
                location: place.clone(),
            })?);
        }
        if name == "func.return" {
            for (index, value) in operands.into_iter().enumerate() {
                function.output(result_names.get(index).and_then(|n| n.as_deref()), value);
            }
            return Ok(());
        }
        let value = instruction(operation, &name, operands, function, place)?;
        if let Ok(result) = operation.result(0) {
            values.insert(result.to_raw().ptr as usize, value);
        }
    }
    Ok(())
}

fn instruction(
    operation: OperationRef<'_, '_>,
    name: &str,
    operands: Vec<Value>,
    function: &mut Function,
    place: Location,
) -> Result<Value> {
    let unknown = || Error::UnknownOp {
        op: name.to_owned(),
        location: place.clone(),
    };
    let short = name.strip_prefix("stablehlo.").ok_or_else(unknown)?;
    if operation.result_count() != 1 {
        return Err(unknown());
    }
    let result = operation.result(0).map_err(|_| unknown())?;
    let ty = tensor_type(result.r#type(), &place)?;
    // Text with `<{...}>` holds attributes as properties, which MLIR lists
    // nowhere for operations it does not know; they can be asked for by name.
    let texts = Texts(
        spelled::NAMES
            .iter()
            .filter_map(|&name| {
                let attribute = operation
                    .attribute(name)
                    .or_else(|_| operation.inherent_attribute(name));
                Some((name.to_owned(), attribute.ok()?.to_string()))
            })
            .collect(),
    );
    let bodies = operation
        .regions()
        .map(|region| region.first_block().map(body_names).unwrap_or_default())
        .collect();
    let first = operands.first().map(|&v| function.ty(v));
    let stop_gradient = operation.has_attribute(STOP_GRADIENT);
    let op = spelled::operation(short, &texts, &bodies, first, &ty)
        .map_err(|message| Error::Syntax {
            message: format!("`{name}`: {message}"),
            location: place.clone(),
        })?
        .ok_or_else(unknown)?;
    let types: Vec<&TensorType> = operands.iter().map(|&v| function.ty(v)).collect();
    let inferred = infer::result_type(&op, &types);
    if inferred.as_ref() != Ok(&ty) {
        let message = match inferred {
            Ok(inferred) => format!("the result is {inferred}, but the text says {ty}"),
            Err(message) => message,
        };
        return Err(Error::Constraint {
            op: op.name(),
            message,
            location: place,
        });
    }
    let result = function.new_value(ty);
    function.body.push(Instruction {
        op,
        operands,
        result,
        stop_gradient,
        location: place,
    });
    Ok(result)
}

/// Names of the operations of a region's block, without the terminator; a
/// comparison carries its direction. Operations that do not take exactly the
/// block's arguments in order are marked, so that they match nothing.
fn body_names(block: BlockRef<'_, '_>) -> Vec<String> {
    let arguments: Vec<usize> = (0..block.argument_count())
        .filter_map(|i| block.argument(i).ok())
        .map(|a| a.to_raw().ptr as usize)
        .collect();
    let mut names = Vec::new();
    let mut next = block.first_operation();
    while let Some(operation) = next {
        next = operation.next_in_block();
        let name = text_of(operation.name());
        if name == "stablehlo.return" {
            break;
        }
        let short = name.strip_prefix("stablehlo.").unwrap_or(&name);
        let mut text = short.to_owned();
        let direction = operation
            .attribute("comparison_direction")
            .or_else(|_| operation.inherent_attribute("comparison_direction"));
        if let Ok(attribute) = direction
            && let Ok(direction) = spelled::parse_direction(&attribute.to_string())
        {
            text = format!("{short} {}", direction.name());
        }
        let operands: Vec<usize> = operation
            .operands()
            .map(|v| v.to_raw().ptr as usize)
            .collect();
        let commutes = text != "compare GE" && operands.iter().rev().eq(arguments.iter());
        if operands != arguments && !commutes {
            text.push_str(" of other operands");
        }
        names.push(text);
    }
    names
}
