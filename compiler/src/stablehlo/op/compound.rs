//! Operations with several results or with regions that they run.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::stablehlo::function::Function;

/// A function that an operation runs. It is closed: it uses nothing but its
/// arguments, so that no pass need look into it. Values of the function around
/// it that it uses are operands of the operation and its last arguments.
///
/// Regions are equal if they compute the same by the same operations, wherever
/// these come from.
#[derive(Clone)]
pub struct Region(Arc<Function>);

impl Region {
    /// The region that runs `function`.
    pub fn new(function: Function) -> Self {
        Region(Arc::new(function))
    }
}

impl Deref for Region {
    type Target = Function;
    fn deref(&self) -> &Function {
        &self.0
    }
}

impl PartialEq for Region {
    fn eq(&self, other: &Self) -> bool {
        if Arc::ptr_eq(&self.0, &other.0) {
            return true;
        }
        let types = |f: &Function| -> Vec<_> { f.values().map(|v| f.ty(v).clone()).collect() };
        let same = |(a, b): (
            &crate::stablehlo::Instruction,
            &crate::stablehlo::Instruction,
        )| {
            a.op == b.op
                && a.operands == b.operands
                && a.result == b.result
                && a.stop_gradient == b.stop_gradient
        };
        let arguments = |f: &Function| -> Vec<_> { f.arguments.iter().map(|a| a.value).collect() };
        let outputs = |f: &Function| -> Vec<_> { f.outputs.iter().map(|o| o.value).collect() };
        types(self) == types(other)
            && arguments(self) == arguments(other)
            && outputs(self) == outputs(other)
            && self.body.len() == other.body.len()
            && self.body.iter().zip(&other.body).all(same)
    }
}

impl fmt::Debug for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for argument in &self.arguments {
            let value = argument.value;
            write!(f, "%{}: {}, ", value.index(), self.ty(value))?;
        }
        f.write_str(") {")?;
        for i in &self.body {
            let operands: Vec<usize> = i.operands.iter().map(|v| v.index()).collect();
            write!(f, "%{} = {:?} of {operands:?}; ", i.result.index(), i.op)?;
        }
        let outputs: Vec<usize> = self.outputs.iter().map(|o| o.value.index()).collect();
        write!(f, "return {outputs:?}}}")
    }
}

/// An operation with several results or with regions.
///
/// A function holds one instruction per result that is used, each with the
/// same operation and operands: where the results are needed the operation is
/// run once.
#[derive(Debug, Clone, PartialEq)]
pub enum Compound {
    /// `optimization_barrier`: the operands.
    Barrier,
    /// The results of the branch that operand 0 numbers, of the last one if it
    /// numbers none. The branches take the other operands.
    Case {
        /// The branches.
        branches: Vec<Region>,
    },
    /// The results of one of two branches, as the predicate in operand 0 says.
    /// Both take the other operands.
    If {
        /// Run if the predicate holds.
        on_true: Region,
        /// Run if it does not.
        on_false: Region,
    },
    /// Reduction of N tensors together over `dims`. Operands: the tensors, as
    /// many scalars to begin with, and what the body takes besides.
    Reduce {
        /// Takes N results so far, N elements and the further operands.
        body: Region,
        /// Dimensions that vanish.
        dims: Vec<usize>,
    },
    /// N tensors sorted together along `dim`. Operands: the tensors, and what
    /// the comparator takes besides.
    Sort {
        /// Takes two elements of each tensor and the further operands; says
        /// whether the first ones come before the second ones.
        comparator: Region,
        /// The dimension.
        dim: usize,
        /// Whether elements of which neither comes first keep their order.
        stable: bool,
    },
    /// The operands, replaced by the results of the body as long as the
    /// condition holds of them.
    While {
        /// Says whether to go on.
        condition: Region,
        /// One turn.
        body: Region,
    },
}

impl Compound {
    /// Name without the dialect prefix.
    pub fn name(&self) -> &'static str {
        match self {
            Compound::Barrier => "optimization_barrier",
            Compound::Case { .. } => "case",
            Compound::If { .. } => "if",
            Compound::Reduce { .. } => "reduce",
            Compound::Sort { .. } => "sort",
            Compound::While { .. } => "while",
        }
    }

    /// The functions that it runs.
    pub fn regions(&self) -> Vec<&Region> {
        match self {
            Compound::Barrier => Vec::new(),
            Compound::Case { branches } => branches.iter().collect(),
            Compound::If { on_true, on_false } => vec![on_true, on_false],
            Compound::Reduce { body, .. } => vec![body],
            Compound::Sort { comparator, .. } => vec![comparator],
            Compound::While { condition, body } => vec![condition, body],
        }
    }

    /// The same operation with other regions.
    ///
    /// # Errors
    /// That of `map`.
    pub fn map_regions<E>(
        &self,
        map: &mut dyn FnMut(&Region) -> Result<Region, E>,
    ) -> Result<Self, E> {
        Ok(match self {
            Compound::Barrier => Compound::Barrier,
            Compound::Case { branches } => Compound::Case {
                branches: branches.iter().map(map).collect::<Result<_, E>>()?,
            },
            Compound::If { on_true, on_false } => Compound::If {
                on_true: map(on_true)?,
                on_false: map(on_false)?,
            },
            Compound::Reduce { body, dims } => Compound::Reduce {
                body: map(body)?,
                dims: dims.clone(),
            },
            Compound::Sort {
                comparator,
                dim,
                stable,
            } => Compound::Sort {
                comparator: map(comparator)?,
                dim: *dim,
                stable: *stable,
            },
            Compound::While { condition, body } => Compound::While {
                condition: map(condition)?,
                body: map(body)?,
            },
        })
    }
}
