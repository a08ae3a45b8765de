//! Operations that hold regions, and regions that are one operation.

use std::fmt;

use super::Texts;
use crate::stablehlo::function::Function;
use crate::stablehlo::infer::Refusal;
use crate::stablehlo::op::{BinaryOp, Compound, Direction, Op, Reducer, Region};

/// What a region of two arguments computes.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) enum Body {
    /// One operation of both.
    Binary(BinaryOp),
    /// A comparison of both, in order.
    Compare(Direction),
    /// The second one.
    Second,
    /// Something else, by the operations in it.
    Other(Vec<&'static str>),
}

impl Body {
    /// What `region` computes.
    pub fn of(region: &Function) -> Self {
        let arguments: Vec<_> = region.arguments.iter().map(|a| a.value).collect();
        let outputs: Vec<_> = region.outputs.iter().map(|o| o.value).collect();
        let other = || Body::Other(region.body.iter().map(|i| i.op.name()).collect());
        let (&[first, second], &[output]) = (&arguments[..], &outputs[..]) else {
            return other();
        };
        match &region.body[..] {
            [] if output == second => Body::Second,
            [only] if only.result == output => match only.op {
                Op::Binary(op) if only.operands == [first, second] => Body::Binary(op),
                Op::Binary(op) if op.commutes() && only.operands == [second, first] => {
                    Body::Binary(op)
                }
                Op::Compare(direction) if only.operands == [first, second] => {
                    Body::Compare(direction)
                }
                _ => other(),
            },
            _ => other(),
        }
    }

    /// The reduction by it, if it is one that is known.
    pub fn reducer(&self) -> Option<Reducer> {
        match self {
            Body::Binary(op) => Reducer::ALL.iter().copied().find(|r| r.op() == *op),
            _ => None,
        }
    }
}

impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Body::Binary(op) => write!(f, "`{}`", op.name()),
            Body::Compare(direction) => write!(f, "`compare {}`", direction.name()),
            Body::Second => f.write_str("the second argument"),
            Body::Other(names) => write!(f, "`{}` of other operands", names.join("`, `")),
        }
    }
}

/// Regions, for a refusal.
pub(super) fn listed(bodies: &[Body]) -> String {
    let bodies: Vec<String> = bodies.iter().map(ToString::to_string).collect();
    bodies.join(" and ")
}

/// Operations with several results or with regions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Kind {
    /// `optimization_barrier`
    Barrier,
    /// `case`
    Case,
    /// `if`
    If,
    /// `reduce` by anything but one operation of two numbers.
    Reduce,
    /// `sort`
    Sort,
    /// `while`
    While,
}

impl Kind {
    /// The kind of an operation that is always one of these.
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "optimization_barrier" => Kind::Barrier,
            "case" => Kind::Case,
            "if" => Kind::If,
            "sort" => Kind::Sort,
            "while" => Kind::While,
            _ => return None,
        })
    }

    /// The operation with these regions and attributes; `rank` is that of its
    /// first operand.
    pub fn operation(
        self,
        regions: Vec<Region>,
        texts: &Texts,
        rank: usize,
    ) -> Result<Compound, Refusal> {
        let count = regions.len();
        let wrong = || format!("has {count} regions");
        let mut regions = regions.into_iter();
        let op = match self {
            Kind::Barrier => Compound::Barrier,
            Kind::Case => Compound::Case {
                branches: regions.by_ref().collect(),
            },
            Kind::If => Compound::If {
                on_true: regions.next().ok_or_else(wrong)?,
                on_false: regions.next().ok_or_else(wrong)?,
            },
            Kind::Reduce => Compound::Reduce {
                body: regions.next().ok_or_else(wrong)?,
                dims: texts.indices("dimensions")?,
            },
            Kind::Sort => Compound::Sort {
                comparator: regions.next().ok_or_else(wrong)?,
                dim: sorted_dim(texts.int_or("dimension", -1)?, rank)?,
                stable: texts.flag("is_stable")?,
            },
            Kind::While => Compound::While {
                condition: regions.next().ok_or_else(wrong)?,
                body: regions.next().ok_or_else(wrong)?,
            },
        };
        match regions.next() {
            Some(_) => Err(wrong()),
            None => Ok(op),
        }
    }
}

/// Negative dimensions count from the end.
fn sorted_dim(dim: i64, rank: usize) -> Result<usize, Refusal> {
    let adjusted = if dim < 0 {
        dim.saturating_add(rank as i64)
    } else {
        dim
    };
    usize::try_from(adjusted)
        .ok()
        .filter(|&dim| dim < rank)
        .ok_or_else(|| format!("(C4) dimension {dim} exceeds rank {rank}"))
}
