//! Result types of operations with several results or with regions.

use super::{Refusal, check_dims};
use crate::stablehlo::function::Function;
use crate::stablehlo::op::{Compound, Region, kept};
use crate::stablehlo::types::{ElementType, TensorType};

/// The types of all results of `op` applied to operands of these types.
pub fn result_types(op: &Compound, operands: &[&TensorType]) -> Result<Vec<TensorType>, Refusal> {
    match op {
        Compound::Barrier => Ok(operands.iter().map(|&ty| ty.clone()).collect()),
        Compound::Case { branches } => case(branches, operands),
        Compound::If { on_true, on_false } => branch(on_true, on_false, operands),
        Compound::Reduce { body, dims } => reduce(body, dims, operands),
        Compound::Sort {
            comparator, dim, ..
        } => sort(comparator, *dim, operands),
        Compound::While { condition, body } => repeat(condition, body, operands),
    }
}

fn types(list: &[TensorType]) -> String {
    let list: Vec<String> = list.iter().map(ToString::to_string).collect();
    format!("({})", list.join(", "))
}

fn inputs(function: &Function) -> Vec<TensorType> {
    let values = function.arguments.iter().map(|a| a.value);
    values.map(|v| function.ty(v).clone()).collect()
}

fn outputs(function: &Function) -> Vec<TensorType> {
    let values = function.outputs.iter().map(|o| o.value);
    values.map(|v| function.ty(v).clone()).collect()
}

/// Refuses unless the region takes these types.
fn check_inputs(label: &str, region: &Region, expected: &[TensorType]) -> Result<(), Refusal> {
    let found = inputs(region);
    if found == expected {
        return Ok(());
    }
    Err(format!(
        "{label} its region takes {}, not {}",
        types(&found),
        types(expected)
    ))
}

/// Refuses unless the region returns these types.
fn check_outputs(label: &str, region: &Region, expected: &[TensorType]) -> Result<(), Refusal> {
    let found = outputs(region);
    if found == expected {
        return Ok(());
    }
    Err(format!(
        "{label} its region returns {}, not {}",
        types(&found),
        types(expected)
    ))
}

fn owned(operands: &[&TensorType]) -> Vec<TensorType> {
    operands.iter().map(|&ty| ty.clone()).collect()
}

/// Splits off the scalar that decides.
fn decider<'a, 'b>(
    what: &str,
    element: ElementType,
    operands: &'a [&'b TensorType],
) -> Result<&'a [&'b TensorType], Refusal> {
    let expected = TensorType::scalar(element);
    match operands {
        [first, rest @ ..] if **first == expected => Ok(rest),
        [first, ..] => Err(format!("(I1) {what} is {first}, not {expected}")),
        [] => Err(format!("(I1) takes {what}")),
    }
}

fn case(branches: &[Region], operands: &[&TensorType]) -> Result<Vec<TensorType>, Refusal> {
    let [first, others @ ..] = branches else {
        return Err("(C1) has no branches".to_owned());
    };
    let taken = owned(decider("the index", ElementType::I32, operands)?);
    let results = outputs(first);
    check_inputs("(C2)", first, &taken)?;
    for branch in others {
        check_inputs("(C2)", branch, &taken)?;
        check_outputs("(C3)", branch, &results)?;
    }
    Ok(results)
}

fn branch(
    on_true: &Region,
    on_false: &Region,
    operands: &[&TensorType],
) -> Result<Vec<TensorType>, Refusal> {
    let taken = owned(decider("the predicate", ElementType::I1, operands)?);
    let results = outputs(on_true);
    check_inputs("(C1)", on_true, &taken)?;
    check_inputs("(C1)", on_false, &taken)?;
    check_outputs("(C2)", on_false, &results)?;
    Ok(results)
}

fn repeat(
    condition: &Region,
    body: &Region,
    operands: &[&TensorType],
) -> Result<Vec<TensorType>, Refusal> {
    let carried = owned(operands);
    check_inputs("(C1)", condition, &carried)?;
    check_outputs("(C1)", condition, &[TensorType::scalar(ElementType::I1)])?;
    check_inputs("(C2)", body, &carried)?;
    check_outputs("(C2)", body, &carried)?;
    Ok(carried)
}

/// Number of tensors that a reduction or sort takes, if the operands of the
/// region make sense.
fn count(label: &str, found: Option<usize>, operands: &[&TensorType]) -> Result<usize, Refusal> {
    found
        .filter(|count| (1..=operands.len()).contains(count))
        .ok_or_else(|| {
            format!(
                "{label} its region does not fit {} operands",
                operands.len()
            )
        })
}

fn check_shapes(label: &str, tensors: &[&TensorType]) -> Result<(), Refusal> {
    match tensors
        .iter()
        .find(|tensor| tensor.shape != tensors[0].shape)
    {
        Some(other) => Err(format!(
            "{label} {} and {other} have different shapes",
            tensors[0]
        )),
        None => Ok(()),
    }
}

fn scalars(tensors: &[&TensorType]) -> Vec<TensorType> {
    tensors
        .iter()
        .map(|tensor| TensorType::scalar(tensor.element))
        .collect()
}

fn reduce(
    body: &Region,
    dims: &[usize],
    operands: &[&TensorType],
) -> Result<Vec<TensorType>, Refusal> {
    let count = count("(C3)", Some(body.outputs.len()), operands)?;
    let (Some(tensors), Some(inits)) = (operands.get(..count), operands.get(count..2 * count))
    else {
        return Err(format!(
            "(C3) {count} tensors need as many initial values, {} operands were given",
            operands.len()
        ));
    };
    check_shapes("(C1)", tensors)?;
    let elements = scalars(tensors);
    if owned(inits) != elements {
        return Err(format!(
            "(C2) initial values {} do not fit {}",
            types(&owned(inits)),
            types(&owned(tensors))
        ));
    }
    let rank = tensors[0].rank();
    check_dims("(C4, C5) dimensions", dims, rank)?;
    let captured = owned(&operands[2 * count..]);
    let expected = [&elements[..], &elements, &captured].concat();
    check_inputs("(C6)", body, &expected)?;
    check_outputs("(C6)", body, &elements)?;
    let kept = kept(rank, dims);
    let reduced = |tensor: &&TensorType| {
        let sizes = kept.iter().map(|&d| tensor.shape[d]);
        tensor.with_shape(sizes.collect::<Vec<_>>())
    };
    Ok(tensors.iter().map(reduced).collect())
}

fn sort(
    comparator: &Region,
    dim: usize,
    operands: &[&TensorType],
) -> Result<Vec<TensorType>, Refusal> {
    // Two arguments for each tensor, one for each further operand.
    let found = comparator.arguments.len().checked_sub(operands.len());
    let count = count("(C5)", found, operands)?;
    let (tensors, captured) = operands.split_at(count);
    check_shapes("(C3)", tensors)?;
    check_dims("(C4) dimension", &[dim], tensors[0].rank())?;
    let pairs = scalars(tensors);
    let pairs = pairs.iter().flat_map(|ty| [ty.clone(), ty.clone()]);
    let expected: Vec<TensorType> = pairs.chain(owned(captured)).collect();
    check_inputs("(C5)", comparator, &expected)?;
    check_outputs("(C5)", comparator, &[TensorType::scalar(ElementType::I1)])?;
    Ok(owned(tensors))
}
