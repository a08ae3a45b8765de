//! `cnnc bench`: what it prints adds up, and every layer is found in the profile.

use serde_json::Value;

use super::run::{CNNC, Folder, LINEAR};

/// A convolution, a block that is used twice in the same shape, a pool, two dense layers.
const SMALL: &str = "block twice(c) {
    input x;
    x |> conv(c, kernel=3, bias=false) |> batch_norm |> relu
}
net small {
    input image: f32[N, 2, 8, 8];
    image |> conv(4, kernel=1) |> twice(4) |> twice(4) |> max_pool(2) |> flatten |> dense(6) |> relu |> dense(3)
}
train { batch = 4; optimizer = sgd(lr=0.1, momentum=0.9); }
";

fn bench(folder: &Folder, words: &str) -> Value {
    let text = folder.cnnc(&format!("bench {words} --json")).success();
    serde_json::from_str(&text).unwrap()
}

fn number(value: &Value, key: &str) -> f64 {
    let number = value[key].as_f64();
    number.unwrap_or_else(|| panic!("{key}: {value}"))
}

fn assert_close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
}

#[test]
fn the_numbers_of_a_bench_fit_together() {
    let folder = Folder::new();
    folder.write("linear.net", LINEAR);
    let value = bench(&folder, "linear.net --rounds 3 --steps 2 --batch 5");
    assert_eq!(
        (&value["net"], &value["batch"]),
        (&"linear".into(), &5.into())
    );
    let mut rounds: Vec<f64> = value["round_ms"]
        .as_array()
        .unwrap()
        .iter()
        .map(|ms| ms.as_f64().unwrap())
        .collect();
    rounds.sort_by(f64::total_cmp);
    let [min, median, max] = rounds[..] else {
        panic!("{rounds:?}");
    };
    assert!(min > 0.0);
    for (key, expected) in [("min_ms", min), ("ms_per_step", median), ("max_ms", max)] {
        assert_close(number(&value, key), expected);
    }
    assert_close(number(&value, "images_per_second"), 5.0 * 1e3 / median);
    // Forward and the gradient of the weight; nobody asks for that of the image.
    assert_eq!(value["multiply_adds"], 2 * 5 * 784 * 10);
    let gflops = number(&value, "gflop_per_second");
    assert_close(gflops, 2.0 * f64::from(2 * 5 * 784 * 10) / median / 1e6);
    let peak = number(&value, "sgemm_gflop_per_second");
    assert_close(number(&value, "share_of_sgemm"), gflops / peak);
    if let Some(memory) = value["peak_memory_bytes"].as_u64() {
        assert!(memory > 1 << 20, "{memory}");
    }
    assert!(value.get("profile").is_none());
}

/// Each layer with weights is forward and backward in some dispatch, also where a block makes
/// several of the same text.
#[test]
fn the_profile_names_every_layer_with_weights() {
    let folder = Folder::new();
    folder.write("small.net", SMALL);
    let outcome = folder.cnnc("-v bench small.net --profile --rounds 1 --steps 2 --json");
    assert!(!outcome.stderr.contains("warning"), "{}", outcome.stderr);
    let value: Value = serde_json::from_str(&outcome.success()).unwrap();
    let profile = &value["profile"];
    let rows = profile["dispatches"].as_array().unwrap();
    let mut ms = number(profile, "outside_ms");
    for pair in rows.windows(2) {
        assert!(number(&pair[0], "ms") >= number(&pair[1], "ms"));
    }
    for row in rows {
        ms += number(row, "ms");
        assert!(
            row["dispatch"].as_str().unwrap().contains("_dispatch_"),
            "{row}"
        );
        assert!(number(row, "calls") >= 1.0, "{row}");
    }
    assert_close(ms, number(profile, "ms_per_step"));
    assert!(number(profile, "outside_ms") >= 0.0);
    let summary: Value =
        serde_json::from_str(&folder.cnnc("summary small.net --json").success()).unwrap();
    for layer in summary["layers"].as_array().unwrap() {
        let name = &layer["name"];
        let of_layer = |row: &&Value| row["layers"].as_array().unwrap().contains(name);
        let found = rows.iter().filter(of_layer).count();
        match layer["parameters"].as_u64() {
            Some(0) => {}
            _ => assert!(found >= 2, "{name}: {found} of {profile}"),
        }
    }
}

#[test]
fn a_table_for_people() {
    let folder = Folder::new();
    folder.write("linear.net", LINEAR);
    let text = folder
        .cnnc("bench linear.net --rounds 1 --steps 1 --profile --threads 1")
        .success();
    assert!(
        text.starts_with("linear, batch 12, on local-task"),
        "{text}"
    );
    for start in [
        "step ",
        "speed ",
        "work ",
        "layers ",
        "outside dispatches ",
        "step, profiled ",
    ] {
        assert!(
            text.lines().any(|line| line.starts_with(start)),
            "{start}: {text}"
        );
    }
    assert!(
        text.lines().any(|line| line.starts_with("dense1 ")),
        "{text}"
    );
}

/// A label for each pixel, and no `train` section.
#[test]
fn labels_per_pixel_are_made_up_too() {
    let folder = Folder::new();
    let net = "net pixels { input image: f32[N, 1, 6, 6]; image |> conv(3, kernel=3) }";
    folder.write("pixels.net", net);
    let value = bench(&folder, "pixels.net --rounds 1 --steps 1 --batch 2");
    assert_eq!(value["multiply_adds"], 2 * 2 * 36 * 9 * 3);
}

#[test]
fn steps_are_timed_on_request() {
    let folder = Folder::with_data();
    let words = "bench linear.net --steps 3 --serve";
    let text = folder.piped(CNNC, words, "go\ngo\n").success();
    let answers: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), 2);
    for answer in answers {
        assert!(number(&answer, "ms_per_step") > 0.0);
        assert!(number(&answer, "loss").is_finite());
        assert_eq!(answer["multiply_adds"], 2 * 12 * 784 * 10);
    }
}

#[test]
fn what_cannot_be_measured_is_one_error() {
    let folder = Folder::new();
    folder.write("linear.net", LINEAR);
    for (words, code, what) in [
        ("linear.net --batch 0", 2, "--batch"),
        ("linear.net --steps 0", 2, "--steps"),
        ("linear.net --rounds 0", 2, "--rounds"),
        ("linear.net --net other", 1, "other"),
        ("none.net", 1, "none.net"),
        ("linear.net --device gpu", 1, "gpu"),
    ] {
        let error = folder.cnnc(&format!("bench {words}")).one_error(code);
        assert!(error.contains(what), "{words}: {error}");
    }
}
