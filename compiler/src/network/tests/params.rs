//! `param`: shapes, starts, names, and the tensors they become.

use super::good;
use crate::network::{Initializer, LayerOp, Network, Role};

fn with(blocks: &str, body: &str) -> Network {
    good(&format!(
        "{blocks} net a {{ input x: f32[N, 4, 6, 5]; {body} |> flatten |> dense(3) }}"
    ))
}

/// The shapes of the tensors that parameters have become.
fn spread(network: &Network) -> Vec<&[i64]> {
    network
        .layers
        .iter()
        .filter(|layer| layer.op == LayerOp::Parameter)
        .map(|layer| network.tensor(layer.output).shape.as_slice())
        .collect()
}

const AFFINE: &str = "block affine(init=ones) {
    input x;
    param scale: f32[x.channels] = init;
    param shift: f32[x.channels] = zeros;
    x * scale + shift
}";

#[test]
fn a_parameter_takes_the_shape_it_stands_beside() {
    let network = with(
        "",
        "param whole: f32[4, 6, 5] = ones;
         param channels: f32[4] = zeros;
         param one: f32[] = constant(0.5);
         (whole - x * channels) + one",
    );
    let image = [4, 6, 5];
    assert_eq!(spread(&network), [&image[..], &image, &image]);
    // Tokens have their channels last.
    let tokens = with("", "param c: f32[4] = ones; (x |> tokens) * c");
    assert_eq!(spread(&tokens), [[30, 4]]);
    let vector = with("", "param c: f32[120] = ones; (x |> flatten) * c");
    assert_eq!(spread(&vector), [[120]]);
}

#[test]
fn a_parameter_fed_to_an_op_is_a_tensor_of_its_own_shape() {
    let network = with(
        "",
        "param mask: f32[4, 6, 5] = normal(1); x * (mask |> sigmoid)",
    );
    assert_eq!(spread(&network), [[4, 6, 5]]);
    let ops: Vec<&str> = network.layers.iter().map(|layer| layer.op.name()).collect();
    assert_eq!(ops[..3], ["param", "sigmoid", "multiply"]);
}

#[test]
fn a_parameter_becomes_a_tensor_once_per_shape() {
    let network = with(
        "",
        "param c: f32[4] = ones; x * c + c |> conv(4, kernel=2, padding=valid) |> add(c)",
    );
    assert_eq!(spread(&network), [&[4, 6, 5][..], &[4, 5, 4]]);
    let names: Vec<&str> = network
        .layers
        .iter()
        .map(|layer| layer.name.as_str())
        .collect();
    assert_eq!(
        names[..6],
        ["c", "multiply1", "add1", "conv1", "c_1", "add2"]
    );
    assert_eq!(network.parameters[0].name, "c");
}

#[test]
fn parameters_have_paths_starts_and_fans() {
    let network = with(
        AFFINE,
        "param k: f32[8, 4, 3, 3] = glorot_uniform;
         let y = x |> affine |> affine(init=uniform(0.5));
         y * y + (k |> flatten |> dense(120) |> reshape(4, 6, 5))",
    );
    let found: Vec<(&str, &[i64], Initializer)> = network
        .parameters
        .iter()
        .map(|p| (p.name.as_str(), p.shape.as_slice(), p.init))
        .take(5)
        .collect();
    assert_eq!(
        found,
        [
            ("k", &[8, 4, 3, 3][..], Initializer::GlorotUniform),
            ("affine1.scale", &[4], Initializer::Ones),
            ("affine1.shift", &[4], Initializer::Zeros),
            ("affine2.scale", &[4], Initializer::Uniform { bound: 0.5 }),
            ("affine2.shift", &[4], Initializer::Zeros),
        ]
    );
    let kernel = &network.parameters[0];
    assert_eq!((kernel.fan_in, kernel.fan_out), (36, 72));
    assert_eq!(kernel.role, Role::Weight);
    assert_eq!(network.parameters[1].role, Role::Scale);
    assert_eq!(network.parameters[2].role, Role::Bias);
    // 8 * 4 * 9, 4 of each affine parameter, 288 * 120 + 120, 120 * 3 + 3.
    assert_eq!(network.parameter_count(), 288 + 16 + 34_680 + 363);
}

#[test]
fn a_shared_block_has_its_parameters_once() {
    let network = with(AFFINE, "let f = affine; x |> f |> relu |> f");
    let names: Vec<&str> = network.parameters.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(
        names,
        ["f.scale", "f.shift", "dense1.weight", "dense1.bias"]
    );
}

#[test]
fn each_round_of_a_repeat_has_its_own() {
    let network = with("", "x |> repeat 2 { param s: f32[4] = ones; multiply(s) }");
    let names: Vec<&str> = network.parameters.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names[..2], ["s1", "s2"]);
}

#[test]
fn a_parameter_may_have_the_name_of_an_op() {
    let network = with(
        "",
        "param scale: f32[4] = ones; x * scale |> scale |> scale(bias=true)",
    );
    let names: Vec<&str> = network.parameters.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(
        names[..4],
        ["scale", "scale1.weight", "scale2.weight", "scale2.bias"]
    );
}
