//! `--set` takes the place of what the file says.

use super::network;
use crate::network::{
    Adam, Augmentation, Decay, Loss, Network, Normalize, Optimizer, Options, Schedule, Sgd,
};

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
    assert_eq!(train.optimizer, Optimizer::Sgd(Sgd::plain(0.01)));
    assert_eq!((train.batch, train.seed, train.shuffle), (32, 7, false));
    let normalize = Normalize {
        mean: vec![0.1307],
        std: vec![0.3081],
    };
    assert_eq!(train.normalize, Some(normalize));
}

/// Each setting alone, and the options of those that have some.
#[test]
fn every_setting() {
    let set = |key: &str, value: &str| with(SOURCE, &[(key, value)]).train;
    let adam = Adam {
        lr: 0.001,
        betas: [0.9, 0.999],
        eps: 1e-8,
        weight_decay: 0.0,
    };
    assert_eq!(
        set("train.optimizer", "adam").optimizer,
        Optimizer::Adam(adam)
    );
    let both = [
        ("train.optimizer.betas", "(0.8, 0.99)"),
        ("train.optimizer", "adamw"),
    ];
    let adamw = Adam {
        betas: [0.8, 0.99],
        weight_decay: 0.01,
        ..adam
    };
    assert_eq!(with(SOURCE, &both).train.optimizer, Optimizer::AdamW(adamw));
    assert_eq!(
        set("train.optimizer.momentum", "0.9").optimizer,
        Optimizer::Sgd(Sgd {
            momentum: 0.9,
            ..Sgd::plain(0.5)
        })
    );
    let smoothing = set("train.loss.label_smoothing", "0.1").loss;
    assert_eq!(
        smoothing,
        Loss::SoftmaxCrossEntropy {
            label_smoothing: 0.1
        }
    );
    let loss = set("train.loss", "binary_cross_entropy").loss;
    assert_eq!(loss, Loss::BinaryCrossEntropy);
    assert_eq!(
        set("train.schedule", "cosine(min=1e-5)").schedule,
        Schedule::Cosine {
            warmup: 0.0,
            min: 1e-5
        }
    );
    let cosine = [("train.schedule", "cosine"), ("train.schedule.warmup", "5")];
    assert_eq!(
        with(SOURCE, &cosine).train.schedule,
        Schedule::Cosine {
            warmup: 5.0,
            min: 0.0
        }
    );
    assert_eq!(
        set("train.schedule", "step(30, 0.1)").schedule,
        Schedule::Step {
            every: 30,
            factor: 0.1
        }
    );
    assert_eq!(
        set("train.schedule", "exponential(rate=0.97, every=2.4)").schedule,
        Schedule::Exponential {
            rate: 0.97,
            every: 2.4
        }
    );
    assert_eq!(set("train.clip_norm", "1").clip_norm, Some(1.0));
    assert_eq!(set("train.decay", "weights").decay, Decay::Weights);
    assert_eq!(set("train.ema", "0.999").ema, Some(0.999));
    assert_eq!(set("train.accumulate", "4").accumulate, 4);
    assert_eq!(set("train.epochs", "9").epochs, 9);
    assert_eq!(
        set("train.augment", "[pad_crop(4), flip]").augment,
        [Augmentation::PadCrop(4), Augmentation::Flip]
    );
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
    assert_eq!(network.train.optimizer, Optimizer::Sgd(Sgd::plain(2.0)));
}

#[test]
fn an_override_mends_a_missing_value() {
    let source = "net a(classes) { input x: f32[N, 1, 4, 4]; x |> flatten |> dense(classes) }";
    assert_eq!(
        with(source, &[("classes", "3")]).parameters[0].shape,
        [16, 3]
    );
}
