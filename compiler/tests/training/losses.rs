//! Every loss and its derivative by the logits, against PyTorch.
//!
//! Example n of a batch is the n-th unit vector, so that the weight of the
//! dense layer is the logits, row by row, and its gradient theirs; for labels
//! of pixels, position i of the batch has channel i alone, and the kernel is
//! the logits. Numbers without a derivation are PyTorch's, in f64.

use super::net::Net;
use super::programs;

/// Loss and derivative by the logits [n, k], by interpreter and IREE.
fn logits(loss: &str, logits: &[f32], label: &[i32]) -> [(f64, Vec<f64>); 2] {
    let (n, k) = (label.len(), logits.len() / label.len());
    let text = format!(
        "net a {{ input x: f32[N, {n}, 1, 1]; x |> flatten |> dense({k}, bias=false) }}
         train {{ loss = {loss}; }}"
    );
    let net = Net::new(&programs::runtime(), &text, n as i64, &["gradients"]);
    let image: Vec<f32> = (0..n * n)
        .map(|i| f32::from(u8::from(i % (n + 1) == 0)))
        .collect();
    net.gradient(logits, &image, label)
}

fn assert_near(found: [(f64, Vec<f64>); 2], loss: f64, gradient: &[f64]) {
    for ((found, slopes), tolerance) in found.into_iter().zip([1e-7, 2e-6]) {
        assert!(
            (found - loss).abs() <= tolerance * loss.max(1.0),
            "{found}, not {loss}"
        );
        assert_eq!(slopes.len(), gradient.len());
        for (found, expected) in slopes.iter().zip(gradient) {
            let error = (found - expected).abs();
            assert!(error <= tolerance * expected.abs().max(1.0), "{slopes:?}");
        }
    }
}

/// The other formulas in use give 0.740753 (K - 1 in the place of K) and
/// 0.691866 (targets that do not add up to 1).
#[test]
fn bug_45_label_smoothing() {
    let found = logits(
        "softmax_cross_entropy(label_smoothing=0.2)",
        &[2.0, 0.0, 0.0, 0.0],
        &[0],
    );
    let other = 0.046_255_135_257;
    let gradient = [-0.138_765_405_772, other, other, other];
    assert_near(found, 0.640_752_953_913_131_5, &gradient);
}

/// Without smoothing the module is that of the plain loss, to the byte.
#[test]
fn bug_45_no_smoothing_is_the_plain_loss() {
    let module = |loss: &str| {
        let text = format!(
            "net a {{ input x: f32[N, 1, 2, 2]; x |> flatten |> dense(3) }}
             train {{ loss = {loss}; }}"
        );
        super::net::unit(&text).portable(2, &[]).expect("a module")
    };
    let plain = module("softmax_cross_entropy");
    assert_eq!(module("softmax_cross_entropy(label_smoothing=0)"), plain);
    assert_ne!(module("softmax_cross_entropy(label_smoothing=0.1)"), plain);
}

/// A logit of minus infinity has no finite loss once it is to have some
/// probability, whatever the label; none of this is NaN.
#[test]
fn bug_44_smoothing_of_infinite_logits_is_infinite() {
    let z = [f32::NEG_INFINITY, 0.0, 0.0];
    for label in [0, 1] {
        let found = logits("softmax_cross_entropy(label_smoothing=0.1)", &z, &[label]);
        for (loss, _) in found {
            assert_eq!(loss, f64::INFINITY, "label {label}");
        }
    }
}

const LOGITS: [f32; 6] = [0.5, -1.25, 2.0, -0.75, 0.0, 1.5];
const LABELS: [i32; 2] = [2, 0];

#[test]
fn losses_of_several_classes() {
    let cases: [(&str, f64, [f64; 6]); 4] = [
        (
            "softmax_cross_entropy",
            1.383_347_293_894_102,
            [
                0.088_410_091_054,
                0.015_363_370_163,
                -0.103_773_461_217,
                -0.460_332_369_846,
                0.083_976_373_694,
                0.376_355_996_152,
            ],
        ),
        (
            "softmax_cross_entropy(label_smoothing=0.1)",
            1.412_513_960_560_748_8,
            [
                0.071_743_424_387,
                -0.001_303_296_503,
                -0.070_440_127_884,
                -0.426_999_036_513,
                0.067_309_707_028,
                0.359_689_329_485,
            ],
        ),
        (
            "mean_squared_error",
            1.354_166_666_666_666_7,
            [
                0.166_666_666_667,
                -0.416_666_666_667,
                0.333_333_333_333,
                -0.583_333_333_333,
                0.0,
                0.5,
            ],
        ),
        (
            "binary_cross_entropy",
            0.814_060_923_537_674_9,
            [
                0.103_743_221_867,
                0.037_116_689_804,
                -0.019_867_153_67,
                -0.113_196_449_863,
                0.083_333_333_333,
                0.136_262_412_699,
            ],
        ),
    ];
    for (loss, value, gradient) in cases {
        assert_near(logits(loss, &LOGITS, &LABELS), value, &gradient);
    }
}

/// The target of a single output is its label. At 0 the derivative is that of
/// the smooth function, a half and not the kink of one of its terms.
#[test]
fn losses_of_a_single_output() {
    let z = [0.5, -1.25, 0.0, 30.0, -30.0];
    let label = [1, 0, 1, 0, 1];
    assert_near(
        logits("binary_cross_entropy", &z, &label),
        12.283_830_649_217_123,
        &[-0.075_508_133_76, 0.044_540_027_765, -0.1, 0.2, -0.2],
    );
    assert_near(
        logits("mean_squared_error", &z, &label),
        372.762_5,
        &[-0.2, -0.5, -0.4, 12.0, -12.4],
    );
}

/// ln(1 + e^-100) = e^-100, which f32 does not hold, and -100 has loss 100.
#[test]
fn binary_cross_entropy_of_far_logits() {
    let [(exact, slopes), (rounded, rounded_slopes)] =
        logits("binary_cross_entropy", &[-100.0, 88.0], &[0, 1]);
    assert!(exact > 0.0 && exact < 1e-38, "{exact}");
    assert!((0.0..1e-37).contains(&rounded), "{rounded}");
    assert!(slopes.iter().all(|s| s.abs() < 1e-37), "{slopes:?}");
    assert!(
        rounded_slopes.iter().all(|s| s.abs() < 1e-37),
        "{rounded_slopes:?}"
    );
    assert_near(
        logits("binary_cross_entropy", &[-1e30, 1e30], &[1, 0]),
        f64::from(1e30f32),
        &[-0.5, 0.5],
    );
    // 1 / (1 + e^16) = 1.1253516e-7, with all its digits.
    let [_, (_, slopes)] = logits("binary_cross_entropy", &[-16.0], &[0]);
    assert!(
        (slopes[0] / 1.125_351_62e-7 - 1.0).abs() < 1e-5,
        "{slopes:?}"
    );
}

/// Two images of 1 x 2 with a label for each pixel: the mean over all pixels.
#[test]
fn losses_of_pixels() {
    let z: [[f32; 6]; 2] = [
        [0.5, -1.25, 2.0, -0.75, 0.0, 1.5],
        [1.0, -2.0, 0.25, 0.75, -0.5, 3.0],
    ];
    let run = |loss: &str| {
        let text = format!(
            "net a {{ input x: f32[N, 4, 1, 2]; x |> conv(3, kernel=1, bias=false) }}
             train {{ loss = {loss}; }}"
        );
        let net = Net::new(&programs::runtime(), &text, 2, &["gradients"]);
        // [n, channel, w]: channel 2 n + w alone.
        let image: Vec<f32> = (0..16)
            .map(|i| f32::from(u8::from(i / 2 % 4 == 2 * (i / 8) + i % 2)))
            .collect();
        // [k, 2 n + w] of the logits [n, k, w].
        let kernel: Vec<f32> = (0..12).map(|i| z[i % 4 / 2][2 * (i / 4) + i % 2]).collect();
        net.gradient(&kernel, &image, &[0, 2, 1, 1])
    };
    // PyTorch's gradients are in the order [n, k, w].
    let reordered = |gradient: [f64; 12]| -> Vec<f64> {
        let place = |i: usize| 6 * (i % 4 / 2) + 2 * (i / 4) + i % 2;
        (0..12).map(|i| gradient[place(i)]).collect()
    };
    let cases: [(&str, f64, [f64; 12]); 4] = [
        (
            "softmax_cross_entropy",
            1.399_260_860_752_423,
            [
                -0.208_937_093_094,
                0.013_667_660_226,
                0.184_031_181_078,
                0.022_534_162_136,
                0.024_905_912_016,
                -0.036_201_822_362,
                0.147_449_415_914,
                0.001_514_639_374,
                -0.180_349_827_701,
                -0.226_307_053_829,
                0.032_900_411_787,
                0.224_792_414_455,
            ],
        ),
        (
            "softmax_cross_entropy(label_smoothing=0.2)",
            1.474_260_860_752_423_2,
            [
                -0.175_603_759_76,
                -0.002_999_006_44,
                0.167_364_514_411,
                0.005_867_495_469,
                0.008_239_245_349,
                -0.002_868_489_029,
                0.130_782_749_248,
                -0.015_152_027_292,
                -0.147_016_494_368,
                -0.192_973_720_496,
                0.016_233_745_12,
                0.208_125_747_788,
            ],
        ),
        (
            "mean_squared_error",
            1.791_666_666_666_666_7,
            [
                -0.083_333_333_333,
                -0.208_333_333_333,
                0.333_333_333_333,
                -0.125,
                0.0,
                0.083_333_333_333,
                0.166_666_666_667,
                -0.333_333_333_333,
                -0.125,
                -0.041_666_666_667,
                -0.083_333_333_333,
                0.5,
            ],
        ),
        (
            "binary_cross_entropy",
            0.838_335_833_461_236_4,
            [
                -0.031_461_722_4,
                0.018_558_344_902,
                0.073_399_756_498,
                0.026_735_108_402,
                0.041_666_666_667,
                -0.015_202_126_984,
                0.060_921_548_219,
                0.009_933_576_835,
                -0.036_485_291_593,
                -0.026_735_108_402,
                0.031_461_722_4,
                0.079_381_177_235,
            ],
        ),
    ];
    for (loss, value, gradient) in cases {
        assert_near(run(loss), value, &reordered(gradient));
    }
}

/// Sums over examples of weight 1, and labels that are right: two of the three
/// classes' first largest, then signs, then sides of a half.
#[test]
fn evaluation_counts_what_each_loss_predicts() {
    let count = |loss: &str, logits: &[f32], label: &[i32], weight: &[f32]| {
        let (n, k) = (label.len(), logits.len() / label.len());
        let text = format!(
            "net a {{ input x: f32[N, {n}, 1, 1]; x |> flatten |> dense({k}, bias=false) }}
             train {{ loss = {loss}; }}"
        );
        let net = Net::new(&programs::runtime(), &text, n as i64, &["evaluate"]);
        let image: Vec<f32> = (0..n * n)
            .map(|i| f32::from(u8::from(i % (n + 1) == 0)))
            .collect();
        let state = net.state(&[("dense1.weight", logits)]);
        let found = net.program.evaluate(&state, &image, label, weight);
        found.expect("runs").correct
    };
    let ones = [1.0; 4];
    assert_eq!(
        count("softmax_cross_entropy", &LOGITS, &LABELS, &ones[..2]),
        1
    );
    let z = [0.25, 0.75, -0.25];
    // Above 0: yes, yes, no.
    assert_eq!(count("binary_cross_entropy", &z, &[1, 1, 0], &ones[..3]), 3);
    // Above a half: no, yes, no; the second example does not count.
    let weight = [1.0, 0.0, 1.0];
    assert_eq!(count("mean_squared_error", &z, &[0, 1, 1], &weight), 1);
    // NaN is on neither side.
    for label in [0, 1] {
        for loss in ["binary_cross_entropy", "mean_squared_error"] {
            assert_eq!(count(loss, &[f32::NAN], &[label], &ones[..1]), 0);
        }
    }
}

/// Sum over examples of their pixels' mean, and the number of right pixels.
#[test]
fn evaluation_of_pixels() {
    let text = "net a { input x: f32[N, 2, 1, 2]; x |> conv(2, kernel=1, bias=false) }";
    let net = Net::new(&programs::runtime(), text, 3, &["evaluate"]);
    let state = net.state(&[("conv1.weight", &[1.0, 0.0, 0.0, 1.0])]);
    // Logits (channel by channel): 100 and 0, then 0 and 0, of padding NaN.
    let image = [
        100.0,
        0.0,
        0.0,
        100.0,
        0.0,
        0.0,
        0.0,
        0.0,
        f32::NAN,
        0.0,
        0.0,
        0.0,
    ];
    let label = [0, 0, 0, 1, 0, 0];
    let found = net
        .program
        .evaluate(&state, &image, &label, &[1.0, 1.0, 0.0]);
    let found = found.expect("runs");
    // (0 + 100) / 2 and (ln 2 + ln 2) / 2.
    assert!((found.loss - 50.693_147).abs() < 1e-5, "{}", found.loss);
    // Of equal logits the first counts.
    assert_eq!(found.correct, 2);
}
