//! Modules from text.

use std::path::Path;

use cnnc::driver::Backend;
use cnnc::iree::Error as IreeError;
use cnnc::manifest;
use cnnc::stablehlo::mlir::attribute::Attribute;
use cnnc::stablehlo::{Location, Module, mlir};

use crate::common::{Failure, input};

/// Reads the module of a file.
pub fn read(path: &Path, backend: &Backend) -> Result<Module, Failure> {
    let input = input::read(path)?;
    parse(&input.name, &input.text, backend)
}

/// The module of a text in generic form, or in the pretty one with IREE's
/// help.
pub fn parse(name: &str, text: &str, backend: &Backend) -> Result<Module, Failure> {
    let generic = match mlir::is_generic(text) {
        true => text.to_owned(),
        false => backend
            .iree
            .generic(text)
            .map_err(|error| refused(name, &error))?,
    };
    mlir::parse(&generic).map_err(|error| {
        let location = error.location().cloned().unwrap_or(Location::UNKNOWN);
        let message = error.to_string();
        let prefix = format!("{location}: ");
        let message = message.strip_prefix(&prefix).unwrap_or(&message);
        Failure::new(at(name, &location, message))
    })
}

/// Examples per call.
pub fn batch(module: &Module) -> Option<i64> {
    match module.attribute(manifest::ATTRIBUTE)?.get("batch")? {
        &Attribute::Int(batch) if batch > 0 => Some(batch),
        _ => None,
    }
}

fn refused(name: &str, error: &IreeError) -> Failure {
    match error {
        IreeError::Refused { messages } => match messages.first() {
            Some(message) => Failure::new(at(name, &message.location, &message.text)),
            None => Failure::new(format!(
                "{name}: IREE refuses the module without saying why"
            )),
        },
        other => Failure::new(other),
    }
}

/// A message with its place; the parsers do not know the name of the file.
fn at(name: &str, location: &Location, message: &str) -> String {
    match &location.place {
        Some((file, line, column)) => {
            let unnamed = ["<input>", "<stdin>", "-"].contains(&&**file);
            let file = if unnamed { name } else { file };
            format!("{file}:{line}:{column}: {message}")
        }
        None => format!("{name}: {message}"),
    }
}
