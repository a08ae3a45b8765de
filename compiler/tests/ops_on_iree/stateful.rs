//! Layers with model state, as a compiled program runs them: running statistics
//! move, masks follow seed and step, and evaluation uses neither batch nor mask.

use super::nets::Net;
use cnnc::driver;
use cnnc::network::Options;
use cnnc_runtime::state::{Snapshot, State};
use cnnc_runtime::tensor::{Elements, NamedTensor};

fn downloaded(net: &Net, state: &State) -> Snapshot {
    state.download(net.program.manifest()).expect("a snapshot")
}

/// The elements of a piece of model state.
fn model_state<'a>(snapshot: &'a Snapshot, name: &str) -> &'a Elements {
    let tensor = snapshot.state.iter().find(|tensor| tensor.name == name);
    &tensor.unwrap_or_else(|| panic!("no {name}")).elements
}

fn floats<'a>(snapshot: &'a Snapshot, name: &str) -> &'a [f32] {
    model_state(snapshot, name).as_f32().expect("floats")
}

fn assert_near(found: &[f32], expected: &[f32]) {
    let near = |(f, e): (&f32, &f32)| (f - e).abs() <= 1e-6 * e.abs().max(1.0);
    let fits = found.len() == expected.len() && found.iter().zip(expected).all(near);
    assert!(fits, "{found:?} is not {expected:?}");
}

/// The mean is 3, the unbiased variance 14 / 3; 0.1 of each comes in.
#[test]
fn bug_36_and_41_running_statistics() {
    let text = "net a { input image: f32[N, 1, 1, 1]; image |> flatten |> batch_norm } train { batch = 4; }";
    let net = Net::new(text, 4, &["init", "forward", "train_step"]);
    let mut state = net.program.init(0).expect("a state");
    let image = [1.0, 2.0, 3.0, 6.0];
    net.program
        .train_step(&mut state, &image, &[0; 4], 0.0, true)
        .expect("a step");
    let after = downloaded(&net, &state);
    assert_near(floats(&after, "batch_norm1.running_mean"), &[0.3]);
    assert_near(floats(&after, "batch_norm1.running_var"), &[1.366_666_7]);
    // Evaluation: each example by itself, whatever its batch mates.
    let deviation = (1.366_666_7_f32 + 1e-5).sqrt();
    let expected = image.map(|x| (x - 0.3) / deviation);
    let y = net.program.forward(&state, &image).expect("logits");
    assert_near(&y, &expected);
    let other = [1.0, -50.0, 3.0, 600.0];
    let y = net.program.forward(&state, &other).expect("logits");
    assert_near(&[y[0], y[2]], &[expected[0], expected[2]]);
    assert_eq!(downloaded(&net, &state), after);
}

/// A step at a learning rate of 0 moves statistics and nothing else; two
/// channels of two images, as torch.nn.functional.batch_norm updates them.
#[test]
fn running_statistics_behind_a_convolution() {
    let text = "net a { input image: f32[N, 2, 2, 2];
                image |> conv(2, kernel=1, bias=false, init=ones) |> batch_norm |> flatten }
                train { batch = 2; }";
    let net = Net::new(text, 2, &["init", "train_step"]);
    let mut snapshot = downloaded(&net, &net.program.init(0).expect("a state"));
    // A convolution that changes nothing.
    for parameter in &mut snapshot.parameters {
        if let ("conv1.weight", Elements::F32(values)) =
            (parameter.name.as_str(), &mut parameter.elements)
        {
            values.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
        }
    }
    let manifest = net.program.manifest();
    let mut state = State::upload(net.program.runtime(), manifest, &snapshot).expect("uploaded");
    let first = [
        1.0, 2.0, 3.0, 6.0, 0.5, -1.0, 2.0, 4.0, 0.0, 1.0, -2.0, 2.0, 3.0, 3.0, 1.0, 0.0,
    ];
    for (image, mean, variance) in [
        (first, [0.1625, 0.15625], [1.441_071_4, 1.195_982_1]),
        (
            first.map(|v| 2.0 * v - 1.0),
            [0.37125, 0.353_125],
            [3.461_25, 2.260_312_5],
        ),
    ] {
        net.program
            .train_step(&mut state, &image, &[0, 1], 0.0, true)
            .expect("a step");
        let after = downloaded(&net, &state);
        assert_near(floats(&after, "batch_norm1.running_mean"), &mean);
        assert_near(floats(&after, "batch_norm1.running_var"), &variance);
        assert_eq!(after.parameters, snapshot.parameters);
    }
}

fn gradient<'a>(gradients: &'a [NamedTensor], name: &str) -> &'a [f32] {
    let tensor = gradients.iter().find(|tensor| tensor.name == name);
    let tensor = tensor.unwrap_or_else(|| panic!("no gradient of {name}"));
    tensor.elements.as_f32().expect("floats")
}

/// The patterns are those that bench/dropout_mask.py prints.
#[test]
fn bug_57_masks_follow_seed_and_step() {
    let text =
        "net a { input image: f32[N, 1, 3, 5]; image |> flatten |> dense(15) |> dropout(0.25) }
                train { batch = 1; }";
    let net = Net::new(text, 1, &["init", "forward", "pullback", "train_step"]);
    let mut state = net.program.init(7).expect("a state");
    let image = [3.0; 15];
    let before = net.program.forward(&state, &image).expect("logits");
    assert!(before.iter().all(|&v| v != 0.0), "{before:?}");
    for expected in MASKS {
        let gradients = net
            .program
            .pullback(&state, &image, &[0.75; 15])
            .expect("gradients");
        let bias = gradient(&gradients, "dense1.bias");
        let mask: String = bias
            .iter()
            .map(|&v| if v == 0.0 { '.' } else { 'x' })
            .collect();
        assert_eq!(mask, expected);
        assert!(bias.iter().all(|&v| v == 0.0 || v == 1.0), "{bias:?}");
        net.program
            .train_step(&mut state, &image, &[2], 0.0, true)
            .expect("a step");
    }
    // Evaluation drops nothing, before training or after.
    assert_eq!(net.program.forward(&state, &image).expect("logits"), before);
    let after = downloaded(&net, &state);
    assert_eq!(model_state(&after, "random:seed"), &Elements::U64(vec![7]));
    assert_eq!(
        model_state(&after, "random:counter"),
        &Elements::U32(vec![2])
    );
}

/// Seed 7, steps 0 and 1, layer 2.
const MASKS: [&str; 2] = [".xxxxxxx.xxx.xx", "xxxxxxxxxxxx.xx"];

/// The share of the batch in the running statistics; numbers of PyTorch.
#[test]
fn momentum_is_the_share_of_the_batch() {
    let text = "net a { input image: f32[N, 1, 1, 1];
                image |> flatten |> batch_norm(momentum=0.5, eps=1) } train { batch = 4; }";
    let net = Net::new(text, 4, &["init", "train_step"]);
    let mut state = net.program.init(0).expect("a state");
    for (mean, variance) in [(1.5, 2.833_333_3), (2.25, 3.75)] {
        net.program
            .train_step(&mut state, &[1.0, 2.0, 3.0, 6.0], &[0; 4], 0.0, true)
            .expect("a step");
        let after = downloaded(&net, &state);
        assert_near(floats(&after, "batch_norm1.running_mean"), &[mean]);
        assert_near(floats(&after, "batch_norm1.running_var"), &[variance]);
    }
}

/// All are dropped, or none: no NaN, forward or backward.
#[test]
fn bug_57_rates_0_and_1() {
    for (rate, kept) in [("0", 1.0), ("1", 0.0)] {
        let text = format!(
            "net a {{ input image: f32[N, 1, 3, 5];
             image |> flatten |> dense(15) |> dropout({rate}) |> drop_path({rate}) }}
             train {{ batch = 1; }}"
        );
        let net = Net::new(
            &text,
            1,
            &["init", "forward", "pullback", "loss", "train_step"],
        );
        let mut state = net.program.init(7).expect("a state");
        let image = [3.0; 15];
        let gradients = net.program.pullback(&state, &image, &[0.75; 15]);
        let gradients = gradients.expect("gradients");
        assert_eq!(gradient(&gradients, "dense1.bias"), [0.75 * kept; 15]);
        assert_eq!(gradient(&gradients, "dense1.weight"), [2.25 * kept; 225]);
        let step = net
            .program
            .train_step(&mut state, &image, &[2], 0.0, true)
            .expect("a step");
        // Logits of 0 have the loss ln 15; with none dropped it is that of evaluation.
        let expected = match rate {
            "0" => net.program.loss(&state, &image, &[2]).expect("a loss"),
            _ => 15f32.ln(),
        };
        assert!((step.loss - expected).abs() < 1e-5, "{}", step.loss);
        let y = net.program.forward(&state, &image).expect("logits");
        assert!(y.iter().all(|&v| v.is_finite() && v != 0.0), "{y:?}");
    }
}

/// Which examples are kept, by bench/dropout_mask.py: the gradient of the bias is the sum of
/// their cotangents, 1, 2, 4, ..., each divided by a half.
#[test]
fn whole_examples_follow_seed_and_step() {
    let text =
        "net a { input image: f32[N, 1, 1, 2]; image |> flatten |> dense(2) |> drop_path(0.5) }
                train { batch = 8; }";
    let net = Net::new(text, 8, &["init", "pullback", "train_step"]);
    let mut state = net.program.init(7).expect("a state");
    let image = [1.0; 16];
    let cotangent: Vec<f32> = (0..16).map(|i| f32::from(1u8 << (i / 2))).collect();
    for expected in [".xxx..xx", ".x.x.xxx"] {
        let gradients = net.program.pullback(&state, &image, &cotangent);
        let gradients = gradients.expect("gradients");
        let bias = gradient(&gradients, "dense1.bias");
        assert_eq!(bias[0], bias[1]);
        let sum = bias[0] as u32;
        let kept = (0..8).map(|n| if sum >> (n + 1) & 1 == 1 { 'x' } else { '.' });
        assert_eq!(kept.collect::<String>(), expected);
        assert_eq!(sum & 1, 0);
        net.program
            .train_step(&mut state, &image, &[1; 8], 0.0, true)
            .expect("a step");
    }
}

/// Normalisation over few channels, which has hung a compiler elsewhere.
#[test]
fn bug_33_batch_norm_of_few_channels() {
    for channels in [1, 3, 5, 7, 8] {
        let text = format!(
            "net a {{ input image: f32[N, {channels}, 8, 8]; image |> batch_norm |> relu |> flatten }}
             train {{ batch = 2; }}"
        );
        let net = Net::new(&text, 2, &["init", "train_step"]);
        let mut state = net.program.init(0).expect("a state");
        let count = 2 * 64 * channels;
        let image: Vec<f32> = (0..count).map(|i| (i * 7 % 11) as f32).collect();
        let step = net
            .program
            .train_step(&mut state, &image, &[0, 1], 0.1, true)
            .expect("a step");
        assert!(step.loss.is_finite(), "{channels} channels: {}", step.loss);
    }
}

/// A batch of one example is known when a program is compiled for it.
#[test]
fn bug_37_a_batch_of_one_is_refused_with_its_layer() {
    let text =
        "net a { input image: f32[N, 4, 1, 1]; image |> flatten |> dense(4) |> batch_norm |> dense(2) }
                train { batch = 4; }";
    let unit = driver::read("a.net", text, &Options::default()).expect("a net");
    let error = unit.portable(1, &["train_step"]).expect_err("refused");
    let message = error.to_string();
    assert!(
        message.contains("`batch_norm1` has one value per channel"),
        "{message}"
    );
    unit.portable(1, &["forward", "evaluate"])
        .expect("evaluation takes one");
}
