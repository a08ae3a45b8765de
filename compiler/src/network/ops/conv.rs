//! `conv` and `depthwise_conv`

use super::form::{image, only};
use super::{Applied, Arity, NewParameter, Op, Refusal};
use crate::network::codes::shapes;
use crate::network::graph::{Conv, Initializer, LayerOp};
use crate::network::signature::{Bound, Kind, OptionSpec, Padding, Setting, Signature};
use crate::network::size::{fits, product};
use crate::network::window::{Axis, Fault, Placed, axes};

const ONES: Setting = Setting::Pair([1, 1]);

const KERNEL: OptionSpec = OptionSpec::required("kernel", Kind::Pair { least: 1 });
const STRIDE: OptionSpec = OptionSpec::with_default("stride", Kind::Pair { least: 1 }, ONES);
const PADDING: OptionSpec =
    OptionSpec::with_default("padding", Kind::Padding, Setting::Padding(Padding::Same));
const DILATION: OptionSpec = OptionSpec::with_default("dilation", Kind::Pair { least: 1 }, ONES);
const BIAS: OptionSpec = OptionSpec::with_default("bias", Kind::Bool, Setting::Bool(true));
const INIT: OptionSpec = OptionSpec::with_default(
    "init",
    Kind::Initializer,
    Setting::Initializer(Initializer::HeNormal),
);

/// `conv(out, kernel=...)` on `[in, height, width]`.
pub(super) const CONV: Op = Op {
    signature: Signature {
        name: "conv",
        options: &[
            OptionSpec::required("out", Kind::Integer { least: 1 }).positional(),
            KERNEL,
            STRIDE,
            PADDING,
            DILATION,
            OptionSpec::with_default("groups", Kind::Integer { least: 1 }, Setting::Integer(1)),
            BIAS,
            INIT,
        ],
    },
    inputs: Arity::ONE,
    rule: conv,
};

/// `depthwise_conv(kernel=...)` on `[in, height, width]`: `multiplier` output
/// channels of each input channel, side by side.
pub(super) const DEPTHWISE_CONV: Op = Op {
    signature: Signature {
        name: "depthwise_conv",
        options: &[
            KERNEL,
            OptionSpec::with_default(
                "multiplier",
                Kind::Integer { least: 1 },
                Setting::Integer(1),
            ),
            STRIDE,
            PADDING,
            DILATION,
            BIAS,
            INIT,
        ],
    },
    inputs: Arity::ONE,
    rule: depthwise_conv,
};

fn conv(bound: &Bound, inputs: &[&[i64]]) -> Result<Applied, Box<Refusal>> {
    let image = image("conv", only(inputs))?;
    let out = bound.integer("out");
    let groups = bound.integer("groups");
    check_groups(bound, groups, "groups", "input channels", image[0])?;
    check_groups(bound, groups, "groups", "output channels", out)?;
    apply("conv", LayerOp::Conv, bound, image, [out, groups])
}

fn depthwise_conv(bound: &Bound, inputs: &[&[i64]]) -> Result<Applied, Box<Refusal>> {
    let image = image("depthwise_conv", only(inputs))?;
    let channels = image[0];
    let out = channels
        .checked_mul(bound.integer("multiplier"))
        .ok_or_else(|| Refusal::too_large("the result of this `depthwise_conv`", &[]))?;
    let outs = [out, channels];
    apply("depthwise_conv", LayerOp::DepthwiseConv, bound, image, outs)
}

fn apply(
    op: &str,
    make: fn(Conv) -> LayerOp,
    bound: &Bound,
    [channels, height, width]: [i64; 3],
    [out, groups]: [i64; 2],
) -> Result<Applied, Box<Refusal>> {
    let (kernel, stride) = (bound.pair("kernel"), bound.pair("stride"));
    let dilation = bound.pair("dilation");
    let placed = place(
        op,
        "kernel",
        bound,
        axes([height, width], kernel, stride, dilation),
    )?;
    let [kernel_h, kernel_w] = kernel;
    let weight = vec![out, channels / groups, kernel_h, kernel_w];
    if !fits(&weight) {
        return Err(
            Refusal::too_large(&format!("the weight of this `{op}`"), &[])
                .note(format!("its shape would be {weight:?}")),
        );
    }
    let output = vec![out, placed[0].count, placed[1].count];
    // The weight fits, so these two are below its size.
    let taps = channels / groups * kernel_h * kernel_w;
    let fan_out = out / groups * kernel_h * kernel_w;
    let multiply_adds = product(output.iter().copied().chain([taps]))
        .ok_or_else(|| Refusal::too_large(&format!("the result of this `{op}`"), &output))?;
    let bias = bound.bool("bias");
    let op = make(Conv {
        kernel,
        stride,
        padding: [placed[0].pads, placed[1].pads],
        dilation,
        groups,
        out_channels: out,
        bias,
    });
    let (bias, init) = (bias.then_some(out), bound.initializer("init"));
    Ok(Applied {
        parameters: NewParameter::weight_and_bias(weight, bias, init, [taps, fan_out]),
        multiply_adds,
        ..Applied::plain(op, output)
    })
}

/// `parts` of this sort must divide the channels.
pub(super) fn check_groups(
    bound: &Bound,
    parts: i64,
    option: &str,
    what: &str,
    channels: i64,
) -> Result<(), Box<Refusal>> {
    if channels % parts == 0 {
        return Ok(());
    }
    Err(Refusal::new(
        shapes::GROUPS,
        format!("{parts} {option} do not divide {channels} {what}"),
        format!("{channels} / {parts} is not an integer"),
    )
    .at(bound.span(option)))
}

/// Places the windows of both axes with the option `padding` of `bound`.
pub(super) fn place(
    op: &str,
    window_option: &str,
    bound: &Bound,
    axes: [Axis; 2],
) -> Result<[Placed; 2], Box<Refusal>> {
    let pads = bound.padding("padding").pads();
    let place = |axis: Axis, pads: Option<[i64; 2]>| {
        axis.place(pads).map_err(|fault| match fault {
            Fault::Overflow => Refusal::too_large(&format!("the result of this `{op}`"), &[]),
            Fault::TooLarge { covers, padded } => Refusal::new(
                shapes::WINDOW_TOO_LARGE,
                format!(
                    "the window of `{op}` covers {covers} cells of the {}, but there are {padded}",
                    axis.name
                ),
                format!("covers {covers} of {padded} cells"),
            )
            .at(bound.span(window_option))
            .note(format!(
                "{}, which is below 1",
                axis.formula(pads.unwrap_or([0, 0]))
            )),
        })
    };
    let [height, width] = axes;
    let [height_pads, width_pads] = pads;
    Ok([place(height, height_pads)?, place(width, width_pads)?])
}
