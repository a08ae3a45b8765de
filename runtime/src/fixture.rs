//! What the tests of this crate share: a compiled program and small data sets.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::atomic::write_atomically;
use crate::data::Dataset;
use crate::device::{DeviceName, Runtime};
use crate::program::Program;
use crate::threads::Threads;

const SOURCE: &str = include_str!("../fixtures/linear.mlir");
const COMPILER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../.venv/bin/iree-compile");

/// The manifest of `fixtures/linear.mlir`.
pub fn manifest(batch: usize) -> Value {
    json!({
        "version": 1, "net": "linear", "batch": batch, "target": "cpu", "cpu": "generic",
        "classes": 3,
        "inputs": [
            {"name": "image", "shape": [batch, 1, 2, 2], "dtype": "f32"},
            {"name": "label", "shape": [batch], "dtype": "i32"}
        ],
        "parameters": [
            {"name": "dense1.weight", "shape": [4, 3], "dtype": "f32", "role": "weight",
             "stored": {"view": [4, 3], "permutation": [1, 0], "shape": [3, 4]}},
            {"name": "dense1.bias", "shape": [3], "dtype": "f32", "role": "bias"}
        ],
        "state": [{"name": "steps", "shape": [], "dtype": "u64"}],
        "metrics": ["loss", "correct"], "optimizer": {"name": "sgd", "lr": 0.5}
    })
}

/// The program, compiled for `batch` examples.
pub fn vmfb(batch: usize) -> Vec<u8> {
    compile(&source(batch, &manifest(batch)))
}

/// Its text with any manifest.
pub fn source(batch: usize, manifest: &Value) -> String {
    let escaped = manifest.to_string().replace('"', "\\\"");
    let text = SOURCE.replace("MANIFEST", &escaped);
    text.replace("BATCH", &batch.to_string())
}

/// Compiles a StableHLO module. Tests are processes of their own, so the results are kept on disk.
pub fn compile(source: &str) -> Vec<u8> {
    let mut hash = DefaultHasher::new();
    source.hash(&mut hash);
    let name = format!("cnnc-runtime-test-3.13.0-{:016x}.vmfb", hash.finish());
    let path = std::env::temp_dir().join(name);
    if let Ok(bytes) = fs::read(&path) {
        return bytes;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = folder.path().join("input.mlir");
    let output = folder.path().join("output.vmfb");
    fs::write(&input, source).expect("written");
    let run = Command::new(COMPILER)
        .args([
            "--iree-input-type=stablehlo",
            "--iree-hal-target-device=local",
        ])
        .args(["--iree-hal-local-target-device-backends=llvm-cpu"])
        .args(["--iree-llvmcpu-target-cpu=generic", "-o"])
        .args([&output, &input])
        .output()
        .expect("these tests need IREE's compiler in `.venv`: run `make deps`");
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    let bytes = fs::read(&output).expect("compiled");
    write_atomically(&path, &bytes).expect("kept");
    bytes
}

pub fn runtime() -> Runtime {
    Runtime::open(&DeviceName::default(), Threads::PerCore).expect("the CPU")
}

pub fn program(runtime: &Runtime, batch: usize) -> Program {
    Program::load(runtime, &vmfb(batch)).expect("a valid program")
}

/// An IDX file of the given magic number, sizes and bytes.
pub fn idx(magic: u32, sizes: &[u32], bytes: &[u8]) -> Vec<u8> {
    let header = [magic].into_iter().chain(sizes.iter().copied());
    let header = header.flat_map(u32::to_be_bytes);
    header.chain(bytes.iter().copied()).collect()
}

/// Writes a pair of IDX files and returns their paths.
pub fn idx_pair(folder: &Path, images: &[u8], size: [u32; 2], labels: &[u8]) -> [PathBuf; 2] {
    let count = labels.len() as u32;
    let paths = ["train-images-idx3-ubyte", "train-labels-idx1-ubyte"].map(|n| folder.join(n));
    fs::write(&paths[0], idx(0x803, &[count, size[0], size[1]], images)).expect("written");
    fs::write(&paths[1], idx(0x801, &[count], labels)).expect("written");
    paths
}

pub fn dataset(images: &[u8], size: [u32; 2], labels: &[u8], classes: usize) -> Dataset {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [images, labels] = idx_pair(folder.path(), images, size, labels);
    Dataset::from_idx_files(&images, &labels, classes).expect("a valid data set")
}

/// `count` images of 2 x 2: pixel p of image i is (37 i + 61 p) mod 256, its label i mod 3.
pub fn examples(count: usize) -> Arc<Dataset> {
    let pixels = (0..count).flat_map(|i| (0..4).map(move |p| ((37 * i + 61 * p) % 256) as u8));
    let labels: Vec<u8> = (0..count).map(|i| (i % 3) as u8).collect();
    Arc::new(dataset(&pixels.collect::<Vec<_>>(), [2, 2], &labels, 3))
}
