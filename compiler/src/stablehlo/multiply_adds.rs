//! How much there is to multiply.

use super::{Convolution, Function, Instruction, Op, Value};

/// Multiply-adds of the convolutions and dot products of a function, each once.
///
/// Cells of padding count like others, as in the summary of a network. Where a convolution's
/// input is dilated, which is how the input gradient of a strided one is written, the zeros
/// between its elements do not count: so each of the two gradients of a layer counts as much as
/// its forward pass. What an operation runs in a region is not looked into: training steps have
/// no loops.
pub fn multiply_adds(function: &Function) -> u64 {
    let terms = function.body.iter().map(|i| of(function, i));
    terms.fold(0, u64::saturating_add)
}

fn of(function: &Function, instruction: &Instruction) -> u64 {
    match (&instruction.op, instruction.operands.as_slice()) {
        (Op::Convolution(convolution), &[input, kernel]) => {
            of_convolution(function, convolution, [input, kernel, instruction.result])
        }
        (Op::DotGeneral(dot), &[left, _]) => {
            let shape = &function.ty(left).shape;
            let contracted = dot.lhs_contract.iter().filter_map(|&dim| shape.get(dim));
            elements(function, instruction.result)
                .saturating_mul(contracted.map(|extent| extent.unsigned_abs()).product())
        }
        _ => 0,
    }
}

fn of_convolution(function: &Function, convolution: &Convolution, values: [Value; 3]) -> u64 {
    let [input, kernel, result] = values;
    let dims = &convolution.dims;
    let outputs = function.ty(kernel).shape.get(dims.kernel_output);
    let outputs = outputs.map_or(1, |extent| extent.unsigned_abs()).max(1);
    let weights = elements(function, kernel);
    if convolution
        .lhs_dilation
        .iter()
        .all(|&dilation| dilation == 1)
    {
        // Each output has one term per weight of its feature.
        return elements(function, result).saturating_mul(weights / outputs);
    }
    // Each input meets, at every tap, the outputs of its group.
    let groups = convolution
        .feature_group_count
        .max(convolution.batch_group_count);
    let inputs = function.ty(kernel).shape.get(dims.kernel_input);
    let inputs = inputs.map_or(1, |extent| extent.unsigned_abs()).max(1);
    elements(function, input).saturating_mul(weights / inputs / groups.unsigned_abs().max(1))
}

fn elements(function: &Function, value: Value) -> u64 {
    function.ty(value).elements().unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::read;
    use crate::network::Options;

    /// Of the step of a net, with its batch.
    fn of_step(net: &str, batch: i64) -> u64 {
        let unit = read("a.net", net, &Options::default()).unwrap();
        let module = unit.portable(batch, &["train_step"]).unwrap();
        multiply_adds(module.function("train_step").unwrap())
    }

    fn net(input: &str, body: &str) -> String {
        format!("net a {{ input image: f32[N, {input}]; image |> {body} }}")
    }

    /// The first layer has no input gradient, the others have both.
    #[test]
    fn a_step_of_mnist_cnn_by_hand() {
        let text = net(
            "1, 28, 28",
            "conv(32, kernel=3) |> relu |> conv(32, kernel=3) |> relu |> max_pool(2) |> flatten
             |> dense(512) |> relu |> dense(512) |> relu |> dense(10)",
        );
        let conv1 = 28 * 28 * 9 * 32;
        let conv2 = 28 * 28 * 9 * 32 * 32;
        let dense = 14 * 14 * 32 * 512 + 512 * 512 + 512 * 10;
        assert_eq!(of_step(&text, 128), 128 * (2 * conv1 + 3 * (conv2 + dense)));
    }

    /// Strides, groups and 1x1 windows: the input gradient counts no zeros.
    #[test]
    fn gradients_of_strided_and_grouped_convolutions_count_like_the_forward_pass() {
        let conv = "conv(4, kernel=1, bias=false)";
        for (layer, forward) in [
            ("conv(8, kernel=3, stride=2)", 4 * 4 * 9 * 4 * 8),
            ("conv(8, kernel=3, stride=2, groups=2)", 4 * 4 * 9 * 2 * 8),
            ("conv(8, kernel=1, stride=2)", 4 * 4 * 4 * 8),
            ("depthwise_conv(kernel=3, stride=2)", 4 * 4 * 9 * 4),
            ("depthwise_conv(kernel=3)", 8 * 8 * 9 * 4),
        ] {
            let head = "global_avg_pool |> dense(3)";
            let classes = if layer.starts_with("depthwise") { 4 } else { 8 };
            let text = net("2, 8, 8", &format!("{conv} |> {layer} |> {head}"));
            let expected = 2 * (2 * 8 * 8 * 2 * 4 + 3 * forward + 3 * classes * 3);
            assert_eq!(of_step(&text, 2), expected, "{layer}");
        }
    }

    /// The batch of a dot product is not contracted.
    #[test]
    fn attention_has_two_batched_products() {
        let text = net(
            "8, 1, 3",
            "tokens(1) |> attention(2) |> flatten |> dense(2)",
        );
        let products = 2 * (3 * 3 * 8);
        let dense = 24 * 2;
        // The projection of the input has no input gradient.
        let expected = 2 * 3 * 8 * 24 + 3 * (3 * 8 * 8 + products + dense);
        assert_eq!(of_step(&text, 1), expected);
    }
}
