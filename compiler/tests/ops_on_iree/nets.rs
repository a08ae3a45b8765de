//! Faults that other libraries had in whole nets, as nets of `.net` text.

use super::programs;
use cnnc::driver;
use cnnc::network::Options;
use cnnc_runtime::device::Runtime;
use cnnc_runtime::program::{Gradients, Program};
use cnnc_runtime::state::{Snapshot, State};
use cnnc_runtime::tensor::{Elements, NamedTensor};

/// A net on the device.
pub struct Net {
    pub program: Program,
    runtime: Runtime,
}

impl Net {
    /// Some functions of the net, tuned and compiled.
    pub fn new(text: &str, batch: i64, functions: &[&str]) -> Self {
        let runtime = programs::runtime();
        let unit = driver::read("test.net", text, &Options::default()).expect("a net");
        let program = programs::program(&runtime, &unit, batch, functions);
        Net { program, runtime }
    }

    /// Parameters by name, in canonical layout.
    fn state(&self, values: &[(&str, &[f32])]) -> State {
        let manifest = self.program.manifest();
        let tensor = |name: &str, shape: &[usize]| {
            let of = values.iter().find(|(n, _)| *n == name);
            let (_, elements) = of.unwrap_or_else(|| panic!("no values for {name}"));
            NamedTensor {
                name: name.to_owned(),
                shape: shape.to_vec(),
                elements: Elements::F32(elements.to_vec()),
            }
        };
        let parameters = manifest.parameters.iter();
        let snapshot = Snapshot {
            parameters: parameters.map(|p| tensor(&p.name, &p.shape)).collect(),
            state: Vec::new(),
        };
        State::upload(&self.runtime, manifest, &snapshot).expect("uploaded")
    }
}

/// The values of a gradient.
fn gradient<'a>(gradients: &'a [NamedTensor], name: &str) -> &'a [f32] {
    let tensor = gradients.iter().find(|g| g.name == name);
    let tensor = tensor.unwrap_or_else(|| panic!("no gradient of {name}"));
    tensor.elements.as_f32().expect("f32")
}

/// The matrix that changes nothing.
fn identity(size: usize) -> Vec<f32> {
    let one = |i: usize| f32::from(u8::from(i.is_multiple_of(size + 1)));
    (0..size * size).map(one).collect()
}

/// A net whose logits are the bias of its only layer: the image is zero.
fn logits_by_bias(count: usize, end: &str) -> String {
    format!(
        "net logits {{ input image: f32[N, 1, 1, 1];
         image |> flatten |> dense({count}) {end} }}"
    )
}

#[test]
fn bug_13_derivative_of_relu_at_zero() {
    let net = Net::new(&logits_by_bias(6, "|> relu"), 1, &["forward", "pullback"]);
    let x = [-1.0, 0.0, -0.0, 3.0, 6.0, 7.0];
    let state = net.state(&[("dense1.weight", &[0.0; 6]), ("dense1.bias", &x)]);
    let y = net.program.forward(&state, &[0.0]).expect("logits");
    assert_eq!(y, [0.0, 0.0, 0.0, 3.0, 6.0, 7.0]);
    let dy = [1.0, 2.0, 32.0, 4.0, 8.0, 16.0];
    let gradients = net
        .program
        .pullback(&state, &[0.0], &dy)
        .expect("gradients");
    assert_eq!(
        gradient(&gradients, "dense1.bias"),
        [0.0, 0.0, 0.0, 4.0, 8.0, 16.0]
    );
}

#[test]
fn bug_15_nan_passes_relu_and_reaches_the_loss() {
    let functions = ["forward", "loss", "gradients", "pullback"];
    let net = Net::new(&logits_by_bias(3, "|> relu"), 1, &functions);
    let bias = [f32::NAN, -1.0, 2.0];
    let state = net.state(&[("dense1.weight", &[0.0; 3]), ("dense1.bias", &bias)]);
    let y = net.program.forward(&state, &[0.0]).expect("logits");
    assert!(y[0].is_nan());
    assert_eq!(y[1..], [0.0, 2.0]);
    // NaN is not above 0: its derivative is that of the dead side.
    let gradients = net
        .program
        .pullback(&state, &[0.0], &[5.0, 6.0, 7.0])
        .expect("gradients");
    assert_eq!(gradient(&gradients, "dense1.bias"), [0.0, 0.0, 7.0]);
    // One NaN among the weights shows in the loss, whatever the label.
    let weight = [1.0, f32::NAN, 2.0];
    let state = net.state(&[("dense1.weight", &weight), ("dense1.bias", &[0.0; 3])]);
    for label in 0..3 {
        let loss = net.program.loss(&state, &[1.0], &[label]).expect("a loss");
        assert!(loss.is_nan(), "label {label}: {loss}");
        let found = net
            .program
            .gradients(&state, &[1.0], &[label])
            .expect("gradients");
        assert!(found.loss.is_nan(), "label {label}: {}", found.loss);
    }
}

/// Loss and gradient of the logits, by our loss head.
fn loss_of(net: &Net, logits: &[f32; 3], label: i32) -> (f32, Vec<f32>) {
    let state = net.state(&[("dense1.weight", &[0.0; 3]), ("dense1.bias", logits)]);
    let Gradients { loss, gradients } = net
        .program
        .gradients(&state, &[0.0], &[label])
        .expect("gradients");
    (loss, gradient(&gradients, "dense1.bias").to_vec())
}

#[test]
fn bug_42_and_44_loss_of_far_and_infinite_logits() {
    let net = Net::new(&logits_by_bias(3, ""), 1, &["gradients"]);
    let far = [10000.0, 0.0, -10000.0];
    assert_eq!(loss_of(&net, &far, 0), (0.0, vec![0.0, 0.0, 0.0]));
    assert_eq!(loss_of(&net, &far, 1), (10000.0, vec![1.0, -1.0, 0.0]));
    assert_eq!(loss_of(&net, &far, 2), (20000.0, vec![1.0, 0.0, -1.0]));
    assert_eq!(
        loss_of(&net, &[-431.0, 279.0, 427.0], 0),
        (858.0, vec![-1.0, 0.0, 1.0])
    );
    let (loss, gradient) = loss_of(&net, &[f32::NEG_INFINITY, 0.0, 0.0], 1);
    assert!((loss - std::f32::consts::LN_2).abs() < 1e-6, "{loss}");
    assert_eq!(gradient, [0.0, -0.5, 0.5]);
    // What has no finite loss says so, rather than a number.
    let infinite = [f32::NEG_INFINITY; 3];
    assert!(!loss_of(&net, &infinite, 0).0.is_finite());
    assert!(!loss_of(&net, &[f32::INFINITY, 0.0, 0.0], 0).0.is_finite());
}

/// Ten examples in batches of four: the last batch is padded with examples of
/// weight 0, whose loss is NaN here.
#[test]
fn bug_48_padding_examples_do_not_count() {
    let text = "net scores { input image: f32[N, 2, 1, 1]; image |> flatten |> dense(2) }";
    let net = Net::new(text, 4, &["evaluate"]);
    let state = net.state(&[("dense1.weight", &identity(2)), ("dense1.bias", &[0.0; 2])]);
    let examples: Vec<[f32; 2]> = (0..10).map(|i| [0.0, 100.0 + i as f32]).collect();
    let totals = |label: i32| {
        let (mut loss, mut correct) = (0.0, 0);
        for batch in examples.chunks(4) {
            let mut image = batch.concat();
            image.resize(8, f32::NAN);
            let mut weight = vec![1.0; batch.len()];
            weight.resize(4, 0.0);
            let found = net.program.evaluate(&state, &image, &[label; 4], &weight);
            let found = found.expect("metrics");
            loss += found.loss;
            correct += found.correct;
        }
        (loss, correct)
    };
    // Label 1 has all the weight; label 0 lacks 100, 101, ... 109.
    assert_eq!(totals(1), (0.0, 10));
    assert_eq!(totals(0), (1045.0, 0));
}

/// x[c][h][w] = 100 h + 10 w + c, as two channels of 2x2.
const IMAGE: [f32; 8] = [0.0, 10.0, 100.0, 110.0, 1.0, 11.0, 101.0, 111.0];

#[test]
fn bug_69_flatten_is_channels_first() {
    let text = "net order { input image: f32[N, 2, 2, 2]; image |> flatten |> dense(8) }";
    let net = Net::new(text, 1, &["forward"]);
    let state = net.state(&[("dense1.weight", &identity(8)), ("dense1.bias", &[0.0; 8])]);
    assert_eq!(net.program.forward(&state, &IMAGE).expect("logits"), IMAGE);
}

/// After a convolution the tuned program flattens in another order and keeps
/// the rows of the dense weight permuted; nobody outside may notice.
#[test]
fn bug_69_flatten_is_channels_first_in_a_tuned_program_too() {
    let text = "net order { input image: f32[N, 2, 2, 2];
                image |> conv(2, kernel=1) |> flatten |> dense(8) }";
    let net = Net::new(text, 2, &["forward", "pullback"]);
    let stored = &net.program.manifest().parameters[2];
    assert_eq!(stored.name, "dense1.weight");
    let view = stored.stored.as_ref().map(|s| s.view.clone());
    assert_eq!(
        view.as_deref(),
        Some(&[2, 2, 2, 8][..]),
        "rows in the order h, w, c"
    );
    let mut image = IMAGE.to_vec();
    image.extend(IMAGE.map(|v| v + 1000.0));
    let state = net.state(&[
        ("conv1.weight", &identity(2)),
        ("conv1.bias", &[0.0; 2]),
        ("dense1.weight", &identity(8)),
        ("dense1.bias", &[0.0; 8]),
    ]);
    assert_eq!(net.program.forward(&state, &image).expect("logits"), image);
    // The gradient of logit 3 of example 0 by row k is x[k].
    let mut cotangent = [0.0; 16];
    cotangent[3] = 1.0;
    let gradients = net
        .program
        .pullback(&state, &image, &cotangent)
        .expect("gradients");
    let weight = gradient(&gradients, "dense1.weight");
    for (k, &value) in IMAGE.iter().enumerate() {
        for column in 0..8 {
            let expected = if column == 3 { value } else { 0.0 };
            assert_eq!(weight[8 * k + column], expected, "row {k}, column {column}");
        }
    }
    // Logit 3 is channel 0 at (1, 1).
    assert_eq!(
        gradient(&gradients, "conv1.weight"),
        [110.0, 111.0, 0.0, 0.0]
    );
    assert_eq!(gradient(&gradients, "conv1.bias"), [1.0, 0.0]);
}

/// The image is one pixel in the middle, so that the convolution's output is
/// its kernel reversed, and the kernel's gradient the output's reversed.
#[test]
fn bug_09_height_and_width_of_a_pool() {
    let text = "net pooled { input image: f32[N, 1, 3, 5];
                image |> conv(1, kernel=(3, 5), bias=false)
                      |> max_pool((2, 3), stride=(1, 2)) |> flatten }";
    let net = Net::new(text, 1, &["forward", "pullback"]);
    let reversed = |values: &[f32]| values.iter().rev().copied().collect::<Vec<f32>>();
    let x = [1., 5., 2., 4., 3., 9., 0., 7., 8., 6., 2., 3., 1., 9., 9.];
    let state = net.state(&[("conv1.weight", &reversed(&x))]);
    let mut image = [0.0; 15];
    image[7] = 1.0;
    let y = net.program.forward(&state, &image).expect("logits");
    assert_eq!(y, [9.0, 8.0, 9.0, 9.0]);
    let gradients = net
        .program
        .pullback(&state, &image, &[1., 2., 4., 8.])
        .expect("gradients");
    let dx = reversed(gradient(&gradients, "conv1.weight"));
    let expected = [0., 0., 0., 0., 0., 5., 0., 0., 2., 0., 0., 0., 0., 8., 0.];
    assert_eq!(dx, expected);
}

/// A buffer that is recycled without being cleared shows on the second call.
#[test]
fn bug_11_gradients_do_not_depend_on_earlier_steps() {
    let text = "net small { input image: f32[N, 1, 8, 8];
                image |> conv(4, kernel=3) |> relu |> max_pool(2) |> conv(4, kernel=3) |> relu
                      |> max_pool(3, stride=1) |> flatten |> dense(3) }";
    let image: Vec<f32> = (0..4 * 64)
        .map(|i| (i * 37 % 101) as f32 / 101.0 - 0.3)
        .collect();
    let label = [0, 2, 1, 2];
    let mut all: Vec<Gradients> = Vec::new();
    for _ in 0..2 {
        let net = Net::new(text, 4, &["init", "gradients", "train_step"]);
        let mut state = net.program.init(3).expect("parameters");
        for _ in 0..3 {
            all.push(
                net.program
                    .gradients(&state, &image, &label)
                    .expect("gradients"),
            );
            net.program
                .train_step(&mut state, &image, &label, 0.0, true)
                .expect("a step");
        }
    }
    assert!(all[0].gradients.iter().all(|g| g.norm() > 0.0));
    for (i, other) in all.iter().enumerate().skip(1) {
        assert!(
            *other == all[0],
            "call {i} gives other gradients than the first"
        );
    }
}
