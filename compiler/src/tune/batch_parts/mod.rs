//! Convolutional stages in parts of the batch.
//!
//! Measured, batch 128 on two cores: the step of `mnist_cnn` takes 0.82 of the
//! time, that of `cifar_bn` 0.84.
//!
//! Before, for 128 examples:
//! ```mlir
//! %y = convolution(%x, %w) : (tensor<128x32x28x28xf32>, ..) -> tensor<128x32x28x28xf32>
//! %h = maximum %y, %zero
//! %s = reduce add %h across [0, 2, 3]
//! ```
//! After, for each of four parts, one after the other:
//! ```mlir
//! %x0 = slice %x [0:32]
//! %y0 = convolution(%x0, %w) : (tensor<32x32x28x28xf32>, ..) -> tensor<32x32x28x28xf32>
//! %h0 = maximum %y0, %zero
//! %s0 = reduce add %h0 across [0, 2, 3]
//! ```
//! and `%s = add %s0, .., %s3`. What one operation writes the next one finds
//! in the cache. Parts begin at convolutions whose images outweigh their
//! kernels and go on as long as each example is for itself; sums over examples
//! (weight gradients, the means of a batch norm) are sums of the parts' sums.

mod rules;

use std::collections::HashMap;

use super::Options;
use super::layout::is_weight_gradient;
use crate::stablehlo::{Builder, Function, Instruction, Module, Op, Result, Value};
use rules::{Kind, Plan, Worth, bytes};

/// Bytes of a part's largest image, where that can be had.
const CACHE: i64 = 4 << 20;
/// More parts make programs long, and gain nothing more.
const MOST: i64 = 4;

/// When batches are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Parts {
    /// Where images do not fit into the cache.
    #[default]
    ForCache,
    /// Into two parts wherever they can be, however small they are: for
    /// certificates, which are made of few examples.
    Always,
}

/// Runs the pass.
///
/// # Errors
/// Only by a fault of this pass.
pub fn run(module: &Module, options: &Options) -> Result<Module> {
    let mut result = module.clone();
    for function in &mut result.functions {
        let Some(batch) = batch(function) else {
            continue;
        };
        let most = match options.parts {
            Parts::ForCache => MOST,
            Parts::Always => 2,
        };
        let mut parts = 1;
        let fits = |parts| match options.parts {
            Parts::ForCache => largest(function) / parts <= CACHE,
            Parts::Always => false,
        };
        while parts < most && batch % (2 * parts) == 0 && !fits(parts) {
            parts *= 2;
        }
        if parts > 1 {
            *function = in_parts(function, batch, parts, options.parts)?;
        }
    }
    Ok(result)
}

/// The examples of the convolutions, where all have as many.
fn batch(function: &Function) -> Option<i64> {
    let mut batches = function.body.iter().filter_map(|i| match &i.op {
        Op::Convolution(conv) if !is_weight_gradient(conv) => {
            Some(function.ty(i.operands[0]).shape[conv.dims.input_batch])
        }
        _ => None,
    });
    let first = batches.next()?;
    batches.all(|other| other == first).then_some(first)
}

/// Bytes of the largest image of a convolution.
fn largest(function: &Function) -> i64 {
    let of = |i: &Instruction| match &i.op {
        Op::Convolution(conv) if !is_weight_gradient(conv) => {
            bytes(function.ty(i.result)).max(bytes(function.ty(i.operands[0])))
        }
        _ => 0,
    };
    function.body.iter().map(of).max().unwrap_or(0)
}

fn in_parts(function: &Function, batch: i64, parts: i64, when: Parts) -> Result<Function> {
    let worth = match when {
        Parts::ForCache => Worth::of(parts),
        Parts::Always => Worth::ANYTHING,
    };
    let plan = Plan::new(function, batch, worth);
    if plan.is_empty() {
        return Ok(function.clone());
    }
    let mut made = Made {
        plan: &plan,
        parts,
        size: batch / parts,
        builder: Builder::named(function.name.clone()),
        whole: HashMap::new(),
        part: HashMap::new(),
        pending: Vec::new(),
    };
    made.builder.function.attributes = function.attributes.clone();
    for argument in &function.arguments {
        let ty = function.ty(argument.value).clone();
        let value = made.builder.function.argument(argument.name.as_deref(), ty);
        made.whole.insert(argument.value, value);
    }
    for instruction in &function.body {
        made.instruction(instruction)?;
    }
    made.flush()?;
    for output in &function.outputs {
        let value = made.whole(output.value)?;
        made.builder.function.output(output.name.as_deref(), value);
    }
    Ok(made.builder.function)
}

/// The function so far.
struct Made<'f> {
    plan: &'f Plan<'f>,
    parts: i64,
    /// Examples of a part.
    size: i64,
    builder: Builder,
    whole: HashMap<Value, Value>,
    /// By value, dimension and part; sums have no dimension.
    part: HashMap<(Value, Option<usize>, i64), Value>,
    /// In parts, and not made yet.
    pending: Vec<&'f Instruction>,
}

impl<'f> Made<'f> {
    fn instruction(&mut self, instruction: &'f Instruction) -> Result<()> {
        let whole = self.plan.kind(instruction.result) == Kind::Whole;
        let reads = match whole {
            true => vec![None; instruction.operands.len()],
            false => self.plan.reads(instruction),
        };
        let is_pending = |value: Value| self.pending.iter().any(|p| p.result == value);
        let mut operands = instruction.operands.iter().zip(&reads);
        if operands.any(|(&operand, dim)| dim.is_none() && is_pending(operand)) {
            self.flush()?;
        }
        if !whole {
            self.pending.push(instruction);
            return Ok(());
        }
        let mut operands = Vec::new();
        for &operand in &instruction.operands {
            operands.push(self.whole(operand)?);
        }
        let value = self.push(instruction, instruction.op.clone(), &operands)?;
        self.whole.insert(instruction.result, value);
        Ok(())
    }

    /// Makes what is pending, part by part.
    fn flush(&mut self) -> Result<()> {
        let pending = std::mem::take(&mut self.pending);
        for part in 0..self.parts {
            for instruction in &pending {
                let mut operands = Vec::new();
                let reads = self.plan.reads(instruction);
                for (&operand, dim) in instruction.operands.iter().zip(reads) {
                    operands.push(match dim {
                        Some(dim) => self.part(operand, dim, part)?,
                        None => self.whole(operand)?,
                    });
                }
                let dim = match self.plan.kind(instruction.result) {
                    Kind::Parts(dim) => Some(dim),
                    _ => None,
                };
                let op = self.op(&instruction.op, dim);
                let value = self.push(instruction, op, &operands)?;
                self.part.insert((instruction.result, dim, part), value);
            }
        }
        Ok(())
    }

    fn push(&mut self, like: &Instruction, op: Op, operands: &[Value]) -> Result<Value> {
        self.builder.location = like.location.clone();
        let value = self.builder.push(op, operands)?;
        if like.stop_gradient {
            self.builder.stop_gradient(value);
        }
        Ok(value)
    }

    /// The operation for a part of `dim` of the result.
    fn op(&self, op: &Op, dim: Option<usize>) -> Op {
        let mut op = op.clone();
        let sizes = match &mut op {
            Op::BroadcastInDim { shape, .. } | Op::Reshape { shape } => shape,
            Op::Slice { limit, .. } => limit,
            _ => return op,
        };
        if let Some(size) = dim.and_then(|dim| sizes.get_mut(dim)) {
            *size = self.size;
        }
        op
    }

    /// Part of a value.
    fn part(&mut self, value: Value, dim: usize, part: i64) -> Result<Value> {
        if let Some(&known) = self.part.get(&(value, Some(dim), part)) {
            return Ok(known);
        }
        let made = match self.plan.definition(value) {
            Some(defined) => self.small_part(defined, dim, part)?,
            None => None,
        };
        let made = match made {
            Some(made) => made,
            None => {
                let whole = self.whole(value)?;
                let mut limit = self.builder.shape(whole);
                let mut start = vec![0; limit.len()];
                (start[dim], limit[dim]) = (part * self.size, (part + 1) * self.size);
                let ones = vec![1; limit.len()];
                self.builder.slice(whole, &start, &limit, &ones)?
            }
        };
        self.part.insert((value, Some(dim), part), made);
        Ok(made)
    }

    /// Part of what is best made anew for it: constants and broadcasts.
    fn small_part(
        &mut self,
        defined: &Instruction,
        dim: usize,
        part: i64,
    ) -> Result<Option<Value>> {
        match &defined.op {
            Op::Constant(literal) if literal.splat_value().is_some() => {
                let mut literal = literal.clone();
                literal.values.truncate(1);
                literal.ty.shape[dim] = self.size;
                self.builder.push(Op::Constant(literal), &[]).map(Some)
            }
            Op::BroadcastInDim { dims, .. } => {
                let operand = defined.operands[0];
                let operand = match dims.iter().position(|&d| d == dim) {
                    // A dimension of one example is spread.
                    Some(own) if self.plan.ty(operand).shape[own] != 1 => {
                        self.part(operand, own, part)?
                    }
                    _ => self.whole(operand)?,
                };
                let op = self.op(&defined.op, Some(dim));
                self.push(defined, op, &[operand]).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// All of a value.
    fn whole(&mut self, value: Value) -> Result<Value> {
        if let Some(&known) = self.whole.get(&value) {
            return Ok(known);
        }
        let kind = self.plan.kind(value);
        let dim = match kind {
            Kind::Parts(dim) => Some(dim),
            _ => None,
        };
        let parts = (0..self.parts).filter_map(|part| self.part.get(&(value, dim, part)));
        let parts: Vec<Value> = parts.copied().collect();
        let whole = match dim {
            Some(dim) => self.builder.concatenate(&parts, dim)?,
            None => {
                let mut sum = parts[0];
                for &part in &parts[1..] {
                    sum = self.builder.add(sum, part)?;
                }
                sum
            }
        };
        self.whole.insert(value, whole);
        Ok(whole)
    }
}
