//! `dropout` and `drop_path`

use super::form::only;
use super::{Applied, Arity, Op, Rule};
use crate::network::graph::LayerOp;
use crate::network::signature::{Kind, OptionSpec, Range, Signature};

const fn op(name: &'static str, rule: Rule) -> Op {
    const P: OptionSpec = OptionSpec::required("p", Kind::Float(Range::Probability)).positional();
    Op {
        signature: Signature {
            name,
            options: &[P],
        },
        inputs: Arity::ONE,
        rule,
    }
}

/// `dropout(p)` on any shape: in training each element becomes 0 with
/// probability p, and the others are divided by 1 - p.
pub(super) const DROPOUT: Op = op("dropout", |bound, inputs| {
    let p = bound.float("p");
    Ok(Applied::plain(
        LayerOp::Dropout { p },
        only(inputs).to_vec(),
    ))
});

/// `drop_path(p)` on any shape: the same, but an example is kept or dropped as a
/// whole.
pub(super) const DROP_PATH: Op = op("drop_path", |bound, inputs| {
    let p = bound.float("p");
    Ok(Applied::plain(
        LayerOp::DropPath { p },
        only(inputs).to_vec(),
    ))
});
