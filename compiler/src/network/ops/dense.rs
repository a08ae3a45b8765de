//! `dense`

use super::form::only;
use super::{Applied, Arity, NewParameter, Op, Refusal};
use crate::network::graph::{Initializer, LayerOp};
use crate::network::signature::{Bound, Kind, OptionSpec, Setting, Signature};
use crate::network::size::{fits, product};
use crate::network::value::show_shape;

/// `dense(out)` on `[features]`, or on each of `[tokens, features]`.
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
    rule,
};

fn rule(bound: &Bound, inputs: &[&[i64]]) -> Result<Applied, Box<Refusal>> {
    let shape = only(inputs);
    let ([rows @ .., features], true) = (shape, shape.len() <= 2) else {
        let refusal = Refusal::rank("dense", 2, shape, "f32[N, features]");
        return Err(match product(shape.iter().copied()) {
            Some(flat) => refusal.hint(format!(
                "put `|> flatten` before it: {}",
                show_shape(&[flat])
            )),
            None => refusal,
        });
    };
    let (features, out) = (*features, bound.integer("out"));
    let weight = vec![features, out];
    if !fits(&weight) {
        return Err(Refusal::too_large("the weight of this `dense`", &[])
            .note(format!("its shape would be {weight:?}")));
    }
    let output: Vec<i64> = rows.iter().copied().chain([out]).collect();
    let multiply_adds = product(output.iter().copied().chain([features]))
        .ok_or_else(|| Refusal::too_large("the result of this `dense`", &output))?;
    let (bias, init) = (bound.bool("bias").then_some(out), bound.initializer("init"));
    Ok(Applied {
        parameters: NewParameter::weight_and_bias(weight, bias, init, [features, out]),
        multiply_adds,
        ..Applied::plain(LayerOp::Dense, output)
    })
}
