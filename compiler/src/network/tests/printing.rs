//! The printed network is the network.

use super::{good, net};
use crate::network::{Network, print, summary};
use cnnc_grammar::Span;
use proptest::prelude::*;

/// The network with all places set to 0.
pub(super) fn without_spans(network: &Network) -> Network {
    let mut network = network.clone();
    let none = Span::default();
    network
        .tensors
        .iter_mut()
        .for_each(|tensor| tensor.span = none);
    network
        .parameters
        .iter_mut()
        .for_each(|parameter| parameter.span = none);
    network
        .buffers
        .iter_mut()
        .for_each(|buffer| buffer.span = none);
    network
        .layers
        .iter_mut()
        .for_each(|layer| layer.span = none);
    network
}

pub(super) fn check(source: &str) {
    check_network(&good(source), source);
}

/// The network comes back from its printed form; `source` is for messages.
pub(super) fn check_network(network: &Network, source: &str) {
    let printed = print(network);
    let again = good(&printed);
    let (expected, found) = (without_spans(network), without_spans(&again));
    let story = || format!("{source}\n-->\n{printed}");
    for (a, b) in expected.layers.iter().zip(&found.layers) {
        assert_eq!(b, a, "{}", story());
    }
    for (a, b) in expected.tensors.iter().zip(&found.tensors) {
        assert_eq!(b, a, "{}", story());
    }
    for (a, b) in expected.parameters.iter().zip(&found.parameters) {
        assert_eq!(b, a, "{}", story());
    }
    assert_eq!(found, expected, "{}", story());
    assert_eq!(print(&again), printed);
}

#[test]
fn printed_networks_in_full() {
    let source = "net a(k=3) {
        input x: f32[N, 4, 9, 8];
        let c = conv(4, kernel=k, stride=(1, 2), padding=((1, 1), (0, 2)), init=normal(0.01));
        let act = relu;
        let y = x |> c |> act;
        let z = x |> conv(4, kernel=(1, 2), stride=(1, 2), padding=valid, bias=false) |> act;
        y - z |> max_pool(2, stride=1, padding=same) |> flatten |> dense(10, init=zeros)
    }
    train { seed = 3; normalize = (0.5, 1); optimizer = sgd(1e-3); }";
    check(source);
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("printed_network", print(&good(source))));
}

#[test]
fn printed_blocks_in_full() {
    let source = "block affine {
        input x;
        param scale: f32[x.channels] = ones;
        x * scale
    }
    block basic(c, stride=1) {
        input x;
        let y = x |> conv(c, kernel=3, stride=stride, bias=false) |> affine |> relu;
        let s = if stride == 1 { x } else { x |> conv(c, kernel=1, stride=stride) };
        y + s
    }
    net a {
        input x: f32[N, 4, 8, 8];
        param shift: f32[4] = zeros;
        let last = basic(4);
        let y = x + shift |> repeat 2 { basic(4) } |> basic(4, stride=2) |> last;
        y |> last |> flatten |> dense(10)
    }";
    check(source);
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("printed_blocks", print(&good(source))));
}

#[test]
fn options_print_as_short_as_they_can() {
    for op in [
        "conv(8, kernel=3)",
        "conv(8, kernel=(3, 5), stride=2, padding=1)",
        "conv(8, kernel=3, padding=valid, dilation=(1, 2), groups=4, bias=false)",
        "conv(8, kernel=2, padding=((1, 0), (0, 1)), init=uniform(0.5))",
        "max_pool(2)",
        "max_pool((2, 3), stride=2, padding=(1, 0))",
    ] {
        let network = good(&net("4, 12, 12", &format!("x |> {op}")));
        assert_eq!(summary(&network)[0].op, op);
    }
}

#[test]
fn train_sections_survive() {
    for settings in [
        "loss = softmax_cross_entropy(label_smoothing=0.1); optimizer = sgd(0.1, momentum=0.9, nesterov=true);",
        "loss = mean_squared_error; optimizer = adam(betas=(0.5, 0.999), weight_decay=1e-4);",
        "loss = binary_cross_entropy; optimizer = adamw; schedule = cosine(warmup=5, min=1e-6);",
        "optimizer = rmsprop(momentum=0.9, centered=true, eps=1e-3); schedule = step(30, 0.1);",
        "optimizer = lamb(weight_decay=0.02); schedule = exponential(0.97, every=2.4);",
        "clip_norm = 1; decay = weights; ema = 0.9999; accumulate = 4; epochs = 90; batch = 64;",
        "augment = [pad_crop(4), flip]; normalize = ((0.49, 0.48, 0.45), (0.2, 0.3, 0.1));",
        "augment = []; shuffle = false; seed = 7; schedule = constant; decay = all;",
    ] {
        let net = net("3, 8, 8", "x |> conv(2, kernel=1)");
        check(&format!("{net} train {{ {settings} }}"));
    }
}

#[test]
fn names_that_look_like_numbers_survive() {
    for body in [
        "let conv1 = conv(4, kernel=1); x |> conv(4, kernel=1) |> conv1 |> flatten |> dense(2)",
        "let relu1 = relu; x |> relu1 |> relu |> relu1 |> flatten |> dense(2)",
        "let add1 = relu; x + x |> add1 |> flatten |> dense(2)",
        "let act = relu; let act_1 = relu; x |> act |> act_1 |> act |> flatten |> dense(2)",
        "let c = conv(4, kernel=1); let c_1 = x |> c; c_1 |> c |> c |> flatten |> dense(2)",
        "let y = x |> relu; let relu1 = y |> relu; relu1 |> relu |> flatten |> dense(2)",
    ] {
        check(&format!("net a {{ input x: f32[N, 4, 2, 2]; {body} }}"));
    }
}

fn random_net() -> impl Strategy<Value = String> {
    let op = prop::sample::select(vec![
        "relu",
        "identity",
        "conv(4, kernel=3)",
        "conv(4, kernel=(1, 2), dilation=2)",
        "act",
        "conv1",
        "shared",
        "conv(4, kernel=1, groups=2, bias=false, init=ones)",
    ]);
    let name = prop::sample::select(vec![
        "y", "relu1", "conv2", "act_1", "shared_1", "add1", "z9",
    ]);
    let step = (
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        0..4_usize,
        op,
        name,
    );
    prop::collection::vec(step, 1..12).prop_map(|steps| {
        let mut tensors = vec!["x".to_string()];
        let mut body = String::new();
        for (a, b, kind, op, name) in steps {
            let (a, b) = (a.get(&tensors).clone(), b.get(&tensors).clone());
            let name = if tensors.iter().any(|known| known == name) {
                format!("t{}", tensors.len())
            } else {
                name.to_string()
            };
            let value = match kind {
                0 => format!("{a} + {b} |> {op}"),
                1 => format!("({a} |> {op}) * {b} - {a}"),
                2 => a,
                _ => format!("{a} |> {op} |> {op} |> add({b})"),
            };
            body.push_str(&format!("let {name} = {value};\n"));
            tensors.push(name);
        }
        let uses: Vec<String> = tensors
            .iter()
            .map(|name| format!("({name} |> act)"))
            .collect();
        format!(
            "net a {{ input x: f32[N, 4, 6, 6];
            let act = relu; let conv1 = conv(4, kernel=3); let shared = conv(4, kernel=1);
            {body} {} + (x |> conv1 |> shared) |> flatten |> dense(3) }}",
            uses.join(" + ")
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_networks_survive(source in random_net()) {
        check(&source);
    }
}
