//! `max_pool`

use super::conv::place;
use super::{Applied, Arity, Op, Refusal};
use crate::network::codes::shapes;
use crate::network::graph::{LayerOp, Window};
use crate::network::signature::{Bound, Kind, OptionSpec, Padding, Setting, Signature};
use crate::network::window::{Axis, Placed, axes};

/// `max_pool(k)` on `[channels, height, width]`.
pub(super) const MAX_POOL: Op = Op {
    signature: Signature {
        name: "max_pool",
        options: &[
            OptionSpec::required("size", Kind::Pair { least: 1 }).positional(),
            OptionSpec::like("stride", Kind::Pair { least: 1 }, "size"),
            OptionSpec::with_default("padding", Kind::Padding, Setting::Padding(Padding::Valid)),
        ],
    },
    inputs: Arity::ONE,
    rule: Some(rule),
};

fn rule(bound: &Bound, inputs: &[&[i64]]) -> Result<Applied, Box<Refusal>> {
    let shape = inputs.first().copied().unwrap_or(&[]);
    let &[channels, height, width] = shape else {
        return Err(Refusal::rank(
            "max_pool",
            4,
            shape,
            "f32[N, channels, height, width]",
        ));
    };
    let (size, stride) = (bound.pair("size"), bound.pair("stride"));
    let [axis_h, axis_w] = axes([height, width], size, stride, [1, 1]);
    let [placed_h, placed_w] = place("max_pool", "size", bound, [axis_h, axis_w])?;
    check_padding(bound, axis_h, placed_h)?;
    check_padding(bound, axis_w, placed_w)?;
    Ok(Applied {
        op: LayerOp::MaxPool(Window {
            size,
            stride,
            padding: [placed_h.pads, placed_w.pads],
        }),
        shape: vec![channels, placed_h.count, placed_w.count],
        parameters: Vec::new(),
        buffers: Vec::new(),
        multiply_adds: 0,
    })
}

/// Every window must reach a cell of the input.
fn check_padding(bound: &Bound, axis: Axis, placed: Placed) -> Result<(), Box<Refusal>> {
    let [before, behind] = placed.pads;
    // The window fits, so the last one starts within the padded input.
    let last_start = (placed.count - 1) * axis.stride;
    if before < axis.window && last_start < before + axis.extent {
        return Ok(());
    }
    let (side, pad) = if before < axis.window {
        ("behind", behind)
    } else {
        ("before", before)
    };
    Err(Refusal::new(
        shapes::ONLY_PADDING,
        format!(
            "a window of `max_pool` would hold nothing but padding along the {}",
            axis.name
        ),
        format!(
            "{pad} cells {side} the input, for a window of {}",
            axis.window
        ),
    )
    .at(bound.span("padding"))
    .hint(format!("pad with at most {}", axis.window - 1)))
}
