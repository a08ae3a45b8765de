//! Blocks, `if` and `repeat`: what they expand to, and the names of what they make.

use super::{good, network};
use crate::network::{LayerOp, Network, Options};

/// As in the language reference.
const RESNET18: &str = "
block basic(c, stride=1) {
    input x;
    let y = x |> conv(c, kernel=3, stride=stride, bias=false) |> batch_norm |> relu
              |> conv(c, kernel=3, bias=false) |> batch_norm;
    let s = if stride == 1 && x.channels == c { x }
            else { x |> conv(c, kernel=1, stride=stride, bias=false) |> batch_norm };
    y + s |> relu
}
block stage(c, n, stride=1) {
    input x;
    x |> basic(c, stride=stride) |> repeat n - 1 { basic(c) }
}
net resnet18(classes=1000) {
    input image: f32[N, 3, 224, 224];
    image |> conv(64, kernel=7, stride=2, padding=3, bias=false) |> batch_norm |> relu
          |> max_pool(3, stride=2, padding=1)
          |> stage(64, 2) |> stage(128, 2, stride=2) |> stage(256, 2, stride=2) |> stage(512, 2, stride=2)
          |> global_avg_pool |> dense(classes)
}
";

fn parameters(network: &Network) -> Vec<&str> {
    network.parameters.iter().map(|p| p.name.as_str()).collect()
}

fn layers(network: &Network) -> Vec<&str> {
    network.layers.iter().map(|l| l.name.as_str()).collect()
}

/// A net on `f32[N, 4, 6, 6]` called `x`, behind `blocks`, that ends in `dense(3)`.
fn with(blocks: &str, body: &str) -> Network {
    good(&format!(
        "{blocks} net a {{ input x: f32[N, 4, 6, 6]; {body} |> flatten |> dense(3) }}"
    ))
}

// torchvision.models.resnet18() has 11,689,512 parameters and 62 arrays of them.
#[test]
fn resnet18_is_that_of_torchvision() {
    let network = good(RESNET18);
    assert_eq!(network.parameter_count(), 11_689_512);
    assert_eq!(network.parameters.len(), 62);
    // One running mean and variance for each of the 20 normalisations.
    assert_eq!(network.buffers.len(), 40);
    let outputs: Vec<&[i64]> = network
        .layers
        .iter()
        .filter(|layer| layer.name.ends_with("basic2.relu2"))
        .map(|layer| network.tensor(layer.output).shape.as_slice())
        .collect();
    let expected = [[64, 56, 56], [128, 28, 28], [256, 14, 14], [512, 7, 7]];
    assert_eq!(outputs, expected);
}

#[test]
fn paths_are_blocks_and_ops_with_their_numbers() {
    let network = good(RESNET18);
    let names = parameters(&network);
    assert_eq!(
        names[..9],
        [
            "conv1.weight",
            "batch_norm1.weight",
            "batch_norm1.bias",
            "stage1.basic1.conv1.weight",
            "stage1.basic1.batch_norm1.weight",
            "stage1.basic1.batch_norm1.bias",
            "stage1.basic1.conv2.weight",
            "stage1.basic1.batch_norm2.weight",
            "stage1.basic1.batch_norm2.bias",
        ]
    );
    // The shortcut of the first block of a stage, and a later round.
    for name in [
        "stage2.basic1.conv3.weight",
        "stage4.basic2.conv2.weight",
        "dense1.bias",
    ] {
        assert!(names.contains(&name), "{name}");
    }
    assert!(!names.contains(&"stage1.basic1.conv3.weight"));
    let buffers: Vec<&str> = network.buffers.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(buffers[0], "batch_norm1.running_mean");
    assert!(buffers.contains(&"stage2.basic1.batch_norm3.running_var"));
}

#[test]
fn paths_stay_when_other_layers_change() {
    let changed = RESNET18
        .replace("|> max_pool(3", "|> conv(64, kernel=1) |> max_pool(3")
        .replace(
            "|> stage(256, 2, stride=2)",
            "|> dropout(0.5) |> stage(256, 3, stride=2)",
        )
        .replace("|> dense(classes)", "|> dense(10) |> dense(classes)");
    let (before, after) = (good(RESNET18), good(&changed));
    let after = parameters(&after);
    for name in parameters(&before) {
        assert!(after.contains(&name), "{name}");
    }
}

#[test]
fn hyper_parameters_of_the_net_come_from_its_use() {
    let build = |net: &str| {
        let options = Options {
            net: Some(net.to_string()),
            ..Options::default()
        };
        network(RESNET18, &options).map(|network| network.tensor(network.output).shape.clone())
    };
    assert_eq!(build("resnet18").ok(), Some(vec![1000]));
    assert_eq!(build("resnet18(classes=10)").ok(), Some(vec![10]));
    assert_eq!(build("resnet18(5 * 4)").ok(), Some(vec![20]));
    // `--set` has the last word.
    let options = Options {
        net: Some("resnet18(classes=10)".to_string()),
        overrides: vec![("classes".to_string(), "7".to_string())],
    };
    let network = network(RESNET18, &options).expect("a net");
    assert_eq!(network.tensor(network.output).shape, [7]);
}

const PAIR: &str = "block pair(c) {
    input x;
    x |> conv(c, kernel=3) |> relu |> conv(c, kernel=1, bias=false)
}";

#[test]
fn a_named_block_gives_its_name_and_is_shared() {
    let network = with(PAIR, "let p = pair(4); x |> p |> pair(4) |> p");
    assert_eq!(
        parameters(&network)[..6],
        [
            "p.conv1.weight",
            "p.conv1.bias",
            "p.conv2.weight",
            "pair1.conv1.weight",
            "pair1.conv1.bias",
            "pair1.conv2.weight",
        ]
    );
    // 4 * 4 * 9 + 4 + 4 * 4 of each pair, 144 * 3 + 3 of the dense layer.
    assert_eq!(network.parameter_count(), 2 * 164 + 435);
    assert_eq!(
        layers(&network)[..9],
        [
            "p.conv1",
            "p.relu1",
            "p.conv2",
            "pair1.conv1",
            "pair1.relu1",
            "pair1.conv2",
            "p.conv1_1",
            "p.relu1_1",
            "p.conv2_1",
        ]
    );
    assert_eq!(network.layers[0].parameters, network.layers[6].parameters);
    assert_eq!(network.layers[2].parameters, network.layers[8].parameters);
}

#[test]
fn a_block_used_twice_has_its_own_parameters_each_time() {
    let network = with(PAIR, "x |> pair(4) |> pair(4)");
    assert_eq!(network.parameter_count(), 2 * 164 + 435);
    assert_eq!(parameters(&network)[3], "pair2.conv1.weight");
}

#[test]
fn what_is_shared_inside_a_block_is_shared_once_per_use() {
    let twice = "block twice {
        input x;
        let c = conv(4, kernel=1, bias=false);
        x |> c |> relu |> c
    }";
    let network = with(twice, "x |> twice |> twice");
    assert_eq!(
        parameters(&network)[..3],
        ["twice1.c.weight", "twice2.c.weight", "dense1.weight"]
    );
    assert_eq!(
        layers(&network)[..6],
        [
            "twice1.c",
            "twice1.relu1",
            "twice1.c_1",
            "twice2.c",
            "twice2.relu1",
            "twice2.c_1",
        ]
    );
}

#[test]
fn a_block_hands_its_shared_layers_down() {
    let network = with(
        "block outer { input x; let p = inner(4); x |> p |> p }
         block inner(c) { input x; x |> conv(c, kernel=1) |> if c > 3 { relu } }",
        "let o = outer; x |> o |> o",
    );
    assert_eq!(
        parameters(&network)[..2],
        ["o.p.conv1.weight", "o.p.conv1.bias"]
    );
    let convs = network
        .layers
        .iter()
        .filter(|layer| matches!(layer.op, LayerOp::Conv(_)));
    assert_eq!(convs.count(), 4);
}

#[test]
fn several_inputs_are_piped_and_given() {
    let fuse = "block fuse(c, k=1) {
        input a;
        input b;
        input skip;
        (a |> conv(c, kernel=k)) + b - skip
    }";
    let names = "let y = x |> relu; let z = y |> relu;";
    let shapes: Vec<Vec<usize>> = [
        "x |> fuse(y, z, 4)",
        "fuse(x, y, z, 4)",
        "x |> fuse(4, y, skip=z)",
        "x |> fuse(skip=z, b=y, c=4)",
        "fuse(skip=z, y, c=4, k=1, a=x)",
        "x |> fuse(c=4, y, z)",
    ]
    .iter()
    .map(|call| {
        let network = with(fuse, &format!("{names} {call}"));
        let ops = &network.layers[2..5];
        assert!(matches!(ops[0].op, LayerOp::Conv(_)), "{call}");
        ops.iter()
            .flat_map(|layer| layer.inputs.iter().map(|id| id.0))
            .map(|id| vec![id])
            .collect::<Vec<_>>()
            .concat()
    })
    .collect();
    // x is tensor 0, y 1 and z 2; conv makes 3 and the sum 4.
    for inputs in shapes {
        assert_eq!(inputs, [0, 3, 1, 4, 2]);
    }
}

#[test]
fn a_named_block_of_two_inputs_is_fed_where_it_is_used() {
    let add = "block mix(c) { input a; input b; let s = conv(c, kernel=1, bias=false); (a |> s) + (b |> s) }";
    let network = with(add, "let m = mix(4); let y = x |> m(x); m(y, x)");
    assert_eq!(parameters(&network)[0], "m.s.weight");
    assert_eq!(
        layers(&network)[..6],
        ["m.s", "m.s_1", "m.add1", "m.s_2", "m.s_3", "m.add1_1"]
    );
}

#[test]
fn repeat_makes_fresh_layers_each_round() {
    let network = with(
        PAIR,
        "x |> repeat 2 { conv(4, kernel=1, bias=false) |> relu } |> conv(4, kernel=1)",
    );
    assert_eq!(
        layers(&network)[..5],
        ["conv1", "relu1", "conv2", "relu2", "conv3"]
    );
    let none = with(PAIR, "x |> repeat 0 { pair(4) } |> relu");
    assert_eq!(layers(&none), ["relu1", "flatten1", "dense1"]);
}

#[test]
fn names_inside_a_repeat_are_numbered() {
    let network = with(
        "",
        "x |> repeat 2 { let c = conv(4, kernel=1); let p = relu; c |> p } |> repeat 1 { let c = conv(4, kernel=1); c }",
    );
    assert_eq!(layers(&network)[..5], ["c1", "p1", "c2", "p2", "c3"]);
    // A layer from outside is one in all rounds.
    let shared = with("", "let c = conv(4, kernel=1); x |> repeat 3 { c |> relu }");
    assert_eq!(parameters(&shared)[..2], ["c.weight", "c.bias"]);
    assert_eq!(shared.parameters.len(), 4);
}

#[test]
fn if_takes_one_branch_and_looks_at_no_other() {
    // Of different sorts, and of wrong shapes where they are not taken.
    let network = with(
        "",
        "let size = if x.channels > 3 { 8 } else { true };
         let y = if x.height == 5 { x |> dense(3) } else if x.width == 6 { conv(size, kernel=1) } else { 7 };
         x |> y |> if size == 9 { dense(1) } |> if size == 8 { relu } else { flatten }",
    );
    assert_eq!(layers(&network)[..2], ["y", "relu1"]);
    assert_eq!(network.tensor(network.layers[0].output).shape, [8, 6, 6]);
}

#[test]
fn conditions_stop_where_they_are_decided() {
    let network = with(
        "",
        "let k = 0; x |> if k != 0 && 6 / k > 1 { relu } else { tanh } |> if k == 0 || 6 / k > 1 { relu }",
    );
    assert_eq!(layers(&network)[..2], ["tanh1", "relu1"]);
}

#[test]
fn words_initialisers_and_ops_go_through_hyper_parameters() {
    let block = "block b(act=relu, pad=same, init=he_normal, approximate=none) {
        input x;
        x |> conv(4, kernel=3, padding=pad, init=init) |> act |> gelu(approximate=approximate)
    }";
    let network = with(
        block,
        "x |> b |> b(act=leaky_relu(0.2), pad=valid, init=normal(0.5), approximate=tanh)",
    );
    let texts: Vec<&str> = network.layers.iter().map(|l| l.text.as_str()).collect();
    assert_eq!(
        texts[..6],
        [
            "conv(4, kernel=3)",
            "relu",
            "gelu",
            "conv(4, kernel=3, padding=valid, init=normal(0.5))",
            "leaky_relu(0.2)",
            "gelu(approximate=tanh)",
        ]
    );
    // Made where the block is used, and named there.
    assert_eq!(layers(&network)[1], "b1.relu1");
    assert_eq!(layers(&network)[4], "leaky_relu1");
}

#[test]
fn a_chain_of_ops_is_an_op() {
    let network = with(
        PAIR,
        "let f = conv(4, kernel=1) |> relu |> pair(4); x |> f |> f |> conv(4, kernel=1)",
    );
    assert_eq!(
        parameters(&network)[..7],
        [
            "f.conv1.weight",
            "f.conv1.bias",
            "f.pair1.conv1.weight",
            "f.pair1.conv1.bias",
            "f.pair1.conv2.weight",
            "conv1.weight",
            "conv1.bias",
        ]
    );
    let with_sum = with("", "let f = relu |> add(x) |> multiply(x); x |> f");
    assert_eq!(layers(&with_sum)[..3], ["f.relu1", "f.add1", "f.multiply1"]);
}

#[test]
fn a_net_is_used_like_a_block() {
    let network = good(
        "net trunk(c=4) { input x: f32[N, 4, 6, 6]; x |> conv(c, kernel=1) |> relu }
         net a { input image: f32[N, 4, 6, 6]; image |> trunk(c=2) |> flatten |> dense(3) }",
    );
    assert_eq!(parameters(&network)[0], "trunk1.conv1.weight");
    assert_eq!(network.parameters[0].shape, [2, 4, 1, 1]);
}

#[test]
fn numbers_pass_over_names_and_blocks() {
    let network = with(
        "block conv1 { input x; x |> relu }",
        "let conv3 = conv(4, kernel=1); x |> conv1 |> conv(4, kernel=1) |> conv(4, kernel=1) |> conv3 |> conv(4, kernel=1)",
    );
    assert_eq!(
        layers(&network)[..5],
        ["conv11.relu1", "conv1", "conv2", "conv3", "conv4"]
    );
}

#[test]
fn fields_of_inputs_give_sizes() {
    let network = with(
        "block grow { input x; x |> conv(x.channels * 2, kernel=x.height / 3, padding=x.width % 4) }
         block head { input x; x |> dense(x.features / 2, bias=x.channels == x.features) }",
        "x |> grow |> flatten |> head",
    );
    // Kernel 2, padding 2: 6 + 4 - 2 + 1 = 9 cells.
    assert_eq!(network.tensor(network.layers[0].output).shape, [8, 9, 9]);
    assert_eq!(network.tensor(network.layers[2].output).shape, [324]);
    assert_eq!(network.layers[2].parameters.len(), 2);
}
