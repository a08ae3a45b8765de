//! The walk over the instructions of a function.

use std::borrow::Cow;
use std::collections::HashMap;
use std::mem::size_of;

use super::compound;
use super::error::Error;
use super::number::Number;
use super::ops::{self, Ties};
use super::tensor::Tensor;
use crate::stablehlo::{Function, Instruction, Op, TensorType, Value, infer};

/// What a run may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of results that are alive at one time. Working copies come on
    /// top, at most twice the operands of one operation.
    pub bytes: u64,
}

impl Default for Limits {
    /// 4 GiB.
    fn default() -> Self {
        Limits { bytes: 4 << 30 }
    }
}

/// How a function is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// What it may use.
    pub limits: Limits,
    /// Which of equal maximal cells is selected.
    pub ties: Ties,
    /// The most turns of a loop, so that one without end is an error.
    pub turns: u64,
}

impl Default for Options {
    /// Loops of 2^24 turns.
    fn default() -> Self {
        Options {
            limits: Limits::default(),
            ties: Ties::default(),
            turns: 1 << 24,
        }
    }
}

/// Runs `function` within the default limits; returns its results in order.
///
/// # Errors
/// If the arguments do not fit the function, an operation is ill-typed or not
/// defined for its element type, or a result does not fit into memory.
pub fn run<T: Number>(
    function: &Function,
    arguments: &[Tensor<T>],
) -> Result<Vec<Tensor<T>>, Error> {
    run_observed(function, arguments, Limits::default(), |_, _| {})
}

/// Runs `function` and shows each instruction with its result to `observe`.
///
/// # Errors
/// As [`run`].
pub fn run_observed<T: Number>(
    function: &Function,
    arguments: &[Tensor<T>],
    limits: Limits,
    mut observe: impl FnMut(&Instruction, &Tensor<T>),
) -> Result<Vec<Tensor<T>>, Error> {
    run_traced(function, arguments, limits, |step| {
        observe(step.instruction, step.result);
    })
}

/// One instruction as it is interpreted.
#[derive(Debug)]
pub struct Step<'a, T> {
    /// The instruction.
    pub instruction: &'a Instruction,
    /// What it took.
    pub operands: &'a [&'a Tensor<T>],
    /// What it gave.
    pub result: &'a Tensor<T>,
}

/// Runs `function` and shows each instruction with its operands and its result
/// to `observe`.
///
/// # Errors
/// As [`run`].
pub fn run_traced<T: Number>(
    function: &Function,
    arguments: &[Tensor<T>],
    limits: Limits,
    observe: impl FnMut(Step<'_, T>),
) -> Result<Vec<Tensor<T>>, Error> {
    let options = Options {
        limits,
        ..Options::default()
    };
    run_with(function, arguments, options, observe)
}

/// [`run_traced`] with every option.
///
/// # Errors
/// As [`run`].
pub fn run_with<T: Number>(
    function: &Function,
    arguments: &[Tensor<T>],
    options: Options,
    mut observe: impl FnMut(Step<'_, T>),
) -> Result<Vec<Tensor<T>>, Error> {
    let arguments: Vec<&Tensor<T>> = arguments.iter().collect();
    let results = interpret(function, &arguments, options, &mut observe)?;
    let own = |result| match result {
        Made::Argument(index) => arguments.get(index).map(|&tensor| tensor.clone()),
        Made::Tensor(tensor) => Some(tensor),
    };
    Ok(results.into_iter().filter_map(own).collect())
}

/// A result of a function.
pub(super) enum Made<T> {
    /// An argument, as it was given.
    Argument(usize),
    /// Something new.
    Tensor(Tensor<T>),
}

/// Runs `function`, without copies of the arguments that it returns.
pub(super) fn interpret<T: Number>(
    function: &Function,
    arguments: &[&Tensor<T>],
    options: Options,
    observe: &mut dyn FnMut(Step<'_, T>),
) -> Result<Vec<Made<T>>, Error> {
    let mut values = Values::new(function, arguments)?;
    let mut group = Group::default();
    for (index, instruction) in function.body.iter().enumerate() {
        let fail = |message| Error::Operation {
            op: instruction.op.name(),
            message,
            location: instruction.location.clone(),
        };
        let operands = instruction
            .operands
            .iter()
            .map(|&operand| values.get(operand))
            .collect::<Result<Vec<_>, _>>()?;
        let types: Vec<&TensorType> = operands.iter().map(|operand| operand.ty()).collect();
        let ty = infer::result_type(&instruction.op, &types).map_err(fail)?;
        let declared = values.declared(instruction.result)?;
        if *declared != ty {
            return Err(fail(format!("gives {ty}, the function says {declared}")));
        }
        let live = values.live.saturating_add(group.bytes);
        let result = match (group.take(instruction.result), instruction.op.compound()) {
            (Some(result), _) => result,
            (None, Some(op)) => {
                let types = infer::result_types(op, &types).map_err(fail)?;
                let live = types.iter().try_fold(live, |live, ty| {
                    check_size::<T>(instruction, ty, live, options.limits)?;
                    Ok(live.saturating_add(bytes::<T>(ty)))
                })?;
                let limits = Limits {
                    bytes: options.limits.bytes.saturating_sub(live),
                };
                let options = Options { limits, ..options };
                let results = compound::run(instruction, op, &operands, options)?;
                group.hold(&function.body[index..], results);
                let result = group.take(instruction.result);
                result.ok_or_else(|| fail("has no such result".to_owned()))?
            }
            (None, None) => {
                check_size::<T>(instruction, &ty, live, options.limits)?;
                let data =
                    ops::apply(&instruction.op, &operands, &ty, options.ties).map_err(fail)?;
                Tensor::checked(ty, data).map_err(|error| fail(error.to_string()))?
            }
        };
        observe(Step {
            instruction,
            operands: &operands,
            result: &result,
        });
        values.define(instruction, result);
    }
    values.results()
}

/// Results of compound operations that wait for their instructions.
struct Group<T> {
    waiting: HashMap<Value, Tensor<T>>,
    bytes: u64,
}

impl<T> Default for Group<T> {
    fn default() -> Self {
        Group {
            waiting: HashMap::new(),
            bytes: 0,
        }
    }
}

impl<T: Number> Group<T> {
    /// Keeps the results of the first of these instructions for all of them
    /// that are the same operation of the same operands.
    fn hold(&mut self, body: &[Instruction], results: Vec<Tensor<T>>) {
        let Some((first, _)) = body.split_first() else {
            return;
        };
        for instruction in body {
            if let (true, Op::Compound { result, .. }) =
                (first.is_same_compound(instruction), &instruction.op)
                && let Some(tensor) = results.get(*result)
            {
                self.bytes = self.bytes.saturating_add(bytes::<T>(tensor.ty()));
                self.waiting.insert(instruction.result, tensor.clone());
            }
        }
    }

    fn take(&mut self, value: Value) -> Option<Tensor<T>> {
        let tensor = self.waiting.remove(&value)?;
        self.bytes = self.bytes.saturating_sub(bytes::<T>(tensor.ty()));
        Some(tensor)
    }
}

fn check_size<T: Number>(
    instruction: &Instruction,
    ty: &TensorType,
    live: u64,
    limits: Limits,
) -> Result<(), Error> {
    let needed = bytes::<T>(ty);
    if live.saturating_add(needed) <= limits.bytes {
        return Ok(());
    }
    Err(Error::TooLarge {
        op: instruction.op.name(),
        ty: ty.clone(),
        needed,
        live,
        limit: limits.bytes,
        location: instruction.location.clone(),
    })
}

/// Bytes of a tensor; negative sizes count as far too much.
pub(super) fn bytes<T>(ty: &TensorType) -> u64 {
    let each = if ty.element.is_float() {
        size_of::<T>()
    } else {
        size_of::<i64>()
    };
    if ty.shape.iter().any(|&size| size < 0) {
        return u64::MAX;
    }
    u64::try_from(ty.elements())
        .unwrap_or(u64::MAX)
        .saturating_mul(each as u64)
}

/// The values that are defined and still needed.
struct Values<'a, T: Clone> {
    function: &'a Function,
    slots: Vec<Option<Cow<'a, Tensor<T>>>>,
    uses: Vec<usize>,
    live: u64,
}

impl<'a, T: Number> Values<'a, T> {
    fn new(function: &'a Function, arguments: &[&'a Tensor<T>]) -> Result<Self, Error> {
        if function.arguments.len() != arguments.len() {
            return Err(Error::ArgumentCount {
                function: function.name.clone(),
                expected: function.arguments.len(),
                found: arguments.len(),
            });
        }
        let mut values = Values {
            function,
            slots: vec![None; function.value_count()],
            uses: vec![0; function.value_count()],
            live: 0,
        };
        let given = arguments.iter().copied();
        for (index, (argument, tensor)) in function.arguments.iter().zip(given).enumerate() {
            let expected = values.declared(argument.value)?;
            if expected != tensor.ty() {
                return Err(Error::ArgumentType {
                    function: function.name.clone(),
                    index,
                    expected: expected.clone(),
                    found: tensor.ty().clone(),
                });
            }
            values.slots[argument.value.index()] = Some(Cow::Borrowed(tensor));
        }
        let operands = function
            .body
            .iter()
            .flat_map(|i| i.operands.iter().copied());
        for value in operands.chain(function.outputs.iter().map(|o| o.value)) {
            values.declared(value)?;
            values.uses[value.index()] += 1;
        }
        Ok(values)
    }

    fn undefined(&self, value: Value) -> Error {
        Error::Undefined {
            function: self.function.name.clone(),
            value: value.index(),
        }
    }

    /// The type that the function gives to a value.
    fn declared(&self, value: Value) -> Result<&'a TensorType, Error> {
        if value.index() < self.slots.len() {
            Ok(self.function.ty(value))
        } else {
            Err(self.undefined(value))
        }
    }

    fn get(&self, value: Value) -> Result<&Tensor<T>, Error> {
        let slot = self.slots.get(value.index()).and_then(Option::as_deref);
        slot.ok_or_else(|| self.undefined(value))
    }

    /// Enters a result and drops what was used for the last time.
    fn define(&mut self, instruction: &Instruction, result: Tensor<T>) {
        let index = instruction.result.index();
        if self.uses[index] > 0 {
            self.live = self.live.saturating_add(bytes::<T>(result.ty()));
            self.slots[index] = Some(Cow::Owned(result));
        }
        for operand in &instruction.operands {
            let index = operand.index();
            self.uses[index] -= 1;
            if self.uses[index] == 0
                && let Some(Cow::Owned(tensor)) = self.slots[index].take()
            {
                self.live -= bytes::<T>(tensor.ty());
            }
        }
    }

    /// The results of the function, each taken out where it is used last.
    fn results(mut self) -> Result<Vec<Made<T>>, Error> {
        let outputs = self.function.outputs.iter();
        outputs
            .map(|output| {
                let mut arguments = self.function.arguments.iter();
                if let Some(index) = arguments.position(|a| a.value == output.value) {
                    return Ok(Made::Argument(index));
                }
                let undefined = self.undefined(output.value);
                let index = output.value.index();
                let slot = self.slots.get_mut(index).ok_or_else(|| undefined.clone())?;
                self.uses[index] -= 1;
                let tensor = if self.uses[index] == 0 {
                    slot.take().map(Cow::into_owned)
                } else {
                    slot.as_deref().cloned()
                };
                tensor.map(Made::Tensor).ok_or(undefined)
            })
            .collect()
    }
}
