//! Whole tuned modules equal the portable ones, exactly, with parameters
//! stored as the layout pass says.

use crate::driver;
use crate::iree::Target;
use crate::manifest;
use crate::network::Options;
use crate::simplify::tests::Draw;
use crate::stablehlo::Op;
use crate::tune::layout;
use crate::tune::layout::tests::assert_stored;
use crate::tune::{self, OPTIONAL, Parts, passes, tune_with};

/// Every kind of layer at its smallest, with what tuning finds hard: one
/// channel, stride, dilation, groups, a pool whose windows overlap and are
/// padded, a shared layer, a sum, and parameters beside tensors.
const NETS: [&str; 4] = [
    "net a {
        input image: f32[N, 1, 6, 6];
        image |> conv(4, kernel=3) |> relu |> conv(4, kernel=3) |> relu
              |> max_pool(2) |> flatten |> dense(5) |> relu |> dense(3)
    }",
    "net b {
        input image: f32[N, 2, 7, 7];
        let x = image |> conv(4, kernel=3, stride=2) |> relu;
        let y = x |> conv(4, kernel=3, groups=2, dilation=2) |> max_pool(3, stride=1, padding=1);
        x + y |> max_pool(3, stride=2, padding=1) |> flatten |> dense(3)
    }",
    "net c {
        input image: f32[N, 1, 5, 5];
        let c = conv(1, kernel=3);
        image |> c |> relu |> c |> max_pool(2) |> flatten |> dense(3)
    }",
    "block affine {
        input x;
        param scale: f32[x.channels] = ones;
        param shift: f32[4, 3, 3] = zeros;
        param gain: f32[] = constant(0.5);
        (x * scale + shift) * gain
    }
    net d {
        input image: f32[N, 2, 6, 6];
        image |> conv(4, kernel=3, stride=2) |> affine |> relu |> flatten |> dense(3)
    }",
];

const TRAIN: &str = "train { loss = softmax_cross_entropy; optimizer = sgd(lr=0.1); batch = 2; }";

#[test]
fn tuned_modules_compute_the_same() {
    for net in NETS {
        let text = format!("{net}\n{TRAIN}");
        let unit = driver::read("a.net", &text, &Options::default()).unwrap();
        let portable = unit.portable(2, &[]).unwrap();
        let owners = manifest::owners(&portable);
        let (_, layouts) = layout::run(&portable, &owners).unwrap();
        let choices = Target::ALL.map(|target| (target, Parts::ForCache));
        for (target, parts) in choices.into_iter().chain([(Target::Cpu, Parts::Always)]) {
            let options = tune::Options {
                parts,
                ..tune::Options::default()
            };
            let tuned = tune_with(&portable, target, &options).unwrap();
            for (before, after) in portable.functions.iter().zip(&tuned.functions) {
                assert_eq!(before.name, after.name);
                assert_stored(before, after, &layouts, Draw::Distinct);
                let ops = || after.body.iter().map(|i| i.op.name());
                assert!(!ops().any(|op| op == "select_and_scatter"), "{target:?}");
            }
        }
    }
}

#[test]
fn every_pass_keeps_the_training_step() {
    let text = format!("{}\n{TRAIN}", NETS[1]);
    let unit = driver::read("a.net", &text, &Options::default()).unwrap();
    let mut module = unit.portable(2, &["train_step"]).unwrap();
    let owners = manifest::owners(&module);
    let (_, layouts) = layout::run(&module, &owners).unwrap();
    for pass in passes(Target::Cpu) {
        let next = pass.run(&module, &tune::Options::default()).unwrap();
        let stored = if pass.name == "layout" {
            &layouts
        } else {
            &Default::default()
        };
        assert_stored(
            &module.functions[0],
            &next.functions[0],
            stored,
            Draw::Distinct,
        );
        module = next;
    }
}

/// Whatever is left out, the rest computes the same, and nothing remains that
/// IREE gets wrong.
#[test]
fn optional_passes_may_be_left_out() {
    for net in &NETS[..2] {
        let text = format!("{net}\n{TRAIN}");
        let unit = driver::read("a.net", &text, &Options::default()).unwrap();
        let portable = unit.portable(2, &["train_step"]).unwrap();
        let owners = manifest::owners(&portable);
        let (_, layouts) = layout::run(&portable, &owners).unwrap();
        for name in OPTIONAL {
            let options = tune::Options {
                without: vec![(*name).to_owned()],
                ..tune::Options::default()
            };
            let tuned = tune_with(&portable, Target::Cpu, &options).unwrap();
            let stored = match *name {
                "layout" => &Default::default(),
                _ => &layouts,
            };
            let (before, after) = (&portable.functions[0], &tuned.functions[0]);
            assert_stored(before, after, stored, Draw::Distinct);
            for i in &after.body {
                let refused = match &i.op {
                    Op::Convolution(conv) => conv.batch_group_count > 1,
                    op => op.name() == "select_and_scatter",
                };
                assert!(!refused, "{:?} without {name}", i.op);
            }
        }
    }
}

#[test]
fn passes_that_make_programs_right_may_not() {
    let unit = driver::read("a.net", NETS[2], &Options::default()).unwrap();
    let options = tune::Options {
        without: vec!["pool-backward".to_owned()],
        ..tune::Options::default()
    };
    let module = unit.portable(2, &["forward"]).unwrap();
    let error = tune_with(&module, Target::Cpu, &options).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("cannot do without `pool-backward`"), "{text}");
}
