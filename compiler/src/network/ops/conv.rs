//! `conv`

use super::{Applied, Arity, NewParameter, Op, Refusal};
use crate::network::codes::shapes;
use crate::network::graph::{Conv, Initializer, LayerOp, Role};
use crate::network::signature::{Bound, Kind, OptionSpec, Padding, Setting, Signature};
use crate::network::size::{fits, product};
use crate::network::window::{Axis, Fault, Placed, axes};

const ONES: Setting = Setting::Pair([1, 1]);

/// `conv(out, kernel=...)` on `[in, height, width]`.
pub(super) const CONV: Op = Op {
    signature: Signature {
        name: "conv",
        options: &[
            OptionSpec::required("out", Kind::Integer { least: 1 }).positional(),
            OptionSpec::required("kernel", Kind::Pair { least: 1 }),
            OptionSpec::with_default("stride", Kind::Pair { least: 1 }, ONES),
            OptionSpec::with_default("padding", Kind::Padding, Setting::Padding(Padding::Same)),
            OptionSpec::with_default("dilation", Kind::Pair { least: 1 }, ONES),
            OptionSpec::with_default("groups", Kind::Integer { least: 1 }, Setting::Integer(1)),
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
    let &[channels, height, width] = shape else {
        return Err(Refusal::rank(
            "conv",
            4,
            shape,
            "f32[N, channels, height, width]",
        ));
    };
    let out = bound.integer("out");
    let groups = bound.integer("groups");
    check_groups(bound, groups, "input", channels)?;
    check_groups(bound, groups, "output", out)?;
    let (kernel, stride) = (bound.pair("kernel"), bound.pair("stride"));
    let dilation = bound.pair("dilation");
    let placed = place(
        "conv",
        "kernel",
        bound,
        axes([height, width], kernel, stride, dilation),
    )?;
    let [kernel_h, kernel_w] = kernel;
    let weight = vec![out, channels / groups, kernel_h, kernel_w];
    if !fits(&weight) {
        return Err(Refusal::too_large("the weight of this `conv`", &[])
            .note(format!("its shape would be {weight:?}")));
    }
    let output = vec![out, placed[0].count, placed[1].count];
    // The weight fits, so these two are below its size.
    let taps = channels / groups * kernel_h * kernel_w;
    let fan_out = out / groups * kernel_h * kernel_w;
    let multiply_adds = product(output.iter().copied().chain([taps]))
        .ok_or_else(|| Refusal::too_large("the result of this `conv`", &output))?;
    let bias = bound.bool("bias");
    Ok(Applied {
        op: LayerOp::Conv(Conv {
            kernel,
            stride,
            padding: [placed[0].pads, placed[1].pads],
            dilation,
            groups,
            out_channels: out,
            bias,
        }),
        shape: output,
        parameters: NewParameter::weight_and_bias(
            weight,
            bias.then_some(out),
            bound.initializer("init"),
            [taps, fan_out],
        ),
        buffers: Vec::new(),
        multiply_adds,
    })
}

impl NewParameter {
    /// A weight, and a bias of `bias` zeros where there is one.
    pub(super) fn weight_and_bias(
        shape: Vec<i64>,
        bias: Option<i64>,
        init: Initializer,
        [fan_in, fan_out]: [i64; 2],
    ) -> Vec<Self> {
        let weight = Self {
            suffix: "weight",
            role: Role::Weight,
            shape,
            init,
            fan_in,
            fan_out,
        };
        let bias = bias.map(|out| Self {
            suffix: "bias",
            role: Role::Bias,
            shape: vec![out],
            init: Initializer::Zeros,
            fan_in,
            fan_out,
        });
        [weight].into_iter().chain(bias).collect()
    }
}

fn check_groups(bound: &Bound, groups: i64, what: &str, channels: i64) -> Result<(), Box<Refusal>> {
    if channels % groups == 0 {
        return Ok(());
    }
    Err(Refusal::new(
        shapes::GROUPS,
        format!("{groups} groups do not divide {channels} {what} channels"),
        format!("{channels} / {groups} is not an integer"),
    )
    .at(bound.span("groups")))
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
