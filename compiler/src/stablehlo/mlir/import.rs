//! MLIR in generic form to typed functions.

mod block;
mod library;
mod region;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex};

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::RankedTensorType;
use melior::ir::{
    BlockLike, Location as MlirLocation, Module as MlirModule, RegionLike, ShapedTypeLike, Type,
};

use super::attribute::Attribute;
use super::{NAME, context};
use crate::stablehlo::Result;
use crate::stablehlo::error::Error;
use crate::stablehlo::function::{Function, Location, Module};
use crate::stablehlo::types::{ElementType, TensorType};
use block::Reading;
use library::Library;

/// Reads a module in MLIR's generic form.
///
/// Regions become closed functions. Calls are replaced by what they call, and
/// private functions that are called are left out.
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
    let library = Library::new(module.body().first_operation());
    library.check_sizes()?;
    let mut next = module.body().first_operation();
    while let Some(operation) = next {
        next = operation.next_in_block();
        if !library.is_inlined(operation) {
            result.functions.push(function(operation, &library)?);
        }
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

fn function<'c, 'a>(
    operation: OperationRef<'c, 'a>,
    library: &Library<'c, 'a>,
) -> Result<Function> {
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
    let (argument_names, result_names) = (names("arg_attrs")?, names("res_attrs")?);
    let mut reading = Reading::new(function, library);
    for index in 0..block.argument_count() {
        let name = argument_names.get(index).and_then(|n| n.as_deref());
        reading.argument(block, index, name, &place)?;
    }
    for (index, value) in reading.block(block)?.into_iter().enumerate() {
        let name = result_names.get(index).and_then(|n| n.as_deref());
        reading.function.output(name, value);
    }
    Ok(reading.function)
}
