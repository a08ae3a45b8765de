//! Whole nets, as `.net` text.

use std::collections::BTreeMap;

/// What a function takes and gives by name.
pub type Named = BTreeMap<String, Vec<f32>>;

/// Makes a net of a text, for a batch, with some functions: on IREE, or in the
/// interpreter.
pub type Make<'a> = &'a dyn Fn(&str, i64, &[&str]) -> Box<dyn Net>;

/// The functions of a net. Parameters are given by name, in canonical layout.
pub trait Net {
    /// Logits.
    fn forward(&self, parameters: &[Parameter<'_>], image: &[f32]) -> Vec<f32>;
    /// The mean loss.
    fn loss(&self, parameters: &[Parameter<'_>], image: &[f32], label: &[i32]) -> f32;
    /// The mean loss and its gradient by each parameter.
    fn gradients(&self, parameters: &[Parameter<'_>], image: &[f32], label: &[i32])
    -> (f32, Named);
    /// The gradients of a loss with this derivative by the logits.
    fn pullback(&self, parameters: &[Parameter<'_>], image: &[f32], cotangent: &[f32]) -> Named;
    /// The sum of losses times weights, and how many are right.
    fn evaluate(
        &self,
        parameters: &[Parameter<'_>],
        image: &[f32],
        label: &[i32],
        weight: &[f32],
    ) -> (f32, u64);
}

/// A parameter's name and values.
pub type Parameter<'a> = (&'a str, &'a [f32]);

/// A name, and what is checked.
pub type Check = (&'static str, fn(Make<'_>));

/// Every case by name.
pub const ALL: [Check; 8] = [
    (
        "bug_09_height_and_width_of_a_pool",
        height_and_width_of_a_pool,
    ),
    (
        "bug_13_derivative_of_relu_at_zero",
        derivative_of_relu_at_zero,
    ),
    (
        "bug_15_nan_passes_relu_and_reaches_the_loss",
        nan_passes_relu,
    ),
    ("bug_42_loss_of_far_logits", loss_of_far_logits),
    ("bug_44_loss_of_infinite_logits", loss_of_infinite_logits),
    (
        "bug_48_padding_examples_do_not_count",
        padding_examples_do_not_count,
    ),
    (
        "bug_69_flatten_is_channels_first",
        flatten_is_channels_first,
    ),
    (
        "bug_69_flatten_after_a_convolution",
        flatten_after_a_convolution,
    ),
];

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

fn derivative_of_relu_at_zero(make: Make<'_>) {
    let net = make(&logits_by_bias(6, "|> relu"), 1, &["forward", "pullback"]);
    let x = [-1.0, 0.0, -0.0, 3.0, 6.0, 7.0];
    let parameters: [Parameter<'_>; 2] = [("dense1.weight", &[0.0; 6]), ("dense1.bias", &x)];
    let y = net.forward(&parameters, &[0.0]);
    assert_eq!(y, [0.0, 0.0, 0.0, 3.0, 6.0, 7.0]);
    let dy = [1.0, 2.0, 32.0, 4.0, 8.0, 16.0];
    let gradients = net.pullback(&parameters, &[0.0], &dy);
    assert_eq!(gradients["dense1.bias"], [0.0, 0.0, 0.0, 4.0, 8.0, 16.0]);
}

fn nan_passes_relu(make: Make<'_>) {
    let functions = ["forward", "loss", "gradients", "pullback"];
    let net = make(&logits_by_bias(3, "|> relu"), 1, &functions);
    let bias = [f32::NAN, -1.0, 2.0];
    let parameters: [Parameter<'_>; 2] = [("dense1.weight", &[0.0; 3]), ("dense1.bias", &bias)];
    let y = net.forward(&parameters, &[0.0]);
    assert!(y[0].is_nan());
    assert_eq!(y[1..], [0.0, 2.0]);
    // NaN is not above 0: its derivative is that of the dead side.
    let gradients = net.pullback(&parameters, &[0.0], &[5.0, 6.0, 7.0]);
    assert_eq!(gradients["dense1.bias"], [0.0, 0.0, 7.0]);
    // One NaN among the weights shows in the loss, whatever the label.
    let weight = [1.0, f32::NAN, 2.0];
    let parameters: [Parameter<'_>; 2] = [("dense1.weight", &weight), ("dense1.bias", &[0.0; 3])];
    for label in 0..3 {
        let loss = net.loss(&parameters, &[1.0], &[label]);
        assert!(loss.is_nan(), "label {label}: {loss}");
        let (loss, _) = net.gradients(&parameters, &[1.0], &[label]);
        assert!(loss.is_nan(), "label {label}: {loss}");
    }
}

/// Loss and gradient of the logits, by our loss head.
fn loss_of(net: &dyn Net, logits: &[f32; 3], label: i32) -> (f32, Vec<f32>) {
    let parameters: [Parameter<'_>; 2] = [("dense1.weight", &[0.0; 3]), ("dense1.bias", logits)];
    let (loss, gradients) = net.gradients(&parameters, &[0.0], &[label]);
    (loss, gradients["dense1.bias"].clone())
}

fn loss_of_far_logits(make: Make<'_>) {
    let net = make(&logits_by_bias(3, ""), 1, &["gradients"]);
    let loss = |logits, label| loss_of(&*net, logits, label);
    let far = [10000.0, 0.0, -10000.0];
    assert_eq!(loss(&far, 0), (0.0, vec![0.0, 0.0, 0.0]));
    assert_eq!(loss(&far, 1), (10000.0, vec![1.0, -1.0, 0.0]));
    assert_eq!(loss(&far, 2), (20000.0, vec![1.0, 0.0, -1.0]));
    let near = loss(&[-431.0, 279.0, 427.0], 0);
    assert_eq!(near, (858.0, vec![-1.0, 0.0, 1.0]));
}

fn loss_of_infinite_logits(make: Make<'_>) {
    let net = make(&logits_by_bias(3, ""), 1, &["gradients"]);
    let (loss, gradient) = loss_of(&*net, &[f32::NEG_INFINITY, 0.0, 0.0], 1);
    assert!((loss - std::f32::consts::LN_2).abs() < 1e-6, "{loss}");
    assert_eq!(gradient, [0.0, -0.5, 0.5]);
    // What has no finite loss says so, rather than a number.
    let infinite = [f32::NEG_INFINITY; 3];
    assert!(!loss_of(&*net, &infinite, 0).0.is_finite());
    let above = [f32::INFINITY, 0.0, 0.0];
    assert!(!loss_of(&*net, &above, 0).0.is_finite());
}

/// Ten examples in batches of four: the last batch is padded with examples of
/// weight 0, whose loss is NaN here.
fn padding_examples_do_not_count(make: Make<'_>) {
    let text = "net scores { input image: f32[N, 2, 1, 1]; image |> flatten |> dense(2) }";
    let net = make(text, 4, &["evaluate"]);
    let weight = identity(2);
    let parameters: [Parameter<'_>; 2] = [("dense1.weight", &weight), ("dense1.bias", &[0.0; 2])];
    let examples: Vec<[f32; 2]> = (0..10).map(|i| [0.0, 100.0 + i as f32]).collect();
    let totals = |label: i32| {
        let (mut loss, mut correct) = (0.0, 0);
        for batch in examples.chunks(4) {
            let mut image = batch.concat();
            image.resize(8, f32::NAN);
            let mut weight = vec![1.0; batch.len()];
            weight.resize(4, 0.0);
            let found = net.evaluate(&parameters, &image, &[label; 4], &weight);
            loss += found.0;
            correct += found.1;
        }
        (loss, correct)
    };
    // Label 1 has all the weight; label 0 lacks 100, 101, ... 109.
    assert_eq!(totals(1), (0.0, 10));
    assert_eq!(totals(0), (1045.0, 0));
}

/// x[c][h][w] = 100 h + 10 w + c, as two channels of 2x2.
const IMAGE: [f32; 8] = [0.0, 10.0, 100.0, 110.0, 1.0, 11.0, 101.0, 111.0];

fn flatten_is_channels_first(make: Make<'_>) {
    let text = "net order { input image: f32[N, 2, 2, 2]; image |> flatten |> dense(8) }";
    let net = make(text, 1, &["forward"]);
    let weight = identity(8);
    let parameters: [Parameter<'_>; 2] = [("dense1.weight", &weight), ("dense1.bias", &[0.0; 8])];
    assert_eq!(net.forward(&parameters, &IMAGE), IMAGE);
}

/// A net that a tuned program flattens in another order, with the rows of the
/// dense weight permuted; nobody outside may notice.
pub const FLATTENED: &str = "net order { input image: f32[N, 2, 2, 2];
    image |> conv(2, kernel=1) |> flatten |> dense(8) }";

fn flatten_after_a_convolution(make: Make<'_>) {
    let net = make(FLATTENED, 2, &["forward", "pullback"]);
    let mut image = IMAGE.to_vec();
    image.extend(IMAGE.map(|v| v + 1000.0));
    let (kernel, weight) = (identity(2), identity(8));
    let parameters: [Parameter<'_>; 4] = [
        ("conv1.weight", &kernel),
        ("conv1.bias", &[0.0; 2]),
        ("dense1.weight", &weight),
        ("dense1.bias", &[0.0; 8]),
    ];
    assert_eq!(net.forward(&parameters, &image), image);
    // The gradient of logit 3 of example 0 by row k is x[k].
    let mut cotangent = [0.0; 16];
    cotangent[3] = 1.0;
    let gradients = net.pullback(&parameters, &image, &cotangent);
    for (k, &value) in IMAGE.iter().enumerate() {
        for column in 0..8 {
            let expected = if column == 3 { value } else { 0.0 };
            let found = gradients["dense1.weight"][8 * k + column];
            assert_eq!(found, expected, "row {k}, column {column}");
        }
    }
    // Logit 3 is channel 0 at (1, 1).
    assert_eq!(gradients["conv1.weight"], [110.0, 111.0, 0.0, 0.0]);
    assert_eq!(gradients["conv1.bias"], [1.0, 0.0]);
}

/// The image is one pixel in the middle, so that the convolution's output is
/// its kernel reversed, and the kernel's gradient the output's reversed.
fn height_and_width_of_a_pool(make: Make<'_>) {
    let text = "net pooled { input image: f32[N, 1, 3, 5];
                image |> conv(1, kernel=(3, 5), bias=false)
                      |> max_pool((2, 3), stride=(1, 2)) |> flatten }";
    let net = make(text, 1, &["forward", "pullback"]);
    let reversed = |values: &[f32]| values.iter().rev().copied().collect::<Vec<f32>>();
    let kernel = reversed(&[1., 5., 2., 4., 3., 9., 0., 7., 8., 6., 2., 3., 1., 9., 9.]);
    let parameters: [Parameter<'_>; 1] = [("conv1.weight", &kernel)];
    let mut image = [0.0; 15];
    image[7] = 1.0;
    let y = net.forward(&parameters, &image);
    assert_eq!(y, [9.0, 8.0, 9.0, 9.0]);
    let gradients = net.pullback(&parameters, &image, &[1., 2., 4., 8.]);
    let dx = reversed(&gradients["conv1.weight"]);
    let expected = [0., 0., 0., 0., 0., 5., 0., 0., 2., 0., 0., 0., 0., 8., 0.];
    assert_eq!(dx, expected);
}
