use super::*;
use crate::manifest::Dtype;
use crate::state::Snapshot;
use crate::train::Begun;
use serde_json::json;
use std::path::PathBuf;
use tempfile::TempDir;

fn manifest() -> Manifest {
    let text = json!({
        "version": 1, "net": "tiny", "batch": 2, "target": "cpu", "classes": 2,
        "inputs": [
            {"name": "image", "shape": [2, 1, 1, 2], "dtype": "f32"},
            {"name": "label", "shape": [2], "dtype": "i32"}
        ],
        "parameters": [
            {"name": "dense1.weight", "shape": [2, 2], "dtype": "f32"},
            {"name": "dense1.bias", "shape": [2], "dtype": "f32"}
        ],
        "state": [{"name": "step", "shape": [], "dtype": "u64"}]
    });
    Manifest::parse(&text.to_string()).expect("valid")
}

fn snapshot() -> Snapshot {
    let tensor = |name: &str, shape: &[usize], elements| NamedTensor {
        name: name.into(),
        shape: shape.to_vec(),
        elements,
    };
    Snapshot {
        parameters: vec![
            tensor(
                "dense1.weight",
                &[2, 2],
                Elements::F32(vec![1.0, -2.5, 0.1, 1e-40]),
            ),
            tensor("dense1.bias", &[2], Elements::F32(vec![0.0, 3.0])),
        ],
        state: vec![tensor("step", &[], Elements::U64(vec![u64::MAX]))],
    }
}

fn metadata() -> Metadata {
    Metadata {
        net: "tiny".into(),
        epoch: 3,
        step: 1407,
        begun: Begun::default(),
        epochs: 12,
        seed: u64::MAX,
        version: "0.1.0".into(),
    }
}

struct File {
    _folder: TempDir,
    path: PathBuf,
}

impl File {
    fn new(bytes: &[u8]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("model.safetensors");
        std::fs::write(&path, bytes).expect("written");
        Self {
            _folder: folder,
            path,
        }
    }

    fn saved() -> Self {
        let file = Self::new(b"");
        save(&file.path, &snapshot(), &metadata()).expect("saved");
        file
    }

    fn bytes(&self) -> Vec<u8> {
        std::fs::read(&self.path).expect("read")
    }

    /// The message of loading it, without the folder.
    fn fault(&self) -> String {
        let message = load(&self.path, &manifest())
            .expect_err("a fault")
            .to_string();
        let folder = self.path.parent().expect("in a folder").join("");
        message.replace(folder.to_str().expect("UTF-8"), "")
    }
}

#[test]
fn what_was_saved_is_loaded() {
    let checkpoint = load(&File::saved().path, &manifest()).expect("whole");
    assert_eq!(checkpoint.snapshot, snapshot());
    assert_eq!(checkpoint.metadata, Some(metadata()));
}

#[test]
fn the_same_checkpoint_is_the_same_bytes() {
    assert_eq!(File::saved().bytes(), File::saved().bytes());
}

/// The layout of the safetensors format, read by hand: header length, JSON, aligned data.
#[test]
fn the_file_is_safetensors() {
    let bytes = File::saved().bytes();
    let length = u64::from_le_bytes(bytes[..8].try_into().expect("8 bytes")) as usize;
    assert_eq!(length % 8, 0);
    let header: serde_json::Value = serde_json::from_slice(&bytes[8..8 + length]).expect("JSON");
    assert_eq!(header["state/step"]["data_offsets"], json!([0, 8]));
    assert_eq!(header["dense1.weight"]["dtype"], "F32");
    assert_eq!(header["dense1.weight"]["shape"], json!([2, 2]));
    assert_eq!(header["dense1.weight"]["data_offsets"], json!([8, 24]));
    assert_eq!(header["__metadata__"]["epoch"], "3");
    let data = &bytes[8 + length..];
    assert_eq!(data.len(), 8 + 16 + 8);
    assert_eq!(data[12..16], (-2.5f32).to_le_bytes());
}

/// BUG-62: a file cut anywhere is one clear error.
#[test]
fn bug_62_cut_files() {
    let whole = File::saved().bytes();
    for (size, expected) in [
        (0, "header too small"),
        (1, "header too small"),
        (8, "invalid header length"),
        (whole.len() / 2, "invalid header length"),
        (
            whole.len() - 1,
            "incomplete metadata, file not fully covered",
        ),
    ] {
        assert_eq!(
            File::new(&whole[..size]).fault(),
            format!("model.safetensors: damaged or no checkpoint ({size} bytes): {expected}")
        );
    }
}

/// BUG-62: one flipped bit anywhere is an error, or (in the padding) changes nothing.
#[test]
fn bug_62_flipped_bits() {
    let whole = File::saved().bytes();
    let file = File::new(b"");
    for index in 0..whole.len() {
        for bit in 0..8 {
            let mut damaged = whole.clone();
            damaged[index] ^= 1 << bit;
            std::fs::write(&file.path, &damaged).expect("written");
            if let Ok(checkpoint) = load(&file.path, &manifest()) {
                assert_eq!(checkpoint.snapshot, snapshot(), "byte {index} bit {bit}");
                assert_eq!(
                    checkpoint.metadata,
                    Some(metadata()),
                    "byte {index} bit {bit}"
                );
            }
        }
    }
}

#[test]
fn flipped_data_is_named() {
    let mut bytes = File::saved().bytes();
    *bytes.last_mut().expect("not empty") ^= 1;
    let message = File::new(&bytes).fault();
    assert!(message.contains("its checksum is "), "{message}");
}

#[test]
fn an_absurd_header_length_allocates_nothing() {
    let mut bytes = File::saved().bytes();
    bytes[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(File::new(&bytes).fault().ends_with("header too large"));
    assert!(
        File::new(b"<!DOCTYPE html><html>")
            .fault()
            .ends_with("header too large")
    );
}

/// BUG-62: what stood there before survives a save that cannot be finished.
#[test]
fn bug_62_a_failed_save_keeps_the_old_file() {
    let file = File::saved();
    let before = file.bytes();
    let error = save(&file.path.join("below"), &snapshot(), &metadata()).expect_err("no folder");
    assert!(error.to_string().starts_with("cannot write "), "{error}");
    assert_eq!(file.bytes(), before);
    load(&file.path, &manifest()).expect("still whole");
}

#[test]
fn a_missing_file() {
    let file = File::saved();
    std::fs::remove_file(&file.path).expect("removed");
    assert_eq!(
        file.fault(),
        "model.safetensors: No such file or directory (os error 2)"
    );
}

fn saved_with(change: impl FnOnce(&mut Snapshot)) -> File {
    let file = File::new(b"");
    let mut changed = snapshot();
    change(&mut changed);
    save(&file.path, &changed, &metadata()).expect("saved");
    file
}

#[test]
fn tensors_that_do_not_fit_are_named() {
    let file = saved_with(|s| s.parameters[0].name = "dense1.wieght".into());
    assert_eq!(
        file.fault(),
        "model.safetensors: no tensor `dense1.weight`; the file has `dense1.wieght`"
    );
    let file = saved_with(|s| drop(s.state.pop()));
    assert_eq!(file.fault(), "model.safetensors: no tensor `state/step`");
    let file = saved_with(|s| {
        let mut extra = s.parameters[1].clone();
        extra.name = "dense2.bias".into();
        s.parameters.push(extra);
    });
    assert_eq!(
        file.fault(),
        "model.safetensors: tensor `dense2.bias` is not of this network; \
         the network has `dense1.bias`"
    );
    let file = saved_with(|s| s.parameters[0].shape = vec![4, 1]);
    assert_eq!(
        file.fault(),
        "model.safetensors: `dense1.weight` has shape [4, 1], the network needs [2, 2]"
    );
    let file = saved_with(|s| s.parameters[1].elements = Elements::I32(vec![0, 3]));
    assert_eq!(
        file.fault(),
        "model.safetensors: `dense1.bias` is i32, the network needs f32; convert the file first"
    );
}

/// A file of two tensors, as its header says, whose bytes are all zero.
fn made(weight: &str, bytes: usize) -> File {
    let bias = bytes + 8;
    let header = json!({
        "dense1.weight": {"dtype": weight, "shape": [2, 2], "data_offsets": [0, bytes]},
        "dense1.bias": {"dtype": "F32", "shape": [2], "data_offsets": [bytes, bias]},
        "state/step": {"dtype": "U64", "shape": [], "data_offsets": [bias, bias + 8]}
    });
    let mut header = header.to_string();
    while !header.len().is_multiple_of(8) {
        header.push(' ');
    }
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.bytes());
    file.resize(file.len() + bias + 8, 0);
    File::new(&file)
}

/// Elements of other widths are neither rounded nor widened unasked; a type that nobody knows
/// is told as it stands in the file.
#[test]
fn bug_64_element_types_are_not_converted() {
    load(&made("F32", 16).path, &manifest()).expect("as the network has it");
    for (dtype, bytes) in [("BF16", 8), ("F16", 8), ("F64", 32), ("U32", 16)] {
        let found = dtype.to_lowercase();
        assert_eq!(
            made(dtype, bytes).fault(),
            format!(
                "model.safetensors: `dense1.weight` is {found}, the network needs f32; \
                 convert the file first"
            )
        );
    }
    for dtype in ["F7", "float32", ""] {
        let message = made(dtype, 16).fault();
        let start = "model.safetensors: damaged or no checkpoint (";
        assert!(message.starts_with(start), "{message}");
        assert!(
            message.contains(&format!("unknown variant `{dtype}`")),
            "{message}"
        );
    }
}

/// A file as PyTorch's safetensors writes it, without our metadata.
#[test]
fn a_file_of_another_maker() {
    let numbers = |values: &[f32]| Elements::F32(values.to_vec()).to_le_bytes();
    let weight = numbers(&[1.0, 2.0, 3.0, 4.0]);
    let bias = numbers(&[5.0, 6.0]);
    let step = Elements::U64(vec![7]).to_le_bytes();
    let view = |dtype: Dtype, shape: &[usize], bytes| {
        safetensors::tensor::TensorView::new(format::safetensors_type(dtype), shape.to_vec(), bytes)
            .expect("sizes agree")
    };
    let tensors = [
        ("dense1.weight", view(Dtype::F32, &[2, 2], &weight)),
        ("dense1.bias", view(Dtype::F32, &[2], &bias)),
        ("state/step", view(Dtype::U64, &[], &step)),
    ];
    let format = [("format".to_string(), "pt".to_string())];
    let bytes = safetensors::serialize(tensors, Some(format.into())).expect("serialised");
    let checkpoint = load(&File::new(&bytes).path, &manifest()).expect("whole");
    assert_eq!(checkpoint.metadata, None);
    assert_eq!(
        checkpoint.snapshot.parameters[0].elements,
        Elements::F32(vec![1.0, 2.0, 3.0, 4.0])
    );
}

#[test]
fn an_unfinished_epoch_is_kept_to_the_bit() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.safetensors");
    let begun = Begun {
        steps: 3,
        examples: 384,
        correct: 17,
        loss: 0.1 + 0.2,
    };
    let metadata = Metadata {
        begun,
        ..metadata()
    };
    save(&path, &snapshot(), &metadata).expect("saved");
    let found = load(&path, &manifest()).expect("whole");
    assert_eq!(found.metadata, Some(metadata));
}

/// A network with averages of its weight, and a file without any state.
#[test]
fn evaluation_does_without_state_of_the_optimizer() {
    let mut text: serde_json::Value = serde_json::to_value(manifest()).expect("JSON");
    text["state"] = json!([
        {"name": "dense1.weight.average", "shape": [2, 2], "dtype": "f32", "role": "average",
         "scope": "optimizer", "of": "dense1.weight"},
        {"name": "optimizer:updates", "shape": [], "dtype": "i32", "role": "updates",
         "scope": "optimizer"}
    ]);
    let averaging = Manifest::parse(&text.to_string()).expect("valid");
    // The file has the state of another optimizer: `step`.
    let file = File::saved();
    let found = load_for_evaluation(&file.path, &averaging).expect("whole");
    let weight = &found.snapshot.parameters[0];
    assert_eq!(found.snapshot.parameters, snapshot().parameters);
    assert_eq!(found.snapshot.state[0].elements, weight.elements);
    assert_eq!(found.snapshot.state[1].elements, Elements::I32(vec![0]));
    // To go on training, it has to be there.
    let error = load(&file.path, &averaging)
        .expect_err("missing")
        .to_string();
    assert!(
        error.contains("no tensor `state/dense1.weight.average`"),
        "{error}"
    );
    // A parameter has to be there in any case.
    text["parameters"][1]["name"] = json!("dense1.offset");
    let other = Manifest::parse(&text.to_string()).expect("valid");
    let error = load_for_evaluation(&file.path, &other)
        .expect_err("missing")
        .to_string();
    assert!(error.contains("no tensor `dense1.offset`"), "{error}");
}
