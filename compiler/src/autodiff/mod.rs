//! Reverse-mode differentiation as a pass on StableHLO functions. It knows
//! operations, not layers.
//!
//! The walk copies the function, marks the values on a path from the
//! arguments of interest to the outputs (`activity`), and goes backwards
//! over the instructions: the cotangents of a value that reach it from
//! several users are added, a value that none reaches has the cotangent zero
//! and costs nothing, and each instruction hands its cotangent to its
//! operands by the rule of its operation (`rules`).

mod activity;
mod rules;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use crate::stablehlo::{Builder, Error, Function, Location, Result, Value};
use rules::Rule;

/// Name of the pass in errors.
pub const PASS: &str = "autodiff";

/// Suffix of the names of gradient results.
pub const GRADIENT_SUFFIX: &str = ".gradient";

/// The function with its gradient: the outputs of `function`, then the
/// derivative of its (scalar, first) output with respect to each argument in
/// `arguments`.
///
/// # Errors
/// If the first output is no floating-point scalar, or an operation on the
/// way has no rule.
pub fn gradients(function: &Function, arguments: &[usize], name: &str) -> Result<Function> {
    let mut builder = Builder::new(function.clone());
    builder.function.name = name.to_owned();
    let loss = function
        .outputs
        .first()
        .map(|output| output.value)
        .filter(|&value| {
            let ty = function.ty(value);
            ty.rank() == 0 && ty.element.is_float()
        })
        .ok_or_else(|| refuse(format!("`@{}` must return a scalar loss", function.name)))?;
    let seed = builder.splat_like(1.0, loss)?;
    append_gradients(&mut builder, function, &[(loss, seed)], arguments)?;
    Ok(builder.function)
}

/// The vector-Jacobian product of the first output of `function`: takes the
/// arguments of `function` and, last, a cotangent called `cotangent`; returns
/// for each argument in `arguments` its gradient.
///
/// # Errors
/// If the function returns nothing, or an operation on the way has no rule.
pub fn pullback(
    function: &Function,
    arguments: &[usize],
    name: &str,
    cotangent: &str,
) -> Result<Function> {
    let mut builder = Builder::new(function.clone());
    builder.function.name = name.to_owned();
    let Some(output) = function.outputs.first().map(|o| o.value) else {
        return Err(refuse(format!("`@{}` returns nothing", function.name)));
    };
    let seed = builder
        .function
        .argument(Some(cotangent), function.ty(output).clone());
    builder.function.outputs.clear();
    append_gradients(&mut builder, function, &[(output, seed)], arguments)?;
    Ok(builder.function)
}

/// The pullback of result `output` of a region: takes its arguments and, last,
/// the cotangent; returns the gradient by each argument in `arguments`.
fn region_pullback(region: &Function, output: usize, arguments: &[usize]) -> Result<Function> {
    let mut builder = Builder::new(region.clone());
    let Some(value) = region.outputs.get(output).map(|o| o.value) else {
        return Err(refuse(format!("a region has no result {output}")));
    };
    let seed = builder.function.argument(None, region.ty(value).clone());
    builder.function.outputs.clear();
    append_gradients(&mut builder, region, &[(value, seed)], arguments)?;
    Ok(crate::simplify::drop_unused(&builder.function))
}

fn refuse(message: String) -> Error {
    Error::Pass {
        pass: PASS,
        message,
        location: Location::UNKNOWN,
    }
}

fn append_gradients(
    builder: &mut Builder,
    function: &Function,
    seeds: &[(Value, Value)],
    arguments: &[usize],
) -> Result<()> {
    let mut wrt = Vec::new();
    for &index in arguments {
        let argument = function
            .arguments
            .get(index)
            .ok_or_else(|| refuse(format!("`@{}` has no argument {index}", function.name)))?;
        wrt.push(argument);
    }
    let values: Vec<Value> = wrt.iter().map(|a| a.value).collect();
    let cotangents = reverse(builder, function, seeds, &values)?;
    for (argument, cotangent) in wrt.iter().zip(cotangents) {
        let cotangent = match cotangent {
            Some(cotangent) => cotangent,
            None => builder.splat_like(0.0, argument.value)?,
        };
        let name = argument
            .name
            .as_ref()
            .map(|name| format!("{name}{GRADIENT_SUFFIX}"));
        builder.function.output(name.as_deref(), cotangent);
    }
    Ok(())
}

/// Appends the backward pass of `function`, whose instructions `builder`
/// already holds, from cotangents of some values; returns the cotangents of
/// `wrt`, `None` standing for zero.
fn reverse(
    builder: &mut Builder,
    function: &Function,
    seeds: &[(Value, Value)],
    wrt: &[Value],
) -> Result<Vec<Option<Value>>> {
    let active = activity::active(function, wrt);
    let definitions = function.definitions();
    let mut cotangents: HashMap<Value, Value> = HashMap::new();
    for &(value, seed) in seeds {
        accumulate(builder, &mut cotangents, value, seed)?;
    }
    for instruction in function.body.iter().rev() {
        if !active[instruction.result.index()] {
            continue;
        }
        let Some(&cotangent) = cotangents.get(&instruction.result) else {
            continue;
        };
        builder.location = instruction.location.clone();
        let needed: Vec<bool> = instruction
            .operands
            .iter()
            .map(|operand| active[operand.index()])
            .collect();
        let contributions = rules::apply(
            &mut Rule {
                builder: &mut *builder,
                function,
                definitions: &definitions,
                instruction,
                needed: &needed,
            },
            cotangent,
        )?;
        for ((&operand, contribution), needed) in
            instruction.operands.iter().zip(contributions).zip(needed)
        {
            if let Some(contribution) = contribution.filter(|_| needed) {
                accumulate(builder, &mut cotangents, operand, contribution)?;
            }
        }
    }
    builder.location = Location::UNKNOWN;
    Ok(wrt.iter().map(|v| cotangents.get(v).copied()).collect())
}

fn accumulate(
    builder: &mut Builder,
    cotangents: &mut HashMap<Value, Value>,
    value: Value,
    contribution: Value,
) -> Result<()> {
    let total = match cotangents.get(&value) {
        Some(&sum) => builder.add(sum, contribution)?,
        None => contribution,
    };
    cotangents.insert(value, total);
    Ok(())
}
