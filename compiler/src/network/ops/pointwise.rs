//! Ops without parameters that keep the elements: `relu`, `flatten`, `identity`, `+`, `-`, `*`.

use super::{Applied, Arity, Op, Refusal, Rule};
use crate::network::codes::shapes;
use crate::network::graph::LayerOp;
use crate::network::signature::{Bound, Signature};
use crate::network::size::product;
use crate::network::value::show_shape;

const TWO: Arity = Arity::Exactly(2);

const fn plain(name: &'static str, inputs: Arity, rule: Rule) -> Op {
    Op {
        signature: Signature { name, options: &[] },
        inputs,
        rule: Some(rule),
    }
}

pub(super) const RELU: Op = plain("relu", Arity::ONE, |_, inputs| keep(LayerOp::Relu, inputs));
pub(super) const IDENTITY: Op = plain("identity", Arity::ONE, |_, inputs| {
    keep(LayerOp::Identity, inputs)
});
pub(super) const FLATTEN: Op = plain("flatten", Arity::ONE, flatten);
pub(super) const ADD: Op = plain("add", TWO, |_, inputs| both("add", LayerOp::Add, inputs));
pub(super) const SUBTRACT: Op = plain("subtract", TWO, |_, inputs| {
    both("subtract", LayerOp::Subtract, inputs)
});
pub(super) const MULTIPLY: Op = plain("multiply", TWO, |_, inputs| {
    both("multiply", LayerOp::Multiply, inputs)
});

fn applied(op: LayerOp, shape: Vec<i64>) -> Applied {
    Applied {
        op,
        shape,
        parameters: Vec::new(),
        buffers: Vec::new(),
        multiply_adds: 0,
    }
}

fn keep(op: LayerOp, inputs: &[&[i64]]) -> Result<Applied, Box<Refusal>> {
    let shape = inputs.first().copied().unwrap_or(&[]);
    Ok(applied(op, shape.to_vec()))
}

fn flatten(_: &Bound, inputs: &[&[i64]]) -> Result<Applied, Box<Refusal>> {
    let shape = inputs.first().copied().unwrap_or(&[]);
    match product(shape.iter().copied()) {
        Some(features) => Ok(applied(LayerOp::Flatten, vec![features])),
        None => Err(Refusal::too_large("the result of `flatten`", &[])),
    }
}

fn both(name: &str, op: LayerOp, inputs: &[&[i64]]) -> Result<Applied, Box<Refusal>> {
    let (left, right) = match inputs {
        [left, right] => (*left, *right),
        _ => (&[][..], &[][..]),
    };
    if left == right {
        return Ok(applied(op, left.to_vec()));
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
