//! Operations with several results or with regions.

use std::borrow::Cow;

use super::error::Error;
use super::integer;
use super::interpreter::{Made, Options, interpret};
use super::number::Number;
use super::sort;
use super::tensor::{Data, Tensor, extents};
use super::walk::{row_major, walk};
use crate::stablehlo::{Compound, Function, Instruction, TensorType};

/// The results of `op`, whose operands inference has accepted.
pub(super) fn run<T: Number>(
    instruction: &Instruction,
    op: &Compound,
    operands: &[&Tensor<T>],
    options: Options,
) -> Result<Vec<Tensor<T>>, Error> {
    let fail = |message: String| Error::Operation {
        op: op.name(),
        message,
        location: instruction.location.clone(),
    };
    let unfit = || fail(format!("cannot take {} operands", operands.len()));
    match op {
        Compound::Barrier => Ok(operands.iter().map(|&tensor| tensor.clone()).collect()),
        Compound::Case { branches } => {
            let (index, operands) = operands.split_first().ok_or_else(unfit)?;
            let chosen = usize::try_from(decision(index)).ok();
            let chosen = chosen.and_then(|index| branches.get(index));
            let branch = chosen.or(branches.last()).ok_or_else(unfit)?;
            call(branch, operands, options)
        }
        Compound::If { on_true, on_false } => {
            let (predicate, operands) = operands.split_first().ok_or_else(unfit)?;
            let branch = if decision(predicate) != 0 {
                on_true
            } else {
                on_false
            };
            call(branch, operands, options)
        }
        Compound::While { condition, body } => {
            let mut state: Vec<Cow<'_, Tensor<T>>> = operands
                .iter()
                .map(|&tensor| Cow::Borrowed(tensor))
                .collect();
            for _ in 0..options.turns {
                let given: Vec<&Tensor<T>> = state.iter().map(Cow::as_ref).collect();
                let goes_on = call(condition, &given, options)?;
                if goes_on.first().map(decision) != Some(1) {
                    return Ok(state.into_iter().map(Cow::into_owned).collect());
                }
                let made = interpret(body, &given, options, &mut |_| {})?;
                state = replace(state, made);
            }
            Err(fail(format!("does not end within {} turns", options.turns)))
        }
        Compound::Reduce { body, dims } => {
            let count = body.outputs.len();
            if operands.len() < 2 * count {
                return Err(unfit());
            }
            let (tensors, rest) = operands.split_at(count);
            let (inits, captured) = rest.split_at(count);
            reduce(body, dims, tensors, inits, captured, options)
        }
        Compound::Sort {
            comparator, dim, ..
        } => {
            let count = comparator.arguments.len().checked_sub(operands.len());
            let count = count.filter(|&count| count <= operands.len());
            let (tensors, captured) = operands.split_at(count.ok_or_else(unfit)?);
            let mut before = |a: usize, b: usize| -> Result<bool, Error> {
                let pairs = tensors.iter().flat_map(|tensor| [(tensor, a), (tensor, b)]);
                let elements: Vec<Tensor<T>> = pairs
                    .map(|(tensor, at)| element(tensor, at))
                    .collect::<Result<_, _>>()?;
                let arguments: Vec<&Tensor<T>> =
                    elements.iter().chain(captured.iter().copied()).collect();
                let results = call(comparator, &arguments, options)?;
                Ok(results.first().map(decision) == Some(1))
            };
            let shape = tensors.first().map(|tensor| tensor.extents());
            let from = sort::order(&shape.unwrap_or_default(), *dim, &mut before)?;
            tensors.iter().map(|tensor| pick(tensor, &from)).collect()
        }
    }
}

/// The results of a function.
fn call<T: Number>(
    function: &Function,
    arguments: &[&Tensor<T>],
    options: Options,
) -> Result<Vec<Tensor<T>>, Error> {
    let made = interpret(function, arguments, options, &mut |_| {})?;
    let own = |made| match made {
        Made::Argument(index) => arguments.get(index).map(|&tensor| tensor.clone()),
        Made::Tensor(tensor) => Some(tensor),
    };
    Ok(made.into_iter().filter_map(own).collect())
}

/// The value of an integer or boolean scalar.
fn decision<T: Number>(scalar: &Tensor<T>) -> i64 {
    let bits = scalar.as_integers().first().copied().unwrap_or(0);
    i64::try_from(integer::value(scalar.ty().element, bits)).unwrap_or(i64::MAX)
}

/// The state after a turn: what the body returned as it was is moved, not
/// copied.
fn replace<'a, T: Number>(
    state: Vec<Cow<'a, Tensor<T>>>,
    made: Vec<Made<T>>,
) -> Vec<Cow<'a, Tensor<T>>> {
    let moved: Vec<Option<Cow<'a, Tensor<T>>>> = made
        .iter()
        .enumerate()
        .map(|(place, made)| match made {
            Made::Argument(index) if *index != place => state.get(*index).cloned(),
            _ => None,
        })
        .collect();
    state
        .into_iter()
        .zip(made)
        .zip(moved)
        .map(|((old, made), moved)| match made {
            Made::Argument(_) => moved.unwrap_or(old),
            Made::Tensor(tensor) => Cow::Owned(tensor),
        })
        .collect()
}

/// One element as a scalar.
fn element<T: Number>(tensor: &Tensor<T>, place: usize) -> Result<Tensor<T>, Error> {
    let ty = TensorType::scalar(tensor.ty().element);
    Tensor::checked(ty, at(tensor.data(), place))
}

/// The elements at these places.
fn pick<T: Number>(tensor: &Tensor<T>, from: &[usize]) -> Result<Tensor<T>, Error> {
    let data = match tensor.data() {
        Data::Numbers(values) => Data::Numbers(from.iter().map(|&at| values[at]).collect()),
        Data::Integers(values) => Data::Integers(from.iter().map(|&at| values[at]).collect()),
    };
    Tensor::checked(tensor.ty().clone(), data)
}

/// Folds from the initial values, in row-major order.
fn reduce<T: Number>(
    body: &Function,
    dims: &[usize],
    tensors: &[&Tensor<T>],
    inits: &[&Tensor<T>],
    captured: &[&Tensor<T>],
    options: Options,
) -> Result<Vec<Tensor<T>>, Error> {
    let Some(first) = tensors.first() else {
        return Ok(Vec::new());
    };
    let shape = first.extents();
    let kept: Vec<usize> = (0..shape.len()).filter(|dim| !dims.contains(dim)).collect();
    let sizes: Vec<i64> = kept.iter().map(|&dim| first.ty().shape[dim]).collect();
    let result = extents(&first.ty().with_shape(&sizes[..]));
    let mut strides = vec![0; shape.len()];
    for (&dim, stride) in kept.iter().zip(row_major(&result)) {
        strides[dim] = stride;
    }
    let size = result.iter().product();
    let mut totals: Vec<Data<T>> = inits.iter().map(|init| repeated(init, size)).collect();
    let mut failed = None;
    let layouts = [(0, &row_major(&shape)[..]), (0, &strides[..])];
    walk(&shape, layouts, |[from, to]| {
        if failed.is_some() {
            return;
        }
        let mut step = || -> Result<(), Error> {
            let so_far = totals.iter().zip(tensors).map(|(total, tensor)| {
                let ty = TensorType::scalar(tensor.ty().element);
                Tensor::checked(ty, at(total, to))
            });
            let elements = tensors.iter().map(|tensor| element(tensor, from));
            let given: Vec<Tensor<T>> = so_far.chain(elements).collect::<Result<_, _>>()?;
            let given: Vec<&Tensor<T>> = given.iter().chain(captured.iter().copied()).collect();
            for (total, result) in totals.iter_mut().zip(call(body, &given, options)?) {
                set(total, to, &result);
            }
            Ok(())
        };
        if let Err(error) = step() {
            failed = Some(error);
        }
    });
    if let Some(error) = failed {
        return Err(error);
    }
    let results = totals.into_iter().zip(tensors);
    results
        .map(|(total, tensor)| Tensor::checked(tensor.ty().with_shape(&sizes[..]), total))
        .collect()
}

/// A scalar so many times.
fn repeated<T: Number>(scalar: &Tensor<T>, size: usize) -> Data<T> {
    match scalar.data() {
        Data::Numbers(values) => {
            let values = values.iter().flat_map(|&v| std::iter::repeat_n(v, size));
            Data::Numbers(values.collect())
        }
        Data::Integers(values) => {
            let values = values.iter().flat_map(|&v| std::iter::repeat_n(v, size));
            Data::Integers(values.collect())
        }
    }
}

/// One element, alone.
fn at<T: Copy>(data: &Data<T>, place: usize) -> Data<T> {
    match data {
        Data::Numbers(values) => Data::Numbers(values.get(place).copied().into_iter().collect()),
        Data::Integers(values) => Data::Integers(values.get(place).copied().into_iter().collect()),
    }
}

/// Writes a scalar.
fn set<T: Number>(data: &mut Data<T>, place: usize, scalar: &Tensor<T>) {
    match (data, scalar.data()) {
        (Data::Numbers(values), Data::Numbers(scalar)) => {
            if let (Some(slot), Some(&value)) = (values.get_mut(place), scalar.first()) {
                *slot = value;
            }
        }
        (Data::Integers(values), Data::Integers(scalar)) => {
            if let (Some(slot), Some(&value)) = (values.get_mut(place), scalar.first()) {
                *slot = value;
            }
        }
        // Inference has excluded results of another kind.
        _ => {}
    }
}
