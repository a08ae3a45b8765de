//! `max_pool`, `avg_pool` and `global_avg_pool`

use super::conv::place;
use super::form::{image, only};
use super::{Applied, Arity, Op, Refusal};
use crate::network::codes::shapes;
use crate::network::graph::{LayerOp, Window};
use crate::network::signature::{Bound, Kind, OptionSpec, Padding, Setting, Signature};
use crate::network::window::{Axis, Placed, axes};

const SIZE: OptionSpec = OptionSpec::required("size", Kind::Pair { least: 1 }).positional();
const STRIDE: OptionSpec = OptionSpec::like("stride", Kind::Pair { least: 1 }, "size");
const PADDING: OptionSpec =
    OptionSpec::with_default("padding", Kind::Padding, Setting::Padding(Padding::Valid));

/// `max_pool(k)` on `[channels, height, width]`.
pub(super) const MAX_POOL: Op = Op {
    signature: Signature {
        name: "max_pool",
        options: &[SIZE, STRIDE, PADDING],
    },
    inputs: Arity::ONE,
    rule: |bound, inputs| {
        let (window, shape) = slide("max_pool", bound, only(inputs))?;
        Ok(Applied::plain(LayerOp::MaxPool(window), shape))
    },
};

/// `avg_pool(k)` on `[channels, height, width]`: the mean of the real cells of
/// a window, or with `count_padding=true` of all its cells.
pub(super) const AVG_POOL: Op = Op {
    signature: Signature {
        name: "avg_pool",
        options: &[
            SIZE,
            STRIDE,
            PADDING,
            OptionSpec::with_default("count_padding", Kind::Bool, Setting::Bool(false)),
        ],
    },
    inputs: Arity::ONE,
    rule: |bound, inputs| {
        let (window, shape) = slide("avg_pool", bound, only(inputs))?;
        let op = LayerOp::AvgPool {
            window,
            count_padding: bound.bool("count_padding"),
        };
        Ok(Applied::plain(op, shape))
    },
};

/// `global_avg_pool` on `[channels, height, width]` or `[tokens, channels]`:
/// `[channels]`.
pub(super) const GLOBAL_AVG_POOL: Op = Op {
    signature: Signature {
        name: "global_avg_pool",
        options: &[],
    },
    inputs: Arity::ONE,
    rule: |_, inputs| {
        let channels = match *only(inputs) {
            [_, channels] => channels,
            ref shape => image("global_avg_pool", shape)?[0],
        };
        Ok(Applied::plain(LayerOp::GlobalAvgPool, vec![channels]))
    },
};

/// Where the windows of a pool lie, and the shape of what they give.
fn slide(op: &str, bound: &Bound, shape: &[i64]) -> Result<(Window, Vec<i64>), Box<Refusal>> {
    let [channels, height, width] = image(op, shape)?;
    let (size, stride) = (bound.pair("size"), bound.pair("stride"));
    let [axis_h, axis_w] = axes([height, width], size, stride, [1, 1]);
    let [placed_h, placed_w] = place(op, "size", bound, [axis_h, axis_w])?;
    check_padding(op, bound, axis_h, placed_h)?;
    check_padding(op, bound, axis_w, placed_w)?;
    let window = Window {
        size,
        stride,
        padding: [placed_h.pads, placed_w.pads],
    };
    Ok((window, vec![channels, placed_h.count, placed_w.count]))
}

/// Every window must reach a cell of the input.
fn check_padding(op: &str, bound: &Bound, axis: Axis, placed: Placed) -> Result<(), Box<Refusal>> {
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
            "a window of `{op}` would hold nothing but padding along the {}",
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
