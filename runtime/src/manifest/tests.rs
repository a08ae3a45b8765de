use super::*;
use serde_json::{Value, json};

/// The manifest of the contract, cut to one parameter.
fn contract() -> Value {
    json!({
        "version": 1, "net": "mnist_cnn", "batch": 128, "target": "cpu", "cpu": "znver4",
        "classes": 10,
        "inputs": [
            {"name": "image", "shape": [128, 1, 28, 28], "dtype": "f32"},
            {"name": "label", "shape": [128], "dtype": "i32"}
        ],
        "parameters": [{
            "name": "conv1.weight", "shape": [32, 1, 3, 3], "dtype": "f32", "role": "weight",
            "init": "he_normal", "fan_in": 9, "fan_out": 288,
            "stored": {"view": [32, 1, 3, 3], "permutation": [2, 3, 1, 0], "shape": [3, 3, 1, 32]}
        }],
        "state": [], "metrics": ["loss", "correct"], "optimizer": {"name": "sgd", "lr": 0.1}
    })
}

fn with(pointer: &str, value: Value) -> Result<Manifest, ManifestError> {
    let mut manifest = contract();
    *manifest.pointer_mut(pointer).expect("the place exists") = value;
    Manifest::parse(&manifest.to_string())
}

fn fault(pointer: &str, value: Value) -> String {
    with(pointer, value).expect_err("a fault").to_string()
}

#[test]
fn reads_the_contract() {
    let manifest = Manifest::parse(&contract().to_string()).expect("valid");
    assert_eq!(manifest.image_shape(), [1, 28, 28]);
    assert_eq!(manifest.image_elements(), 784);
    assert_eq!(manifest.parameter_elements(), 288);
    assert_eq!(manifest.parameters[0].stored_shape(), [3, 3, 1, 32]);
    assert_eq!(manifest.optimizer.expect("given").lr, 0.1);
}

#[test]
fn unsigned_types_have_both_spellings() {
    let state = |dtype: &str| json!([{"name": "step", "shape": [], "dtype": dtype}]);
    for spelling in ["u64", "ui64"] {
        let manifest = with("/state", state(spelling)).expect("valid");
        assert_eq!(manifest.state[0].dtype, Dtype::U64);
    }
}

#[test]
fn faults_name_their_values() {
    assert_eq!(
        fault("/version", json!(2)),
        "the program's manifest has version 2, this runtime reads version 1: \
         compile the network again"
    );
    assert_eq!(
        fault("/batch", json!(0)),
        "the program's manifest says batch = 0, at least 1 is needed"
    );
    assert_eq!(
        fault("/inputs/0/shape", json!([64, 1, 28, 28])),
        "the program's input `image` is f32[64, 1, 28, 28], expected f32[128, C, H, W]"
    );
    assert_eq!(
        fault("/inputs/1/dtype", json!("i64")),
        "the program's input `label` is i64[128], expected i32[128] or i32[128, H, W]"
    );
    assert_eq!(
        fault("/inputs/1/name", json!("target")),
        "the program's input `label` is missing, expected i32[128] or i32[128, H, W]"
    );
    assert_eq!(
        fault("/parameters/0/dtype", json!("i32")),
        "parameter `conv1.weight` is i32, expected f32"
    );
    assert_eq!(
        fault("/parameters/0/stored/permutation", json!([2, 3, 1, 1])),
        "storage layout of `conv1.weight`: permutation [2, 3, 1, 1] does not name each of the 4 \
         axes of view once"
    );
    assert_eq!(
        fault("/parameters/0/shape", json!([u64::MAX, 2])),
        "`conv1.weight` has shape [18446744073709551615, 2]: too many elements"
    );
}

#[test]
fn state_belongs_to_something_of_its_form() {
    let entry = |of: &str, shape: Value, stored: Value| {
        json!([{"name": "a", "shape": shape, "dtype": "f32", "role": "average", "of": of,
                "stored": stored}])
    };
    let stored = contract()["parameters"][0]["stored"].clone();
    let whole = json!([32, 1, 3, 3]);
    let right = entry("conv1.weight", whole.clone(), stored.clone());
    let manifest = with("/state", right).expect("valid");
    assert_eq!(manifest.state[0].of.as_deref(), Some("conv1.weight"));
    assert_eq!(
        fault("/state", entry("conv2.weight", whole.clone(), stored)),
        "the program's manifest says that `a` belongs to `conv2.weight`, which is not there"
    );
    assert_eq!(
        fault("/state", entry("conv1.weight", whole, Value::Null)),
        "the program's manifest says that `a` belongs to `conv1.weight`, which is not of its form"
    );
}

#[test]
fn what_a_training_step_takes_and_reports() {
    let metrics = json!(["loss", "correct", "gradient_norm"]);
    assert!(with("/metrics", metrics).expect("valid").reports_norm());
    assert_eq!(
        fault("/metrics", json!(["loss", "error"])),
        "the program's `train_step` reports [\"loss\", \"error\"], expected loss, correct and \
         maybe gradient_norm"
    );
    let optimizer = |count: u64| json!({"name": "sgd", "lr": 0.1, "accumulate": count});
    let manifest = with("/optimizer", optimizer(4)).expect("valid");
    assert_eq!((manifest.accumulate(), manifest.reports_norm()), (4, false));
    assert_eq!(
        fault("/optimizer", optimizer(0)),
        "the program's manifest says accumulate = 0, at least 1 is needed"
    );
    assert_eq!(with("/batch", json!(128)).expect("valid").accumulate(), 1);
}

/// A network that labels each pixel of an image.
#[test]
fn labels_of_pixels() {
    let manifest = with("/inputs/1/shape", json!([128, 28, 28])).expect("valid");
    assert_eq!(manifest.label_shape(), [28, 28]);
    assert_eq!(manifest.labels_per_example(), 784);
    assert_eq!(manifest.needs().labels, [28, 28]);
    let plain = with("/batch", json!(128)).expect("valid");
    assert_eq!(
        (plain.label_shape(), plain.labels_per_example()),
        (&[][..], 1)
    );
    assert_eq!(plain.logits, [128, 10]);
    let message = fault("/inputs/1/shape", json!([128, 14, 14]));
    assert!(
        message.contains("`label` is i32[128, 14, 14], expected "),
        "{message}"
    );
}

#[test]
fn text_that_is_no_manifest() {
    let message = Manifest::parse("").expect_err("no JSON").to_string();
    assert!(message.contains("line 1 column 0"), "{message}");
    let message = Manifest::parse("{}").expect_err("no version").to_string();
    assert!(message.contains("has version none"), "{message}");
    let message = fault("/parameters/0/dtype", json!("f16"));
    assert!(message.contains("f16"), "{message}");
}

#[test]
fn programs_of_two_batches_share_parameters() {
    let large = Manifest::parse(&contract().to_string()).expect("valid");
    let mut small = contract();
    small["batch"] = json!(96);
    small["inputs"][0]["shape"][0] = json!(96);
    small["inputs"][1]["shape"][0] = json!(96);
    let small = Manifest::parse(&small.to_string()).expect("valid");
    assert_eq!(large.difference(&small), None);

    let mut canonical = small;
    canonical.parameters[0].stored = None;
    assert_eq!(
        large.difference(&canonical).expect("another layout"),
        "`conv1.weight` f32[32, 1, 3, 3] kept as [3, 3, 1, 32] against `conv1.weight` \
         f32[32, 1, 3, 3] kept as [32, 1, 3, 3]"
    );
}
