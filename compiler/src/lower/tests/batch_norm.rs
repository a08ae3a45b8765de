use super::{Mode, Source, assert_near, loss_and_updates, lowered, network, numbers, run};
use crate::reference::Tensor;
use crate::stablehlo::{ElementType, TensorType};

/// Running mean and variance after one training step of a net that has no
/// parameters, in the order of its buffers.
fn updated(text: &str, buffers: &[Tensor<f64>], image: &Tensor<f64>) -> Vec<Vec<f64>> {
    let batch = image.ty().shape[0];
    let source = Source::new("test.net", text);
    let function = loss_and_updates(&network(text), batch, &source).expect("lowered");
    let label = Tensor::integers(
        TensorType::new([batch], ElementType::I32),
        vec![0; batch as usize],
    );
    let mut arguments = buffers.to_vec();
    arguments.extend([image.clone(), label.expect("labels")]);
    let results = run(&function, &arguments).expect("a step");
    let of_state = |name: &Option<String>| name.as_deref().is_some_and(|n| n.contains("running"));
    let outputs = function.outputs.iter().zip(results);
    outputs
        .filter(|(output, _)| of_state(&output.name))
        .map(|(_, value)| value.to_f64())
        .collect()
}

const ONE: &str = "net a { input x: f32[N, 1, 1, 1]; x |> flatten |> batch_norm(affine=false) }";

fn fresh(channels: i64) -> [Tensor<f64>; 2] {
    let size = channels as usize;
    [
        numbers(&[channels], &vec![0.0; size]),
        numbers(&[channels], &vec![1.0; size]),
    ]
}

/// The mean is 3, the biased variance 3.5, the unbiased one 14 / 3, and 0.1 of
/// each comes in.
#[test]
fn bug_36_running_statistics_take_the_unbiased_variance() {
    let image = numbers(&[4, 1, 1, 1], &[1.0, 2.0, 3.0, 6.0]);
    let [mean, variance] = &updated(ONE, &fresh(1), &image)[..] else {
        panic!("two buffers")
    };
    assert_near(mean, &[0.3]);
    assert_near(variance, &[1.366_666_7]);
}

/// What is added inside the root stays out of what is remembered.
#[test]
fn bug_39_running_variance_is_without_eps() {
    let text = ONE.replace("affine=false", "affine=false, eps=1");
    let image = numbers(&[4, 1, 1, 1], &[1.0, 2.0, 3.0, 6.0]);
    let found = updated(&text, &fresh(1), &image);
    assert_near(&found[0], &[0.3]);
    assert_near(&found[1], &[1.366_666_7]);
}

#[test]
fn bug_38_running_variance_far_from_zero() {
    let image = numbers(&[4, 1, 1, 1], &[5800.0, 5801.0, 5802.0, 5803.0]);
    let found = updated(ONE, &fresh(1), &image);
    // 0.9 + 0.1 of 5 / 3.
    assert_near(&found[1], &[1.066_666_7]);
}

/// Two channels of two images, as torch.nn.functional.batch_norm updates them.
#[test]
fn running_statistics_of_images() {
    let text = |momentum: &str| {
        format!(
            "net a {{ input x: f32[N, 2, 2, 2]; x |> batch_norm({momentum}affine=false) |> flatten }}"
        )
    };
    let first = [
        1.0, 2.0, 3.0, 6.0, 0.5, -1.0, 2.0, 4.0, 0.0, 1.0, -2.0, 2.0, 3.0, 3.0, 1.0, 0.0,
    ];
    let second = first.map(|v| 2.0 * v - 1.0);
    let shape = [2, 2, 2, 2];
    let after = updated(&text(""), &fresh(2), &numbers(&shape, &first));
    assert_near(&after[0], &[0.1625, 0.15625]);
    assert_near(&after[1], &[1.441_071_428_6, 1.195_982_142_9]);
    let buffers = [numbers(&[2], &after[0]), numbers(&[2], &after[1])];
    let after = updated(&text(""), &buffers, &numbers(&shape, &second));
    assert_near(&after[0], &[0.37125, 0.353125]);
    assert_near(&after[1], &[3.46125, 2.2603125]);
    let after = updated(&text("momentum=0.5, "), &fresh(2), &numbers(&shape, &first));
    assert_near(&after[0], &[0.8125, 0.78125]);
    assert_near(&after[1], &[3.205_357_142_9, 1.979_910_714_3]);
}

/// A layer that is applied twice updates its statistics twice.
#[test]
fn a_shared_layer_updates_in_order() {
    let text = "net a { input x: f32[N, 1, 1, 1]; let n = batch_norm(affine=false);
                let y = x |> flatten; (y |> n) + (y + y |> n) }";
    let image = numbers(&[4, 1, 1, 1], &[1.0, 2.0, 3.0, 6.0]);
    let found = updated(text, &fresh(1), &image);
    // 0.3 and then 0.9 of that and 0.1 of 6; the second variance is four times 14 / 3.
    assert_near(&found[0], &[0.87]);
    assert_near(&found[1], &[0.9 * (0.9 + 1.4 / 3.0) + 5.6 / 3.0]);
}

#[test]
fn bug_41_evaluation_does_not_look_at_the_batch() {
    let function = lowered(ONE, 3, Mode::Evaluation).expect("lowered");
    let arguments = [
        numbers(&[1], &[2.0]),
        numbers(&[1], &[4.0]),
        numbers(&[3, 1, 1, 1], &[2.0, 6.0, -1e6]),
    ];
    let y = run(&function, &arguments).expect("logits")[0].to_f64();
    assert!((y[0], (y[1] - 2.0).abs() < 1e-5) == (0.0, true), "{y:?}");
}

/// The batch may be smaller than the one of the file; its size is known only
/// here.
#[test]
fn bug_37_one_value_per_channel_has_no_variance() {
    let error = lowered(ONE, 1, Mode::Training).expect_err("refused");
    let message = error.to_string();
    assert!(
        message.contains("`batch_norm1` has one value per channel"),
        "{message}"
    );
    assert!(message.contains("test.net:1:"), "{message}");
    lowered(ONE, 1, Mode::Evaluation).expect("evaluation takes one");
}
