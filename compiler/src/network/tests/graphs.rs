//! Names, parameters and edges of whole nets.

use super::good;
use crate::network::{
    Initializer, LayerOp, Loss, Network, Optimizer, Role, Sgd, TensorId, summary, totals,
};

const MNIST_CNN: &str = include_str!("../../../../examples/mnist_cnn.net");
const MLP: &str = include_str!("../../../../examples/mlp.net");
const LINEAR: &str = include_str!("../../../../examples/linear.net");

fn parameter_names(network: &Network) -> Vec<&str> {
    network
        .parameters
        .iter()
        .map(|parameter| parameter.name.as_str())
        .collect()
}

fn layer_names(network: &Network) -> Vec<&str> {
    network
        .layers
        .iter()
        .map(|layer| layer.name.as_str())
        .collect()
}

// Counts by hand: linear 784 * 10 + 10; mlp 784 * 512 + 512 + 512 * 512 + 512 + 512 * 10 + 10;
// mnist_cnn 320 + 9,248 + 3,211,776 + 262,656 + 5,130.
#[test]
fn examples_have_their_number_of_parameters() {
    for (source, count) in [(LINEAR, 7_850), (MLP, 669_706), (MNIST_CNN, 3_489_130)] {
        let network = good(source);
        assert_eq!(network.parameter_count(), count, "{}", network.name);
        assert_eq!(totals(&network).parameters, count);
        let rows: i64 = summary(&network).iter().map(|row| row.parameters).sum();
        assert_eq!(rows, count);
    }
}

#[test]
fn mnist_cnn_in_full() {
    let network = good(MNIST_CNN);
    assert_eq!(network.name, "mnist_cnn");
    assert_eq!(
        parameter_names(&network),
        [
            "conv1.weight",
            "conv1.bias",
            "conv2.weight",
            "conv2.bias",
            "dense1.weight",
            "dense1.bias",
            "dense2.weight",
            "dense2.bias",
            "dense3.weight",
            "dense3.bias"
        ]
    );
    let shapes: Vec<&[i64]> = network
        .parameters
        .iter()
        .map(|p| p.shape.as_slice())
        .collect();
    assert_eq!(
        shapes,
        [
            &[32, 1, 3, 3][..],
            &[32],
            &[32, 32, 3, 3],
            &[32],
            &[6272, 512],
            &[512],
            &[512, 512],
            &[512],
            &[512, 10],
            &[10]
        ]
    );
    let fans: Vec<i64> = network
        .parameters
        .iter()
        .step_by(2)
        .map(|p| p.fan_in)
        .collect();
    assert_eq!(fans, [9, 288, 6272, 512, 512]);
    for pair in network.parameters.chunks(2) {
        assert_eq!(
            (pair[0].role, pair[0].init),
            (Role::Weight, Initializer::HeNormal)
        );
        assert_eq!(
            (pair[1].role, pair[1].init),
            (Role::Bias, Initializer::Zeros)
        );
    }
    assert_eq!(
        layer_names(&network),
        [
            "conv1",
            "relu1",
            "conv2",
            "relu2",
            "max_pool1",
            "flatten1",
            "dense1",
            "relu3",
            "dense2",
            "relu4",
            "dense3"
        ]
    );
    assert_eq!(network.tensor(network.output).shape, [10]);
    assert_eq!(
        network.train.loss,
        Loss::SoftmaxCrossEntropy {
            label_smoothing: 0.0
        }
    );
    assert_eq!(network.train.optimizer, Optimizer::Sgd(Sgd::plain(0.1)));
    assert_eq!((network.train.batch, network.train.epochs), (128, 12));
}

#[test]
fn a_layer_spans_its_text() {
    let network = good(MNIST_CNN);
    let texts: Vec<&str> = network
        .layers
        .iter()
        .map(|layer| layer.span.text(MNIST_CNN))
        .collect();
    assert_eq!(
        texts[..3],
        ["conv(32, kernel=3)", "relu", "conv(32, kernel=3)"]
    );
    assert_eq!(
        network.tensor(TensorId(0)).span.text(MNIST_CNN),
        "input image: f32[N, 1, 28, 28];"
    );
}

#[test]
fn a_shared_layer_has_its_parameters_once() {
    let network = good(
        "net a {
        input x: f32[N, 4, 8, 8];
        let c = conv(4, kernel=3);
        let y = x |> c |> relu |> c;
        y |> conv(2, kernel=1) |> flatten |> dense(10)
    }",
    );
    assert_eq!(
        layer_names(&network),
        ["c", "relu1", "c_1", "conv1", "flatten1", "dense1"]
    );
    assert_eq!(network.layers[0].parameters, network.layers[2].parameters);
    assert_eq!(
        parameter_names(&network),
        [
            "c.weight",
            "c.bias",
            "conv1.weight",
            "conv1.bias",
            "dense1.weight",
            "dense1.bias"
        ]
    );
    // 4*4*9 + 4, then 2*4 + 2, then 128 * 10 + 10.
    assert_eq!(network.parameter_count(), 148 + 10 + 1290);
    let rows: Vec<i64> = summary(&network).iter().map(|row| row.parameters).collect();
    assert_eq!(rows, [148, 0, 0, 10, 0, 1290]);
}

#[test]
fn a_tensor_used_twice_is_one_tensor() {
    let network = good(
        "net a {
        input x: f32[N, 4, 8, 8];
        let y = x |> relu;
        let z = y;
        (y + z) * x - y |> add(x) |> flatten |> dense(10)
    }",
    );
    let ops: Vec<&LayerOp> = network.layers.iter().map(|layer| &layer.op).collect();
    assert_eq!(
        ops[..5],
        [
            &LayerOp::Relu,
            &LayerOp::Add,
            &LayerOp::Multiply,
            &LayerOp::Subtract,
            &LayerOp::Add
        ]
    );
    let (x, y) = (TensorId(0), network.layers[0].output);
    assert_eq!(network.tensor(y).name, "y");
    assert_eq!(network.layers[1].inputs, [y, y]);
    assert_eq!(network.layers[2].inputs, [network.layers[1].output, x]);
    assert_eq!(network.layers[3].inputs, [network.layers[2].output, y]);
    assert_eq!(network.layers[4].inputs, [network.layers[3].output, x]);
}

#[test]
fn numbers_leave_out_the_names_of_layers() {
    let network = good(
        "net a {
        input x: f32[N, 4, 8, 8];
        let conv1 = conv(4, kernel=1);
        x |> conv(3, kernel=1) |> conv(4, kernel=1) |> conv1 |> flatten |> dense(10)
    }",
    );
    assert_eq!(
        layer_names(&network),
        ["conv2", "conv3", "conv1", "flatten1", "dense1"]
    );
}

// `relu6` is another op.
#[test]
fn numbers_leave_out_the_names_of_ops() {
    let chain = " |> relu".repeat(6);
    let network = good(&super::net("1, 2, 2", &format!("x{chain}")));
    assert_eq!(layer_names(&network)[4..6], ["relu5", "relu7"]);
}

#[test]
fn tensor_names_are_unique() {
    let network = good(
        "net flatten1(dense1=10) {
        input x: f32[N, 4, 8, 8];
        let relu2 = x |> relu;
        relu2 |> relu |> flatten |> dense(dense1)
    }",
    );
    let names: Vec<&str> = network
        .tensors
        .iter()
        .map(|tensor| tensor.name.as_str())
        .collect();
    assert_eq!(names, ["x", "relu2", "relu2_1", "flatten1", "dense1_1"]);
}

#[test]
fn the_last_net_is_the_default() {
    let source = "net a { input x: f32[N, 1, 2, 2]; x |> flatten |> dense(2) }
        net b { input x: f32[N, 1, 2, 2]; x |> flatten |> dense(3) }";
    assert_eq!(good(source).name, "b");
    let options = super::Options {
        net: Some("a".to_string()),
        ..super::Options::default()
    };
    assert_eq!(
        super::network(source, &options).map(|net| net.name).ok(),
        Some("a".to_string())
    );
}

#[test]
fn a_file_without_train_gets_defaults_that_train() {
    let train = good("net a { input x: f32[N, 1, 2, 2]; x |> flatten |> dense(2) }").train;
    assert_eq!(train.optimizer, Optimizer::Sgd(Sgd::plain(0.1)));
    assert_eq!(
        (train.batch, train.epochs, train.shuffle, train.seed),
        (128, 3, true, 0)
    );
    assert_eq!(train.normalize, None);
}

#[test]
fn every_way_of_saving_a_file_gives_the_same_network() {
    let plain = good(MNIST_CNN);
    for source in [
        MNIST_CNN.replace('\n', "\r\n"),
        MNIST_CNN.replace('\n', "\r"),
        MNIST_CNN.replace("    ", "\t"),
        format!("\u{FEFF}{MNIST_CNN}"),
        MNIST_CNN.trim_end().to_string(),
    ] {
        assert_eq!(
            super::printing::without_spans(&good(&source)),
            super::printing::without_spans(&plain)
        );
    }
}

// BUG-65: line 3, column 5 in every way of saving the file.
#[test]
fn every_way_of_saving_a_file_gives_the_same_message() {
    let plain = "net a {\n    input x: f32[N, 1, 28, 28];\n    y |> flatten |> dense(10)\n}\n";
    let message = |source: &str| {
        let errors = super::network(source, &super::Options::default()).expect_err(source);
        super::rendered(source, &errors)
    };
    let expected = message(plain);
    assert!(expected.contains("--> model.net:3:5\n"), "{expected}");
    for source in [
        plain.replace('\n', "\r\n"),
        plain.replace('\n', "\r"),
        plain.replace("    ", "\t"),
        format!("\u{FEFF}{plain}"),
        plain.trim_end().to_string(),
    ] {
        assert_eq!(message(&source), expected, "{source:?}");
    }
}
