//! `dense`

use super::{Applied, Arity, NewParameter, Op, Refusal};
use crate::network::graph::{Initializer, LayerOp};
use crate::network::signature::{Bound, Kind, OptionSpec, Setting, Signature};
use crate::network::size::{fits, product};
use crate::network::value::show_shape;

/// `dense(out)` on `[features]`.
pub(super) const DENSE: Op = Op {
    signature: Signature {
        name: "dense",
        options: &[
            OptionSpec::required("out", Kind::Integer { least: 1 }).positional(),
            OptionSpec::with_default("bias", Kind::Bool, Setting::Bool(true)),
            OptionSpec::with_default(
                "init",
                Kind::Initializer,
                Setting::Initializer(Initializer::HeNormal),
            ),
        ],
    },
    inputs: Arity::ONE,
    rule: Some(rule),
};

fn rule(bound: &Bound, inputs: &[&[i64]]) -> Result<Applied, Box<Refusal>> {
    let shape = inputs.first().copied().unwrap_or(&[]);
    let &[features] = shape else {
        let refusal = Refusal::rank("dense", 2, shape, "f32[N, features]");
        return Err(match product(shape.iter().copied()) {
            Some(flat) => refusal.hint(format!(
                "put `|> flatten` before it: {}",
                show_shape(&[flat])
            )),
            None => refusal,
        });
    };
    let out = bound.integer("out");
    let weight = vec![features, out];
    if !fits(&weight) {
        return Err(Refusal::too_large("the weight of this `dense`", &[])
            .note(format!("its shape would be {weight:?}")));
    }
    Ok(Applied {
        op: LayerOp::Dense,
        shape: vec![out],
        parameters: NewParameter::weight_and_bias(
            weight,
            bound.bool("bias").then_some(out),
            bound.initializer("init"),
            [features, out],
        ),
        buffers: Vec::new(),
        multiply_adds: features * out,
    })
}
