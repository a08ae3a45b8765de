//! Which operations work on each example alone.

use std::collections::HashSet;

use super::super::layout::is_weight_gradient;
use crate::stablehlo::{
    Convolution, Function, Instruction, Literal, Op, Reducer, TensorType, Value, Window, kept,
};

/// What is worth parts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Worth {
    /// Bytes of an operand.
    least: i64,
    /// By what images must outweigh a kernel, which every part reads again.
    kernels: i64,
    /// How many images of [`IMAGE`] bytes may be put together for dot products.
    gathered: usize,
}

/// An image that is not put together in passing.
const IMAGE: i64 = 2 << 20;

impl Worth {
    pub const ANYTHING: Worth = Worth {
        least: 0,
        kernels: 0,
        gathered: usize::MAX,
    };

    /// For so many parts.
    pub fn of(parts: i64) -> Self {
        Worth {
            least: 1 << 18,
            kernels: 4 * parts,
            gathered: 2,
        }
    }
}

/// How a value comes about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// At once.
    Whole,
    /// In parts of this dimension, which is that of the examples.
    Parts(usize),
    /// As a sum of what each part gives.
    Sum,
}

/// The kinds of all values of a function.
pub(super) struct Plan<'f> {
    function: &'f Function,
    batch: i64,
    worth: Worth,
    kinds: Vec<Kind>,
    definitions: Vec<Option<usize>>,
}

/// A convolution's dimension of examples in its operands and in its result,
/// if it keeps it.
pub(super) fn convolved(conv: &Convolution) -> ([Option<usize>; 2], Option<usize>) {
    let dims = &conv.dims;
    match is_weight_gradient(conv) {
        true => ([Some(dims.input_feature), Some(dims.kernel_input)], None),
        false => ([Some(dims.input_batch), None], Some(dims.output_batch)),
    }
}

impl<'f> Plan<'f> {
    /// The kinds, if anything is worth parts.
    pub fn new(function: &'f Function, batch: i64, worth: Worth) -> Self {
        let mut plan = Plan {
            function,
            batch,
            worth,
            kinds: vec![Kind::Whole; function.value_count()],
            definitions: function.definitions(),
        };
        for instruction in &function.body {
            plan.kinds[instruction.result.index()] = plan.of(instruction).unwrap_or(Kind::Whole);
        }
        plan.end_before_moves();
        plan
    }

    /// What only moves elements for others that are whole comes behind the
    /// parts: layouts go through a concatenation, but not through a flattening.
    fn end_before_moves(&mut self) {
        let mut in_parts = vec![false; self.kinds.len()];
        for instruction in self.function.body.iter().rev() {
            let kind = &mut self.kinds[instruction.result.index()];
            if moves(&instruction.op) && !in_parts[instruction.result.index()] {
                *kind = Kind::Whole;
            }
            if *kind != Kind::Whole {
                for operand in &instruction.operands {
                    in_parts[operand.index()] = true;
                }
            }
        }
    }

    /// Whether nothing is worth parts: nothing is in any, or stages end again
    /// and again at dot products, which are whole, as in a transformer.
    pub fn is_empty(&self) -> bool {
        self.kinds.iter().all(|&kind| kind == Kind::Whole)
            || self.gathered().len() > self.worth.gathered
    }

    /// Large images in parts that dot products read.
    fn gathered(&self) -> HashSet<Value> {
        let dots = self.function.body.iter();
        let dots = dots.filter(|i| matches!(i.op, Op::DotGeneral(_)));
        let read = dots.flat_map(|dot| dot.operands.iter().map(|&value| self.moved(value)));
        read.filter(|&value| {
            matches!(self.kind(value), Kind::Parts(_)) && bytes(self.ty(value)) >= IMAGE
        })
        .collect()
    }

    /// What a value is the elements of, in another order or shape.
    fn moved(&self, value: Value) -> Value {
        match self.definition(value) {
            Some(defined) if moves(&defined.op) => self.moved(defined.operands[0]),
            _ => value,
        }
    }

    pub fn kind(&self, value: Value) -> Kind {
        self.kinds[value.index()]
    }

    /// The dimension in which an instruction in parts reads each operand;
    /// `None` for one that every part reads whole.
    pub fn reads(&self, instruction: &Instruction) -> Vec<Option<usize>> {
        let own = |value: Value| match self.kind(value) {
            Kind::Parts(dim) => Some(dim),
            _ => None,
        };
        let operands = &instruction.operands;
        let first = operands.first().copied().and_then(own);
        match &instruction.op {
            Op::Convolution(conv) => convolved(conv).0.to_vec(),
            Op::Pad { .. } | Op::Reduce { .. } | Op::ReduceWindow { .. } => vec![first, None],
            Op::SelectAndScatter { .. } => {
                let dim = operands[..2].iter().copied().find_map(own);
                vec![dim, dim, None]
            }
            Op::Binary(_)
            | Op::Compare(_)
            | Op::CompareTotal(_)
            | Op::Select
            | Op::Clamp
            | Op::Concatenate { .. } => {
                let dim = operands.iter().copied().find_map(own);
                let whole = |&value: &Value| self.function.ty(value).shape.is_empty();
                operands
                    .iter()
                    .map(|value| dim.filter(|_| !whole(value)))
                    .collect()
            }
            _ => operands.iter().map(|&value| own(value)).collect(),
        }
    }

    fn of(&self, instruction: &Instruction) -> Option<Kind> {
        if let Op::Convolution(conv) = &instruction.op {
            return self.convolution(conv, instruction);
        }
        let mut dims = instruction.operands.iter().filter_map(|&operand| {
            let Kind::Parts(dim) = self.kind(operand) else {
                return None;
            };
            Some(dim)
        });
        let dim = dims.next()?;
        let small = |value: Value| bytes(self.function.ty(value)) < self.worth.least;
        if dims.any(|other| other != dim) || instruction.operands.iter().all(|&o| small(o)) {
            return None;
        }
        let (first, result) = (instruction.operands[0], instruction.result);
        let [from, to] = [first, result].map(|value| &self.function.ty(value).shape);
        let is_first = matches!(self.kind(first), Kind::Parts(_));
        match &instruction.op {
            Op::Unary(_)
            | Op::Convert(_)
            | Op::Binary(_)
            | Op::Compare(_)
            | Op::CompareTotal(_)
            | Op::Select
            | Op::Clamp => Some(Kind::Parts(dim)),
            Op::BroadcastInDim { dims, .. } => {
                (to[dims[dim]] == self.batch).then_some(Kind::Parts(dims[dim]))
            }
            Op::Reshape { .. } => reshaped(from, to, dim).map(Kind::Parts),
            Op::Transpose { permutation } => {
                permutation.iter().position(|&p| p == dim).map(Kind::Parts)
            }
            Op::Reverse { dims } => (!dims.contains(&dim)).then_some(Kind::Parts(dim)),
            Op::Slice { strides, .. } => {
                (to[dim] == from[dim] && strides[dim] == 1).then_some(Kind::Parts(dim))
            }
            Op::Pad {
                low,
                high,
                interior,
            } => {
                let untouched = [low, high, interior].iter().all(|list| list[dim] == 0);
                (is_first && untouched).then_some(Kind::Parts(dim))
            }
            Op::Concatenate { dim: along } => (*along != dim).then_some(Kind::Parts(dim)),
            Op::Reduce { reducer, dims } if is_first => match dims.contains(&dim) {
                true => (*reducer == Reducer::Add && self.is_zero(instruction.operands[1]))
                    .then_some(Kind::Sum),
                false => kept(from.len(), dims)
                    .iter()
                    .position(|&k| k == dim)
                    .map(Kind::Parts),
            },
            Op::ReduceWindow { window, .. } => {
                (is_first && trivial(window, dim)).then_some(Kind::Parts(dim))
            }
            Op::SelectAndScatter { window } => trivial(window, dim).then_some(Kind::Parts(dim)),
            _ => None,
        }
    }

    /// A convolution begins parts, where its images outweigh its kernel, and
    /// goes on with them; one in groups does too little to begin any.
    fn convolution(&self, conv: &Convolution, instruction: &Instruction) -> Option<Kind> {
        let (reads, dim) = convolved(conv);
        let mut begins = true;
        let mut images = 0;
        for (&operand, dim) in instruction.operands.iter().zip(reads) {
            let ty = self.function.ty(operand);
            let Some(dim) = dim else { continue };
            if ty.shape[dim] != self.batch
                || matches!(self.kind(operand), Kind::Parts(other) if other != dim)
            {
                return None;
            }
            begins &= self.kind(operand) == Kind::Whole;
            images += bytes(ty);
        }
        let (kernel, grouped) = match dim {
            Some(_) => (instruction.operands[1], conv.batch_group_count),
            None => (instruction.result, conv.feature_group_count),
        };
        if dim.is_some() {
            images += bytes(self.function.ty(instruction.result));
        }
        let much = images >= self.worth.kernels * bytes(self.function.ty(kernel));
        let groups = conv.feature_group_count * conv.batch_group_count;
        let idle = begins && groups != 1 && self.worth.kernels > 0;
        if grouped != 1 || images < self.worth.least || !much || idle {
            return None;
        }
        Some(dim.map_or(Kind::Sum, Kind::Parts))
    }

    pub fn ty(&self, value: Value) -> &TensorType {
        self.function.ty(value)
    }

    /// What defines a value.
    pub fn definition(&self, value: Value) -> Option<&'f Instruction> {
        let index = self.definitions.get(value.index()).copied().flatten()?;
        self.function.body.get(index)
    }

    fn is_zero(&self, value: Value) -> bool {
        match self.definition(value).map(|defined| &defined.op) {
            Some(Op::Constant(literal)) => is_zero(literal),
            _ => false,
        }
    }
}

fn moves(op: &Op) -> bool {
    matches!(op, Op::Reshape { .. } | Op::Transpose { .. })
}

fn is_zero(literal: &Literal) -> bool {
    literal.splat_value().is_some_and(|v| v.as_f64() == 0.0)
}

/// Bytes of a tensor.
pub(super) fn bytes(ty: &TensorType) -> i64 {
    ty.elements() * i64::from(ty.element.bits().max(8)) / 8
}

/// Where a dimension is after a reshape that leaves it and what stands before.
fn reshaped(from: &[i64], to: &[i64], dim: usize) -> Option<usize> {
    let before: i64 = from[..dim].iter().product();
    (0..to.len()).find(|&d| to[..d].iter().product::<i64>() == before && to[d] == from[dim])
}

/// Whether each window has one cell of this dimension, in place.
fn trivial(window: &Window, dim: usize) -> bool {
    window.size[dim] == 1
        && window.strides[dim] == 1
        && window.padding[dim] == [0, 0]
        && window.base_dilations[dim] == 1
}
