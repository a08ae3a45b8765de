//! Output shapes, pads and fans against numbers from TensorFlow, PyTorch and by hand.

use super::{codes, first_shape, good, net};
use crate::network::{Conv, LayerOp, Network};

fn conv(network: &Network) -> &Conv {
    match &network.layers[0].op {
        LayerOp::Conv(conv) => conv,
        other => panic!("{other:?}"),
    }
}

fn conv_pads(shape: &str, op: &str) -> [[i64; 2]; 2] {
    conv(&good(&net(shape, &format!("x |> {op}")))).padding
}

// The shapes are those of torch.nn.Conv2d and torch.nn.MaxPool2d.
#[test]
fn shapes_of_known_stems() {
    for (input, op, output) in [
        (
            "3, 224, 224",
            "conv(64, kernel=7, stride=2, padding=3)",
            [64, 112, 112],
        ),
        (
            "64, 112, 112",
            "max_pool(3, stride=2, padding=1)",
            [64, 56, 56],
        ),
        (
            "3, 227, 227",
            "conv(96, kernel=11, stride=4, padding=valid)",
            [96, 55, 55],
        ),
        ("1, 28, 28", "conv(32, kernel=3)", [32, 28, 28]),
        ("32, 28, 28", "max_pool(2)", [32, 14, 14]),
        ("1, 5, 5", "max_pool(2)", [1, 2, 2]),
        (
            "2, 10, 20",
            "conv(4, kernel=(3, 5), stride=(2, 3), padding=(1, 0), dilation=(2, 1))",
            [4, 4, 6],
        ),
        (
            "1, 7, 7",
            "conv(1, kernel=3, padding=((0, 1), (2, 3)))",
            [1, 6, 10],
        ),
    ] {
        assert_eq!(first_shape(input, op), output, "{op} on {input}");
    }
}

// BUG-18: TensorFlow puts the odd cell of SAME behind.
#[test]
fn same_padding_is_larger_behind() {
    assert_eq!(
        conv_pads("1, 6, 6", "conv(1, kernel=3, stride=2)"),
        [[0, 1], [0, 1]]
    );
    assert_eq!(
        conv_pads("1, 5, 5", "conv(1, kernel=4, stride=2)"),
        [[1, 2], [1, 2]]
    );
    assert_eq!(
        conv_pads("1, 6, 5", "conv(1, kernel=(3, 4), stride=2)"),
        [[0, 1], [1, 2]]
    );
    assert_eq!(
        first_shape("1, 6, 5", "conv(1, kernel=(3, 4), stride=2)"),
        [1, 3, 3]
    );
}

// BUG-19
#[test]
fn same_padding_counts_dilation() {
    assert_eq!(
        conv_pads("1, 5, 5", "conv(1, kernel=3, dilation=2)"),
        [[2, 2], [2, 2]]
    );
    assert_eq!(
        first_shape("1, 5, 5", "conv(1, kernel=3, dilation=2)"),
        [1, 5, 5]
    );
}

#[test]
fn a_pool_steps_by_its_window_on_each_axis() {
    assert_eq!(first_shape("1, 12, 12", "max_pool((2, 3))"), [1, 6, 4]);
    assert_eq!(
        first_shape("1, 12, 12", "max_pool((2, 3), stride=1)"),
        [1, 11, 10]
    );
    assert_eq!(
        first_shape("1, 3, 3", "max_pool(2, padding=same)"),
        [1, 2, 2]
    );
}

// BUG-26: one error at the option, and no panic.
#[test]
fn options_out_of_range_are_refused() {
    for option in [
        "stride=0",
        "dilation=0",
        "groups=0",
        "stride=-1",
        "dilation=-2",
        "groups=-1",
        "padding=-1",
        "stride=(1, 0)",
    ] {
        let source = net("4, 28, 28", &format!("x |> conv(8, kernel=3, {option})"));
        assert_eq!(codes(&source), ["E0404"], "{option}");
    }
    for (op, code) in [
        ("conv(8, kernel=0)", "E0404"),
        ("conv(0, kernel=3)", "E0404"),
        ("conv(-8, kernel=3)", "E0404"),
        ("conv(8, kernel=2.5)", "E0403"),
        ("conv(8, kernel=3, stride=2.5)", "E0403"),
        ("conv(8, kernel=3, dilation=2.5)", "E0403"),
        ("conv(8, kernel=3, groups=2.5)", "E0403"),
        ("conv(8, kernel=3, padding=2.5)", "E0403"),
        ("max_pool(2.5)", "E0403"),
        ("max_pool(2, stride=2.5)", "E0403"),
        ("conv(8.0, kernel=3)", "E0403"),
        ("conv(8, kernel=3, groups=3)", "E0305"),
        ("conv(7, kernel=3, groups=4)", "E0305"),
        ("max_pool(0)", "E0404"),
        ("max_pool(2, stride=0)", "E0404"),
        ("max_pool(-2)", "E0404"),
    ] {
        assert_eq!(
            codes(&net("4, 28, 28", &format!("x |> {op}"))),
            [code],
            "{op}"
        );
    }
    for (batch, code) in [("0", "E0404"), ("-1", "E0404"), ("2.5", "E0403")] {
        let source = net("4, 28, 28", "x |> conv(8, kernel=3)");
        let source = format!("{source}train {{ batch = {batch}; }}");
        assert_eq!(codes(&source), [code], "a batch of {batch}");
    }
}

// BUG-56: fans per group; the numbers are those of the entry.
#[test]
fn fans_count_groups() {
    let grouped = good(&net(
        "8, 6, 6",
        "x |> conv(64, kernel=3, groups=4, init=he_uniform)",
    ));
    let weight = &grouped.parameters[0];
    assert_eq!(weight.shape, [64, 2, 3, 3]);
    assert_eq!((weight.fan_in, weight.fan_out), (18, 144));
    let depthwise = good(&net("32, 6, 6", "x |> conv(32, kernel=3, groups=32)"));
    assert_eq!(depthwise.parameters[0].fan_in, 9);
    let dense = good(&net("100, 1, 1", "x"));
    assert_eq!(
        (dense.parameters[0].fan_in, dense.parameters[0].fan_out),
        (100, 10)
    );
}

#[test]
fn multiply_adds_by_hand() {
    let network = good(&net(
        "4, 6, 6",
        "x |> conv(8, kernel=(3, 1), groups=2, padding=valid)",
    ));
    // 8 channels of 4 x 6 cells, each over 2 channels of 3 x 1 taps; then 192 x 10.
    assert_eq!(network.layers[0].multiply_adds, 8 * 4 * 6 * 2 * 3);
    assert_eq!(network.multiply_adds(), 1152 + 1920);
}

#[test]
fn arithmetic_and_fields_give_sizes() {
    let source = "net a(k=3, deep=2) {
        input x: f32[N, 4 * deep, 28, 28 - k];
        x |> conv(x.channels * deep, kernel=(k, (k + 4) / 2), padding=k - 3)
          |> flatten |> dense(-7 / 2 + 14)
    }";
    let network = good(source);
    assert_eq!(network.tensor(network.inputs[0].tensor).shape, [8, 28, 25]);
    assert_eq!(conv(&network).kernel, [3, 3]);
    assert_eq!(network.tensor(network.layers[0].output).shape, [16, 26, 23]);
    // Division rounds down: -7 / 2 is -4.
    assert_eq!(network.tensor(network.output).shape, [10]);
}
