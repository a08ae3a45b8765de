//! Ops that only move or copy elements.

use super::form::{channel_axis, image, only};
use super::{Applied, Arity, Op, Refusal};
use crate::network::codes::shapes;
use crate::network::graph::LayerOp;
use crate::network::signature::{Bound, Kind, OptionSpec, Signature};
use crate::network::size::product;
use crate::network::value::show_shape;

/// `flatten`: `[features]`, in row-major order.
pub(super) const FLATTEN: Op = Op {
    signature: Signature {
        name: "flatten",
        options: &[],
    },
    inputs: Arity::ONE,
    rule: |_, inputs| match product(only(inputs).iter().copied()) {
        Some(features) => Ok(Applied::plain(LayerOp::Flatten, vec![features])),
        None => Err(Refusal::too_large("the result of `flatten`", &[])),
    },
};

/// `reshape(16, 7, 7)`: the same elements in row-major order.
pub(super) const RESHAPE: Op = Op {
    signature: Signature {
        name: "reshape",
        options: &[OptionSpec::required("shape", Kind::Extents).positional()],
    },
    inputs: Arity::ONE,
    rule: reshape,
};

fn reshape(bound: &Bound, inputs: &[&[i64]]) -> Result<Applied, Box<Refusal>> {
    let (from, to) = (only(inputs), bound.extents("shape"));
    let count = |shape: &[i64]| product(shape.iter().copied());
    let Some(wanted) = count(&to) else {
        return Err(Refusal::too_large("the result of this `reshape`", &to).at(bound.span("shape")));
    };
    match count(from) {
        Some(given) if given == wanted => Ok(Applied::plain(LayerOp::Reshape(to.clone()), to)),
        given => Err(Refusal::new(
            shapes::RESHAPE,
            format!(
                "{} has {} numbers per example, but {} has {wanted}",
                show_shape(from),
                given.map_or("too many".to_string(), |given| given.to_string()),
                show_shape(&to)
            ),
            "needs as many numbers".to_string(),
        )
        .at(bound.span("shape"))),
    }
}

/// `upsample(k)` on `[channels, height, width]`: the nearest cell.
pub(super) const UPSAMPLE: Op = Op {
    signature: Signature {
        name: "upsample",
        options: &[OptionSpec::required("factor", Kind::Pair { least: 1 }).positional()],
    },
    inputs: Arity::ONE,
    rule: upsample,
};

fn upsample(bound: &Bound, inputs: &[&[i64]]) -> Result<Applied, Box<Refusal>> {
    let [channels, height, width] = image("upsample", only(inputs))?;
    let factor = bound.pair("factor");
    match (height.checked_mul(factor[0]), width.checked_mul(factor[1])) {
        (Some(height), Some(width)) => Ok(Applied::plain(
            LayerOp::Upsample(factor),
            vec![channels, height, width],
        )),
        _ => Err(Refusal::too_large("the result of this `upsample`", &[])),
    }
}

/// `concat(a, b, ...)`: the channels of one after those of the other.
pub(super) const CONCAT: Op = Op {
    signature: Signature {
        name: "concat",
        options: &[],
    },
    inputs: Arity::AtLeast(2),
    rule: concat,
};

fn concat(_: &Bound, inputs: &[&[i64]]) -> Result<Applied, Box<Refusal>> {
    let mut shape = only(inputs).to_vec();
    let axis = channel_axis(&shape);
    for other in inputs.iter().skip(1) {
        let fits = other.len() == shape.len()
            && other
                .iter()
                .zip(&shape)
                .enumerate()
                .all(|(i, (a, b))| i == axis || a == b);
        if !fits {
            return Err(Refusal::new(
                shapes::SHAPES_DIFFER,
                format!(
                    "`concat` needs tensors that differ in their channels only, but these are {} and {}",
                    show_shape(only(inputs)),
                    show_shape(other)
                ),
                "needs the same shape but for the channels".to_string(),
            ));
        }
        let channels = shape.get_mut(axis).zip(other.get(axis));
        let sum = channels.and_then(|(own, other)| {
            *own = own.checked_add(*other)?;
            Some(())
        });
        if sum.is_none() {
            return Err(Refusal::too_large("the result of `concat`", &[]));
        }
    }
    Ok(Applied::plain(LayerOp::Concat, shape))
}
