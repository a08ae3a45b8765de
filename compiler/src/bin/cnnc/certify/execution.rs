//! The compiled module against the interpreter.

use cnnc::certify::{Check, Subject, Values, execute, subject};
use cnnc::driver::Backend;
use cnnc::lower::LOGITS;
use cnnc::program::COTANGENT;
use cnnc::reference::Tensor;
use cnnc::stablehlo::TensorType;
use cnnc_runtime::program::Program;
use cnnc_runtime::state::{Snapshot, State};
use cnnc_runtime::tensor::{Elements, NamedTensor};

use super::Args;
use crate::common::{Console, Failure};

/// Compiles `tuned` and compares its integers with the interpreter's.
pub fn compare(
    args: &Args,
    backend: &Backend,
    portable: &Subject,
    tuned: &Subject,
    console: &Console,
) -> Result<Vec<Check>, Failure> {
    let case = execute::case(portable, tuned, args.seed)
        .map_err(|error| Failure::new(format!("--execute: no integers: {error}")))?;
    let bytes = backend.program(tuned.module()).map_err(Failure::new)?;
    let engine = args.engine.open(console)?;
    let program = Program::load(engine.runtime(), &bytes).map_err(Failure::new)?;
    let f32s = |name: &str| -> Vec<f32> {
        let tensor = case.values.get(name).map(Tensor::as_numbers);
        let numbers = tensor.unwrap_or_default().iter();
        numbers.map(|&n| n as f32).collect()
    };
    let parameters = portable.parameters().iter();
    let parameters = parameters.map(|parameter| NamedTensor {
        name: parameter.name.clone(),
        shape: parameter.shape.iter().map(|&n| n as usize).collect(),
        elements: Elements::F32(f32s(&parameter.name)),
    });
    let snapshot = Snapshot::of_parameters(program.manifest(), parameters.collect());
    let state = State::upload(engine.runtime(), program.manifest(), &snapshot);
    let state = state.map_err(Failure::new)?;
    let image = case
        .values
        .keys()
        .find(|name| *name != COTANGENT && portable.parameters().iter().all(|p| p.name != **name));
    let image = image.map(|name| f32s(name)).unwrap_or_default();
    let mut checks = Vec::new();
    for (function, expected) in &case.expected {
        let mut found = Values::new();
        match *function {
            "forward" => {
                let logits = program.forward(&state, &image).map_err(Failure::new)?;
                insert(&mut found, LOGITS.to_owned(), logits)?;
            }
            _ => {
                let gradients = program.pullback(&state, &image, &f32s(COTANGENT));
                for gradient in gradients.map_err(Failure::new)? {
                    let numbers = gradient.elements.as_f32().unwrap_or_default();
                    let name = match gradient.name.ends_with(".gradient") {
                        true => gradient.name.clone(),
                        false => subject::gradient_name(&gradient.name),
                    };
                    insert(&mut found, name, numbers.to_vec())?;
                }
            }
        }
        checks.push(execute::compare(function, expected, &found));
    }
    Ok(checks)
}

fn insert(found: &mut Values<f32>, name: String, numbers: Vec<f32>) -> Result<(), Failure> {
    let ty = TensorType::f32([numbers.len() as i64]);
    let tensor = Tensor::numbers(ty, numbers).map_err(Failure::new)?;
    found.insert(name, tensor);
    Ok(())
}
