//! Shapes, parameters and multiply-adds of the ops, from PyTorch and by hand.

use super::{codes, first_shape, good, net};
use crate::network::{Initializer, LayerOp, Network, Role};

/// The shape that an op gives on `x`, which `start` makes of the image.
fn shape_of(image: &str, start: &str, op: &str) -> Vec<i64> {
    let network = good(&net(image, &format!("x |> {start} |> {op}")));
    network.tensor(network.layers[1].output).shape.clone()
}

fn parameters(network: &Network) -> Vec<(&str, &[i64], Role)> {
    let entry = |p| -> (&str, &[i64], Role) {
        let p: &crate::network::Parameter = p;
        (&p.name, &p.shape, p.role)
    };
    network.parameters.iter().map(entry).collect()
}

/// The parameters of the only layer before `flatten |> dense(10)`.
fn first_parameters(body: &str) -> Vec<(String, Vec<i64>, Role, Initializer)> {
    let network = good(&net("6, 4, 4", body));
    let layer = network.layers.iter().find(|l| !l.parameters.is_empty());
    let ids = layer.expect("a layer that learns").parameters.iter();
    ids.map(|id| {
        let p = network.parameter(*id);
        let suffix = p.name.split_once('.').expect("a path").1;
        (suffix.to_string(), p.shape.clone(), p.role, p.init)
    })
    .collect()
}

#[test]
fn shapes_of_images() {
    for (image, op, expected) in [
        ("3, 8, 6", "depthwise_conv(kernel=3)", &[3, 8, 6][..]),
        (
            "3, 9, 6",
            "depthwise_conv(kernel=3, multiplier=4, stride=2, padding=valid)",
            &[12, 4, 2],
        ),
        // The last row and column are in no window.
        ("2, 7, 7", "avg_pool(3)", &[2, 2, 2]),
        ("2, 7, 7", "avg_pool(3, stride=2, padding=1)", &[2, 4, 4]),
        ("2, 5, 4", "avg_pool((2, 1), padding=same)", &[2, 3, 4]),
        ("5, 7, 9", "global_avg_pool", &[5]),
        ("4, 6, 6", "reshape(9, 16)", &[9, 16]),
        ("4, 6, 6", "reshape(144)", &[144]),
        ("4, 6, 6", "reshape((2, 8, 9))", &[2, 8, 9]),
        ("4, 6, 6", "reshape(shape=(2, 8, 9))", &[2, 8, 9]),
        ("4, 6, 5", "upsample(2)", &[4, 12, 10]),
        ("4, 6, 5", "upsample((1, 3))", &[4, 6, 15]),
        ("3, 8, 6", "tokens(2)", &[12, 12]),
        ("3, 8, 6", "tokens((4, 3))", &[4, 36]),
        ("3, 8, 6", "tokens", &[48, 3]),
        ("3, 8, 6", "softmax", &[3, 8, 6]),
        ("3, 8, 6", "layer_norm(over=features)", &[3, 8, 6]),
        ("3, 8, 6", "batch_norm", &[3, 8, 6]),
        ("3, 8, 6", "drop_path(0.5)", &[3, 8, 6]),
    ] {
        assert_eq!(first_shape(image, op), expected, "{op}");
    }
}

#[test]
fn shapes_of_tokens_and_vectors() {
    for (start, op, expected) in [
        ("tokens(2)", "dense(7)", &[4, 7][..]),
        ("tokens(2)", "attention(4)", &[4, 12]),
        ("tokens(2)", "class_token", &[5, 12]),
        ("tokens(2)", "first_token", &[12]),
        ("tokens(2)", "position_embedding", &[4, 12]),
        ("tokens(2)", "global_avg_pool", &[12]),
        ("tokens(2)", "gelu", &[4, 12]),
        ("flatten", "group_norm(4)", &[48]),
        ("flatten", "dropout(0)", &[48]),
        ("flatten", "reshape(3, 4, 4)", &[3, 4, 4]),
    ] {
        assert_eq!(shape_of("3, 4, 4", start, op), expected, "{op}");
    }
}

#[test]
fn concat_joins_channels() {
    let shape = |body: &str| {
        let network = good(&net("3, 4, 4", body));
        let is_concat = |l: &&crate::network::Layer| l.op == LayerOp::Concat;
        let layer = network.layers.iter().find(is_concat).expect("a concat");
        network.tensor(layer.output).shape.clone()
    };
    assert_eq!(shape("concat(x, x |> conv(5, kernel=1), x)"), [11, 4, 4]);
    assert_eq!(shape("x |> flatten |> concat(x |> flatten)"), [96]);
    assert_eq!(shape("x |> tokens |> concat(x |> tokens)"), [16, 6]);
}

#[test]
fn parameters_of_ops() {
    use Initializer::{GlorotUniform, HeNormal, Normal, Ones, Zeros};
    use Role::{Bias, Embedding, Scale, Weight};
    let tokens = "x |> tokens(2) |> ";
    for (body, expected) in [
        (
            "x |> depthwise_conv(kernel=(3, 5), multiplier=2)".to_string(),
            vec![
                ("weight", vec![12, 1, 3, 5], Weight, HeNormal),
                ("bias", vec![12], Bias, Zeros),
            ],
        ),
        (
            "x |> scale".to_string(),
            vec![("weight", vec![6], Scale, Ones)],
        ),
        (
            "x |> scale(bias=true, init=zeros)".to_string(),
            vec![
                ("weight", vec![6], Scale, Zeros),
                ("bias", vec![6], Bias, Zeros),
            ],
        ),
        (
            "x |> batch_norm".to_string(),
            vec![
                ("weight", vec![6], Scale, Ones),
                ("bias", vec![6], Bias, Zeros),
            ],
        ),
        (
            "x |> group_norm(3)".to_string(),
            vec![
                ("weight", vec![6], Scale, Ones),
                ("bias", vec![6], Bias, Zeros),
            ],
        ),
        (
            "x |> layer_norm".to_string(),
            vec![
                ("weight", vec![6], Scale, Ones),
                ("bias", vec![6], Bias, Zeros),
            ],
        ),
        (
            "x |> layer_norm(over=features)".to_string(),
            vec![
                ("weight", vec![6, 4, 4], Scale, Ones),
                ("bias", vec![6, 4, 4], Bias, Zeros),
            ],
        ),
        (
            "x |> layer_norm(over=features, affine=scalar)".to_string(),
            vec![
                ("weight", vec![1], Scale, Ones),
                ("bias", vec![1], Bias, Zeros),
            ],
        ),
        (
            format!("{tokens} layer_norm"),
            vec![
                ("weight", vec![24], Scale, Ones),
                ("bias", vec![24], Bias, Zeros),
            ],
        ),
        (
            format!("{tokens} class_token"),
            vec![("weight", vec![24], Embedding, Zeros)],
        ),
        (
            format!("{tokens} position_embedding"),
            vec![("weight", vec![4, 24], Embedding, Normal { std: 0.02 })],
        ),
        (
            format!("{tokens} attention(3)"),
            vec![
                ("qkv.weight", vec![24, 72], Weight, GlorotUniform),
                ("qkv.bias", vec![72], Bias, Zeros),
                ("proj.weight", vec![24, 24], Weight, GlorotUniform),
                ("proj.bias", vec![24], Bias, Zeros),
            ],
        ),
        (
            format!("{tokens} attention(3, bias=false, init=zeros)"),
            vec![
                ("qkv.weight", vec![24, 72], Weight, Zeros),
                ("proj.weight", vec![24, 24], Weight, Zeros),
            ],
        ),
    ] {
        let found = first_parameters(&body);
        let found: Vec<(&str, Vec<i64>, Role, Initializer)> = found
            .iter()
            .map(|(name, shape, role, init)| (name.as_str(), shape.clone(), *role, *init))
            .collect();
        assert_eq!(found, expected, "{body}");
    }
    for body in [
        "x |> batch_norm(affine=false)",
        "x |> group_norm(2, affine=false)",
        "x |> layer_norm(affine=none)",
    ] {
        let network = good(&net("6, 4, 4", body));
        assert_eq!(parameters(&network).len(), 2, "{body}: dense alone");
    }
}

// BUG-56
#[test]
fn fans_of_a_depthwise_convolution() {
    let network = good(&net(
        "32, 6, 6",
        "x |> depthwise_conv(kernel=3, multiplier=2)",
    ));
    let weight = &network.parameters[0];
    assert_eq!((weight.fan_in, weight.fan_out), (9, 18));
}

#[test]
fn batch_norm_keeps_mean_and_variance_of_each_channel() {
    let network = good(&net(
        "6, 4, 4",
        "x |> batch_norm |> batch_norm(affine=false)",
    ));
    let names: Vec<&str> = network.buffers.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "batch_norm1.running_mean",
            "batch_norm1.running_var",
            "batch_norm2.running_mean",
            "batch_norm2.running_var"
        ]
    );
    assert!(network.buffers.iter().all(|buffer| buffer.shape == [6]));
    assert!(!network.is_random());
    assert!(good(&net("6, 4, 4", "x |> dropout(0.5)")).is_random());
    assert!(!good(&net("6, 4, 4", "x |> dropout(0)")).is_random());
}

#[test]
fn multiply_adds_of_ops() {
    let first = |body: &str| good(&net("6, 4, 4", body)).layers[0].multiply_adds;
    // 12 channels of 4 x 4 cells, each 9 taps.
    assert_eq!(
        first("x |> depthwise_conv(kernel=3, multiplier=2)"),
        12 * 16 * 9
    );
    for op in ["avg_pool(2)", "batch_norm", "gelu", "upsample(2)", "tokens"] {
        assert_eq!(first(&format!("x |> {op}")), 0, "{op}");
    }
    // Projections of 4 tokens from 24 to 72 and to 24, two products of 4 x 4 x 24.
    let network = good(&net("6, 4, 4", "x |> tokens(2) |> attention(3)"));
    assert_eq!(
        network.layers[1].multiply_adds,
        4 * 24 * 72 + 4 * 24 * 24 + 2 * 4 * 4 * 24
    );
    let network = good(&net("6, 4, 4", "x |> tokens(2) |> dense(5)"));
    assert_eq!(network.layers[1].multiply_adds, 4 * 24 * 5);
}

/// timm's vit_tiny_patch16_224 has 5,717,416 parameters.
#[test]
fn vit_tiny_has_the_parameters_of_timm() {
    let source = "block encoder(heads) {
        input x;
        let y = x + (x |> layer_norm |> attention(heads));
        y + (y |> layer_norm |> dense(4 * x.channels) |> gelu |> dense(x.channels))
    }
    net vit_tiny {
        input image: f32[N, 3, 224, 224];
        image |> tokens(16) |> dense(192) |> class_token |> position_embedding
              |> repeat 12 { encoder(3) }
              |> layer_norm |> first_token |> dense(1000)
    }";
    assert_eq!(good(source).parameter_count(), 5_717_416);
}

#[test]
fn options_of_ops_out_of_range_are_refused() {
    for (op, code) in [
        ("depthwise_conv(kernel=0)", "E0404"),
        ("depthwise_conv(kernel=3, multiplier=0)", "E0404"),
        ("depthwise_conv(kernel=3, stride=0)", "E0404"),
        ("depthwise_conv", "E0402"),
        ("avg_pool(0)", "E0404"),
        ("avg_pool(2, stride=0)", "E0404"),
        ("avg_pool(2, padding=-1)", "E0404"),
        ("avg_pool(2, count_padding=1)", "E0403"),
        ("upsample(0)", "E0404"),
        ("upsample(1.5)", "E0403"),
        ("reshape", "E0402"),
        ("reshape(4, 36, 1, 1)", "E0404"),
        ("reshape(0, 144)", "E0404"),
        ("reshape(12.0, 12)", "E0403"),
        ("tokens(0)", "E0404"),
        ("leaky_relu(0.1, 0.2)", "E0406"),
        ("elu(true)", "E0403"),
        ("gelu(approximate=erf)", "E0405"),
        ("gelu(approximate=1)", "E0403"),
        ("batch_norm(eps=0)", "E0404"),
        ("batch_norm(momentum=1.5)", "E0404"),
        ("batch_norm(affine=element)", "E0403"),
        ("layer_norm(over=pixels)", "E0405"),
        ("layer_norm(affine=true)", "E0403"),
        ("group_norm", "E0402"),
        ("group_norm(0)", "E0404"),
        ("dropout", "E0402"),
        ("dropout(-0.1)", "E0404"),
        ("dropout(1.1)", "E0404"),
        ("drop_path(2)", "E0404"),
        ("scale(init=he)", "E0405"),
    ] {
        assert_eq!(
            codes(&net("4, 6, 6", &format!("x |> {op}"))),
            [code],
            "{op}"
        );
    }
    for op in ["attention(0)", "attention(heads=-1)"] {
        let source = net("4, 6, 6", &format!("x |> tokens |> {op}"));
        assert_eq!(codes(&source), ["E0404"], "{op}");
    }
}

/// Shares of settings: at least 0 and below 1.
#[test]
fn bug_45_shares_out_of_range_are_refused() {
    for share in ["-0.1", "1", "1.5"] {
        for setting in [
            format!("loss = softmax_cross_entropy(label_smoothing={share});"),
            format!("ema = {share};"),
            format!("optimizer = sgd(0.1, momentum={share});"),
        ] {
            let source = format!("{} train {{ {setting} }}", net("4, 6, 6", "x"));
            assert_eq!(codes(&source), ["E0404"], "{setting}");
        }
    }
}

/// The limits themselves are allowed.
#[test]
fn probabilities_include_0_and_1() {
    for op in [
        "dropout(0)",
        "dropout(1)",
        "drop_path(0.0)",
        "batch_norm(momentum=1)",
    ] {
        good(&net("4, 6, 6", &format!("x |> {op}")));
    }
}

#[test]
fn batch_norm_of_one_value_per_channel() {
    for (body, batch, refused) in [
        ("x |> batch_norm", 1, false),
        ("x |> global_avg_pool |> batch_norm", 1, true),
        ("x |> global_avg_pool |> batch_norm", 2, false),
        ("x |> max_pool(6) |> batch_norm", 1, true),
        ("x |> reshape(1, 144) |> batch_norm", 1, true),
        ("x |> reshape(2, 72) |> batch_norm", 1, false),
        ("x |> global_avg_pool |> layer_norm", 1, false),
    ] {
        let source = format!("{} train {{ batch = {batch}; }}", net("4, 6, 6", body));
        if refused {
            assert_eq!(codes(&source), ["E0312"], "{body}");
        } else {
            good(&source);
        }
    }
}
