//! `cnnc tune`: what it measures is kept and used, and only on the machine that it was measured on.

use serde_json::{Value, json};

use super::run::{Folder, Outcome};

const SMALL: &str = "net small {
    input image: f32[N, 1, 8, 8];
    image |> conv(16, kernel=3) |> relu |> conv(16, kernel=3) |> relu |> flatten |> dense(3)
}
train { batch = 4; }
";

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// With a cache of its own.
fn cnnc(folder: &Folder, words: &str) -> Outcome {
    folder.cnnc_with("XDG_CACHE_HOME", folder.path("cache"), words)
}

/// What tables of this machine say that they are of.
fn machine(folder: &Folder) -> String {
    let doctor = read(&folder.cnnc("doctor --json").success());
    let mut findings = doctor["findings"].as_array().unwrap().iter();
    let finding = findings.find(|f| f["what"] == "table of costs");
    let details = &finding.unwrap()["details"];
    details[1].as_str().unwrap().to_owned()
}

#[test]
fn forms_are_measured() {
    let folder = Folder::new();
    folder.write("small.net", SMALL);
    let found = read(&cnnc(&folder, "tune small.net --rounds 3 --dry-run --json").success());
    assert_eq!(
        (&found["net"], &found["batch"]),
        (&"small".into(), &4.into())
    );
    let choices = found["choices"].as_array().unwrap();
    let keys: Vec<&str> = choices.iter().map(|c| c["key"].as_str().unwrap()).collect();
    assert_eq!(
        keys,
        [
            "convolution f32 4x8x8x1 3x3x1x16 4x8x8x16 padding 1,1,1,1",
            "convolution f32 4x8x8x16 3x3x16x16 4x8x8x16 padding 1,1,1,1",
            "weight-gradient f32 4x8x8x16 3x3x16x16 4x8x8x16 padding 1,1,1,1",
        ]
    );
    for choice in choices {
        let times = choice["ms"].as_object().unwrap();
        assert!(times.len() > 1, "{choice}");
        let fastest = choice["fastest"].as_str().unwrap();
        let least = times[fastest].as_f64().unwrap();
        assert!(least > 0.0, "{choice}");
        assert!(
            times
                .values()
                .filter_map(Value::as_f64)
                .all(|ms| ms >= least),
            "{choice}"
        );
    }
    assert_eq!(found["steps"][0]["variant"], "by rule");
    assert!(found["steps"][0]["ms"].as_f64().unwrap() > 0.0);
    assert_eq!(found["kept"], Value::Null);
    assert!(!folder.path("cache/cnnc/costs.json").exists());
}

/// A table that says that the second convolution is fast in Winograd's form: programs have it so,
/// unless told not to.
#[test]
fn what_was_measured_is_used() {
    let folder = Folder::new();
    folder.write("small.net", SMALL);
    let convolutions = |words: &str| {
        let run = cnnc(&folder, &format!("small.net --emit=tuned {words}"));
        run.success().matches("stablehlo.convolution").count()
    };
    let by_rule = convolutions("");
    let machine = &machine(&folder);
    let key = "convolution f32 4x8x8x16 3x3x16x16 4x8x8x16 padding 1,1,1,1";
    let table = |machine: &str| {
        let times = json!({key: {"direct": 900, "winograd-4x4": 300}});
        let table = json!({"machine": machine, "times": times, "flags": {}});
        folder.write("cache/cnnc/costs.json", table.to_string());
    };
    std::fs::create_dir_all(folder.path("cache/cnnc")).unwrap();
    table(machine);
    assert!(convolutions("") < by_rule);
    assert_eq!(convolutions("--no-costs"), by_rule);
    assert_eq!(convolutions("--no-winograd"), by_rule);
    assert_eq!(convolutions("--cpu x86-64-v3"), by_rule);
    table("another");
    assert_eq!(convolutions(""), by_rule);
    folder.write("cache/cnnc/costs.json", "{");
    let run = cnnc(&folder, "small.net --emit=tuned");
    assert!(run.stderr.contains("no table of costs"), "{}", run.stderr);
    assert_eq!(convolutions(""), by_rule);
}

#[test]
fn what_cannot_be_tuned_is_refused() {
    let folder = Folder::new();
    folder.write("small.net", SMALL);
    let text = folder.cnnc("tune small.net --device vulkan").failure(2);
    assert!(text.contains("vulkan"), "{text}");
    folder.cnnc("tune none.net").failure(1);
    let text = folder.cnnc("tune small.net --threads 1").failure(2);
    assert!(text.contains("--dry-run"), "{text}");
}

/// Whatever is fastest, entries of an earlier table for the same choices do not stay.
#[test]
fn what_was_known_is_replaced() {
    let folder = Folder::new();
    folder.write("small.net", SMALL);
    let path = folder.path("cache/cnnc/costs.json");
    let key = "convolution f32 4x8x8x16 3x3x16x16 4x8x8x16 padding 1,1,1,1";
    let planted = json!({"direct": 900, "winograd-4x4": 300});
    let other = json!({"direct": 7, "winograd-4x4": 8});
    let times = json!({key: planted, "another": other});
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let table = json!({"machine": machine(&folder), "times": times, "flags": {}});
    std::fs::write(&path, table.to_string()).unwrap();
    cnnc(&folder, "tune small.net --rounds 1").success();
    let kept = read(&std::fs::read_to_string(&path).unwrap());
    assert_ne!(kept["times"][key], planted);
    assert_eq!(kept["times"]["another"], other);
}

/// A flag that IREE does not know is reported, and the others are measured.
#[test]
fn an_unknown_flag_is_not_possible() {
    let folder = Folder::new();
    folder.write("small.net", SMALL);
    let words = "tune small.net --rounds 1 --dry-run --json --try --no-such-flag \
                 --try --iree-opt-strip-assertions";
    let found = read(&folder.cnnc(words).success());
    let failed: Vec<&str> = found["failed"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(failed.contains(&"--no-such-flag"), "{found}");
    let mut steps = found["steps"].as_array().unwrap().iter();
    assert!(steps.any(|step| step["variant"] == "--iree-opt-strip-assertions"));
}
