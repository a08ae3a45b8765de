//! `--target` and `--device`.

use super::run::{Folder, LINEAR};
use super::vulkan::vulkan;
use cnnc_runtime::manifest::Manifest;
use cnnc_runtime::reflection::reflect;

fn manifest(folder: &Folder, name: &str) -> Manifest {
    let program = reflect(&folder.read(name)).unwrap();
    Manifest::parse(&program.manifest.unwrap()).unwrap()
}

#[test]
fn programs_for_every_target() {
    let folder = Folder::new();
    folder.write("a.net", LINEAR);
    for (target, gpu, recorded) in [
        ("vulkan", "", None),
        ("vulkan", "--gpu=rdna3", Some("rdna3")),
        ("cuda", "--gpu=sm_89", Some("sm_89")),
        ("rocm", "", Some("gfx942")),
        ("metal", "", None),
    ] {
        let words = format!("a.net --no-cache --target={target} {gpu} -o a.vmfb");
        folder.cnnc(&words).success();
        let manifest = manifest(&folder, "a.vmfb");
        assert_eq!(manifest.target, target);
        assert_eq!(manifest.gpu.as_deref(), recorded, "{words}");
        assert_eq!(manifest.cpu, None);
    }
    let tuned = folder.cnnc("a.net --target=vulkan").success();
    assert!(tuned.contains("target = \"vulkan\""), "{tuned}");
}

/// Targets do not take each other's programs from the cache.
#[test]
fn the_cache_keeps_targets_apart() {
    let folder = Folder::new();
    folder.write("a.net", LINEAR);
    let cache = folder.path("cache");
    for target in ["cpu", "vulkan", "vulkan --gpu=ada", "cpu", "vulkan"] {
        let words = format!("a.net --target={target} -o a.vmfb");
        folder.cnnc_with("XDG_CACHE_HOME", &cache, &words).success();
        let expected = target.split(' ').next().unwrap();
        assert_eq!(manifest(&folder, "a.vmfb").target, expected);
    }
    let files = std::fs::read_dir(cache.join("cnnc")).unwrap().count();
    assert_eq!(files, 3);
}

#[test]
#[cfg(feature = "vulkan")]
fn a_device_that_is_missing_says_what_is_missing() {
    let folder = Folder::with_data();
    let words = "train linear.net --data data --device vulkan";
    // The loader, if there is one, is kept from every driver.
    let mut command = folder.command(super::run::CNNC, words);
    command.env("VK_DRIVER_FILES", "/nowhere");
    command.env("VK_ICD_FILENAMES", "/nowhere");
    let error = super::run::collected(command.output().unwrap()).one_error(1);
    let start = "error: device `vulkan`: the Vulkan loader ";
    assert!(error.starts_with(start), "{error}");
    assert!(error.contains("  help: "), "{error}");
    assert_eq!(folder.names(), ["data", "linear.net"]);
}

#[test]
fn a_model_is_trained_and_used_on_vulkan() {
    if !vulkan("a model is trained and used") {
        return;
    }
    let folder = Folder::with_data();
    let train = "train linear.net --data data --out";
    folder.cnnc(&format!("{train} cpu")).success();
    folder
        .cnnc(&format!("{train} vulkan --device vulkan"))
        .success();
    let run = folder.text("vulkan/metrics.jsonl");
    let run: serde_json::Value = serde_json::from_str(run.lines().next().unwrap()).unwrap();
    assert_eq!(run["device"], "vulkan");
    assert_eq!(run["cpu"], serde_json::Value::Null);
    // Either device reads what the other one wrote, and finds the same.
    let eval = |checkpoint: &str, device: &str| {
        let words = format!(
            "eval linear.net --data data --checkpoint {checkpoint}/checkpoint.safetensors \
             --device {device} --json"
        );
        let text = folder.cnnc(&words).success();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        (
            value["loss"].as_f64().unwrap(),
            value["correct"].as_u64().unwrap(),
        )
    };
    let (loss, correct) = eval("cpu", "cpu");
    for (checkpoint, device) in [("cpu", "vulkan"), ("vulkan", "cpu"), ("vulkan", "vulkan:0")] {
        let found = eval(checkpoint, device);
        assert!((found.0 - loss).abs() < 1e-5 * loss, "{found:?} {loss}");
        assert_eq!(found.1, correct);
    }
    let predict = "predict linear.net --data data --index 3 --checkpoint \
                   vulkan/checkpoint.safetensors --device vulkan";
    let table = folder.cnnc(predict).success();
    assert!(table.starts_with("class  probability\n"), "{table}");
}

#[test]
fn a_program_on_vulkan_is_certified() {
    if !vulkan("a program is certified") {
        return;
    }
    let folder = Folder::new();
    folder.write("a.net", LINEAR);
    let words = "certify a.net --tuning --execute --device vulkan --directions 1";
    let text = folder.cnnc(words).success();
    let (_, execution) = text.split_once("\nexecution\n").unwrap();
    for function in ["@forward", "@pullback"] {
        let row = execution.lines().find(|line| line.starts_with(function));
        let row = row.unwrap();
        assert!(row.ends_with("  exact"), "{row}");
    }
}
