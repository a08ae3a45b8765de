//! `cnnc train`: seeds, resumption, interruption, divergence.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::run::{CNNC, Folder, collected};

const CHECKPOINT: &str = "checkpoint.safetensors";

fn train(folder: &Folder, out: &str, more: &str) -> String {
    let words = format!("train linear.net --data data --out {out} {more}");
    folder.cnnc(&words).success()
}

/// The tensors of a checkpoint, without its metadata.
fn tensors(folder: &Folder, out: &str) -> Vec<u8> {
    let bytes = folder.read(&format!("{out}/{CHECKPOINT}"));
    let header = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    bytes[8 + header..].to_vec()
}

fn events(folder: &Folder, out: &str) -> Vec<serde_json::Value> {
    let text = folder.text(&format!("{out}/metrics.jsonl"));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_training_leaves_a_checkpoint_and_metrics() {
    let folder = Folder::with_data();
    let words = "train linear.net --data data --out out --set train.optimizer.lr=0.5";
    let outcome = folder.cnnc(words);
    let told = outcome.stderr.clone();
    assert_eq!(
        told.lines()
            .filter(|line| line.starts_with("epoch "))
            .count(),
        2,
        "{told}"
    );
    let result = outcome.success();
    assert!(
        result.starts_with("accuracy: ") && result.contains("of 16)"),
        "{result}"
    );
    assert!(result.contains(" ms per step (median)"), "{result}");
    assert!(
        result.contains("checkpoint: out/checkpoint.safetensors\n"),
        "{result}"
    );
    let events = events(&folder, "out");
    assert_eq!(events.len(), 3);
    assert_eq!(
        (&events[0]["event"], &events[0]["lr"]),
        (&"run".into(), &0.5.into())
    );
    assert_eq!(events[0]["parameters"], 7850);
    // Batches of 12 and 4.
    assert_eq!(
        (&events[2]["steps"], &events[2]["examples"]),
        (&2.into(), &16.into())
    );
    assert_eq!(events[2]["test"]["examples"], 16);
    let (first, second) = (events[1]["loss"].as_f64(), events[2]["loss"].as_f64());
    assert!(first.unwrap() > second.unwrap());
    let evaluated =
        folder.cnnc("eval linear.net --checkpoint out/checkpoint.safetensors --data data");
    assert_eq!(evaluated.success().lines().next(), result.lines().next());
}

#[test]
fn quiet_tells_the_result_alone() {
    let folder = Folder::with_data();
    let outcome = folder.cnnc("-q train linear.net --data data --out out --json");
    assert_eq!(outcome.stderr, "");
    let value: serde_json::Value = serde_json::from_str(&outcome.success()).unwrap();
    assert_eq!((&value["epochs"], &value["steps"]), (&2.into(), &4.into()));
    assert_eq!(value["test"]["examples"], 16);
}

#[test]
fn the_same_seed_gives_the_same_parameters() {
    let folder = Folder::with_data();
    for (out, seed) in [("a", 3), ("b", 3), ("c", 4)] {
        train(&folder, out, &format!("--seed {seed}"));
    }
    train(&folder, "d", "--set train.seed=3");
    assert_eq!(
        folder.read("a/checkpoint.safetensors"),
        folder.read("b/checkpoint.safetensors")
    );
    assert_eq!(tensors(&folder, "a"), tensors(&folder, "d"));
    assert_ne!(tensors(&folder, "a"), tensors(&folder, "c"));
}

/// BUG-58: two epochs at once, or one and one.
#[test]
fn a_resumed_training_ends_where_an_unbroken_one_does() {
    let folder = Folder::with_data();
    train(&folder, "whole", "--epochs 2 --seed 5");
    train(&folder, "parts", "--epochs 1 --seed 5");
    train(
        &folder,
        "parts",
        "--epochs 2 --resume parts/checkpoint.safetensors",
    );
    assert_eq!(tensors(&folder, "whole"), tensors(&folder, "parts"));
    let runs = events(&folder, "parts");
    let epochs: Vec<_> = runs.iter().map(|event| event["epoch"].as_u64()).collect();
    assert_eq!(epochs, [None, Some(1), None, Some(2)]);
    // Nothing is left to do: the result is told all the same.
    let result = train(
        &folder,
        "parts",
        "--epochs 2 --resume parts/checkpoint.safetensors",
    );
    assert!(result.starts_with("accuracy: "), "{result}");
}

#[test]
fn a_batch_larger_than_the_data() {
    let folder = Folder::with_data();
    train(&folder, "out", "--batch 100");
    assert_eq!(events(&folder, "out")[1]["steps"], 1);
}

/// Nine examples in batches of four leave one, of which batch norm has no variance: told with the
/// layer before the first step. Batches of three leave none.
#[test]
fn bug_37_one_example_is_left_for_the_last_batch() {
    let folder = Folder::with_data();
    for (kind, header, each) in [("images-idx3", 16, 784), ("labels-idx1", 8, 1)] {
        let name = format!("data/train-{kind}-ubyte");
        let mut bytes = folder.read(&name);
        bytes.truncate(header + 9 * each);
        bytes[7] = 9;
        folder.write(&name, bytes);
    }
    folder.write(
        "norm.net",
        "net norm { input image: f32[N, 1, 28, 28];
         image |> flatten |> dense(4) |> batch_norm |> dense(10) } train { epochs = 1; }",
    );
    let words = "train norm.net --data data --out out --batch";
    let error = folder.cnnc(&format!("{words} 4")).one_error(1);
    let told = "`batch_norm1` has one value per channel";
    assert!(error.contains(told), "{error}");
    assert!(error.contains("norm.net:2:"), "{error}");
    let written = std::fs::read_dir(folder.path("out")).unwrap();
    assert_eq!(written.count(), 0);
    folder.cnnc(&format!("{words} 3")).success();
    let bytes = folder.read("out/checkpoint.safetensors");
    let tensors = safetensors(&bytes);
    for name in ["batch_norm1.running_mean", "batch_norm1.running_var"] {
        let values = &tensors[&format!("state/{name}")];
        assert_eq!(values.len(), 4);
        assert!(values.iter().all(|v| v.is_finite()), "{name}: {values:?}");
    }
}

/// The f32 tensors of a checkpoint, by its header.
fn safetensors(bytes: &[u8]) -> std::collections::BTreeMap<String, Vec<f32>> {
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let header: serde_json::Value = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
    let entries = header.as_object().unwrap().iter();
    let tensor = |(name, entry): (&String, &serde_json::Value)| {
        let at = |i: usize| 8 + length + entry["data_offsets"][i].as_u64().unwrap() as usize;
        let words = bytes[at(0)..at(1)].chunks(4);
        let values = words.map(|word| f32::from_le_bytes(word.try_into().unwrap()));
        (name.clone(), values.collect())
    };
    entries
        .filter(|(_, entry)| entry["dtype"] == "F32")
        .map(tensor)
        .collect()
}

/// One weight of 7840 is NaN, behind a relu: the first loss tells, and nothing is saved over.
#[test]
fn bug_15_a_weight_that_is_no_number_ends_the_training() {
    let folder = Folder::with_data();
    let text = folder.text("linear.net");
    folder.write("linear.net", text.replace("dense(10)", "dense(10) |> relu"));
    train(&folder, "out", "--epochs 1");
    // Without our metadata, as another program writes it.
    let bytes = folder.read(&format!("out/{CHECKPOINT}"));
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let mut header: serde_json::Value = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
    header.as_object_mut().unwrap().remove("__metadata__");
    let start = header["dense1.weight"]["data_offsets"][0].as_u64().unwrap() as usize;
    let at = 8 + length + start + 4 * 4000;
    let header = header.to_string();
    let mut poisoned = (header.len() as u64).to_le_bytes().to_vec();
    poisoned.extend(header.bytes());
    poisoned.extend(&bytes[8 + length..at]);
    poisoned.extend(f32::NAN.to_le_bytes());
    poisoned.extend(&bytes[at + 4..]);
    folder.write("poisoned", poisoned);
    let words = "train linear.net --data data --out out --resume poisoned";
    let error = folder.cnnc(words).failure(1);
    let told = "the loss is NaN at epoch 1, step 1 (learning rate 0.1)";
    assert!(error.contains(told), "{error}");
    assert_eq!(folder.read(&format!("out/{CHECKPOINT}")), bytes);
}

#[test]
fn a_loss_that_is_no_number_ends_the_training() {
    let folder = Folder::with_data();
    train(&folder, "out", "--epochs 1");
    let before = folder.read("out/checkpoint.safetensors");
    let words = "train linear.net --data data --out out --set train.optimizer.lr=1e38";
    let outcome = folder.cnnc(words);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""));
    let error = outcome.stderr;
    assert!(error.contains(" epoch 1, step "), "{error}");
    assert!(error.contains("--set train.optimizer.lr="), "{error}");
    assert_eq!(folder.read("out/checkpoint.safetensors"), before);
}

#[test]
fn ctrl_c_finishes_the_step_and_saves() {
    let folder = Folder::with_data();
    let mut command = folder.command(CNNC, "train linear.net --data data --out out");
    let child = command.args(["--epochs", "100000000"]).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(120);
    while !folder.path("out/checkpoint.safetensors").exists() {
        assert!(Instant::now() < deadline, "no epoch has ended");
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = child.id().to_string();
    let killed = Command::new("kill")
        .args(["-INT", &pid])
        .stdin(Stdio::null())
        .status();
    assert!(killed.unwrap().success());
    let outcome = collected(child.wait_with_output().unwrap());
    assert_eq!(outcome.code, Some(130), "{}", outcome.stderr);
    let last = outcome.stderr.lines().last();
    assert_eq!(last, Some("stopped; out/checkpoint.safetensors is written"));
    let words = "eval linear.net --checkpoint out/checkpoint.safetensors --data data";
    folder.cnnc(words).success();
}

#[test]
fn a_second_run_takes_its_program_from_the_cache() {
    let folder = Folder::with_data();
    let cache = folder.path("cache");
    let run = || folder.cnnc_with("XDG_CACHE_HOME", &cache, "train linear.net --data data");
    run().success();
    let programs = || {
        let entries = std::fs::read_dir(cache.join("cnnc")).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let first = programs();
    // Batches of 12 and of 4.
    assert_eq!(first.len(), 2);
    run().success();
    assert_eq!(programs(), first);
    let words = "train linear.net --data data --no-cache";
    let elsewhere = folder.path("other");
    folder
        .cnnc_with("XDG_CACHE_HOME", &elsewhere, words)
        .success();
    assert!(!elsewhere.exists());
}

#[test]
fn a_cache_that_cannot_be_written_is_done_without() {
    let folder = Folder::with_data();
    let file = folder.path("linear.net");
    let outcome = folder.cnnc_with("XDG_CACHE_HOME", file, "train linear.net --data data");
    assert!(
        outcome.stderr.contains("warning: nothing is cached"),
        "{}",
        outcome.stderr
    );
    outcome.success();
}
