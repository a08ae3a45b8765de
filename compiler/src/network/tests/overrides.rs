//! `--set` takes the place of what the file says.

use super::network;
use crate::network::{Network, Optimizer, Options};

const SOURCE: &str = "net a(classes=10, wide=classes * 2) {
    input x: f32[N, 1, 4, 4];
    x |> flatten |> dense(wide) |> dense(classes)
}
train {
    optimizer = sgd(0.5);
    batch     = 64;
}";

fn with(source: &str, overrides: &[(&str, &str)]) -> Network {
    let options = Options {
        net: None,
        overrides: overrides
            .iter()
            .map(|(key, value)| (key.to_string(), value.to_string()))
            .collect(),
    };
    network(source, &options)
        .unwrap_or_else(|errors| panic!("{}", super::rendered(source, &errors)))
}

#[test]
fn hyper_parameters_and_what_depends_on_them() {
    let network = with(SOURCE, &[("classes", "2 + 1")]);
    let shapes: Vec<&[i64]> = network
        .parameters
        .iter()
        .map(|p| p.shape.as_slice())
        .collect();
    assert_eq!(shapes, [&[16, 6][..], &[6], &[6, 3], &[3]]);
}

#[test]
fn settings_and_options() {
    let network = with(
        SOURCE,
        &[
            ("train.batch", "32"),
            ("train.optimizer.lr", "0.01"),
            ("train.seed", "7"),
            ("train.shuffle", "false"),
            ("train.normalize", "(0.1307, 0.3081)"),
        ],
    );
    let train = network.train;
    assert_eq!(train.optimizer, Optimizer::Sgd { lr: 0.01 });
    assert_eq!((train.batch, train.seed, train.shuffle), (32, 7, false));
    assert_eq!(train.normalize, Some((0.1307, 0.3081)));
}

#[test]
fn the_last_of_equal_keys_holds() {
    let network = with(SOURCE, &[("train.batch", "1"), ("train.batch", "2")]);
    assert_eq!(network.train.batch, 2);
}

#[test]
fn an_option_of_a_default_can_be_set() {
    let source = "net a { input x: f32[N, 1, 4, 4]; x |> flatten |> dense(3) }";
    let network = with(source, &[("train.optimizer.lr", "2")]);
    assert_eq!(network.train.optimizer, Optimizer::Sgd { lr: 2.0 });
}

#[test]
fn an_override_mends_a_missing_value() {
    let source = "net a(classes) { input x: f32[N, 1, 4, 4]; x |> flatten |> dense(classes) }";
    assert_eq!(
        with(source, &[("classes", "3")]).parameters[0].shape,
        [16, 3]
    );
}
