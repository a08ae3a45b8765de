//! `+`, `-`, `*` of two tensors of one shape, and `identity`.

use super::form::only;
use super::{Applied, Arity, Op, Refusal, Rule};
use crate::network::codes::shapes;
use crate::network::graph::LayerOp;
use crate::network::signature::Signature;
use crate::network::value::show_shape;

const TWO: Arity = Arity::Exactly(2);

const fn plain(name: &'static str, inputs: Arity, rule: Rule) -> Op {
    Op {
        signature: Signature { name, options: &[] },
        inputs,
        rule,
    }
}

pub(super) const IDENTITY: Op = plain("identity", Arity::ONE, |_, inputs| {
    let shape = only(inputs).to_vec();
    Ok(Applied::plain(LayerOp::Identity, shape))
});
pub(super) const ADD: Op = plain("add", TWO, |_, inputs| both("add", LayerOp::Add, inputs));
pub(super) const SUBTRACT: Op = plain("subtract", TWO, |_, inputs| {
    both("subtract", LayerOp::Subtract, inputs)
});
pub(super) const MULTIPLY: Op = plain("multiply", TWO, |_, inputs| {
    both("multiply", LayerOp::Multiply, inputs)
});

fn both(name: &str, op: LayerOp, inputs: &[&[i64]]) -> Result<Applied, Box<Refusal>> {
    let (left, right) = match inputs {
        [left, right] => (*left, *right),
        _ => (&[][..], &[][..]),
    };
    if left == right {
        return Ok(Applied::plain(op, left.to_vec()));
    }
    let refusal = Refusal::new(
        shapes::SHAPES_DIFFER,
        format!(
            "`{name}` needs two tensors of the same shape, but these are {} and {}",
            show_shape(left),
            show_shape(right)
        ),
        "needs the same shape on both sides".to_string(),
    );
    Err(match (left, right) {
        ([a, rest @ ..], [b, others @ ..]) if rest == others && !rest.is_empty() => refusal.hint(
            format!("make the channels agree: a `conv({a}, kernel=1)` on the right, or a `conv({b}, kernel=1)` on the left"),
        ),
        _ => refusal,
    })
}
