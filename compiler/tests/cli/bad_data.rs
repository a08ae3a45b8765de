//! Data sets, checkpoints and images that are damaged or of another kind.

use std::fs;

use super::run::Folder;

const IMAGES: &str = "data/train-images-idx3-ubyte";
const LABELS: &str = "data/train-labels-idx1-ubyte";

/// Trains on data that `damage` spoils; the error, once it is clear that
/// nothing was written.
fn refused(damage: impl Fn(&Folder)) -> String {
    let folder = Folder::with_data();
    damage(&folder);
    let error = folder
        .cnnc("train linear.net --data data --out out")
        .one_error(1);
    assert!(!folder.path("out").exists(), "{error}");
    error
}

fn edited(name: &'static str, edit: impl Fn(&mut Vec<u8>)) -> impl Fn(&Folder) {
    move |folder| {
        let mut bytes = folder.read(name);
        edit(&mut bytes);
        folder.write(name, bytes);
    }
}

#[test]
fn spoilt_data_sets() {
    let error = refused(|folder| fs::remove_dir_all(folder.path("data")).unwrap());
    assert!(
        error.contains("data: no such folder") && error.contains("fashion-mnist"),
        "{error}"
    );
    let error = refused(|folder| fs::remove_file(folder.path(IMAGES)).unwrap());
    assert!(error.contains("none of train-images-idx3-ubyte"), "{error}");
    let error = refused(edited(IMAGES, |bytes| bytes.truncate(1000)));
    assert!(
        error.contains("expected 12560 bytes for 16 images of 28 x 28, got 1000"),
        "{error}"
    );
    let error = refused(edited(IMAGES, |bytes| bytes.truncate(7)));
    assert!(error.contains("header of 16 bytes, got 7"), "{error}");
    let error = refused(|folder| folder.write(LABELS, "<!DOCTYPE html><html></html>"));
    assert!(error.contains("bad magic number 0x3C21444F"), "{error}");
    let error = refused(|folder| folder.write(IMAGES, folder.read(LABELS)));
    assert!(
        error.contains("bad magic number 0x00000801, expected 0x00000803"),
        "{error}"
    );
    let error = refused(edited(LABELS, |bytes| bytes[8 + 3] = 10));
    assert!(error.contains("label 10 in record 3"), "{error}");
    let error = refused(edited(LABELS, |bytes| {
        bytes[7] = 15;
        bytes.pop();
    }));
    assert!(
        error.contains("holds 16 images") && error.contains("holds 15 labels"),
        "{error}"
    );
    let error = refused(edited(IMAGES, |bytes| bytes[4..16].fill(0xff)));
    assert!(
        error.contains("4294967295 images of 4294967295 x 4294967295"),
        "{error}"
    );
}

#[test]
fn a_data_set_of_another_size() {
    let folder = Folder::with_data();
    let text = folder.text("linear.net").replace("28, 28", "32, 32");
    folder.write("wide.net", text);
    let error = folder
        .cnnc("train wide.net --data data --out out")
        .one_error(1);
    let told = "images of [1, 28, 28] (channels, height, width), the network takes [1, 32, 32]";
    assert!(error.contains(told), "{error}");
}

#[test]
fn a_gzip_file_with_a_plain_name_is_read() {
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;
    let folder = Folder::with_data();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&folder.read(IMAGES)).unwrap();
    folder.write(IMAGES, encoder.finish().unwrap());
    folder
        .cnnc("train linear.net --data data --epochs 1 --out out")
        .success();
}

#[test]
fn an_output_folder_that_cannot_be_made() {
    let folder = Folder::with_data();
    let error = folder
        .cnnc("train linear.net --data data --out linear.net/out")
        .one_error(1);
    assert!(
        error.contains("cannot write to `linear.net/out`: "),
        "{error}"
    );
}

#[test]
fn spoilt_checkpoints() {
    let folder = Folder::with_data();
    folder
        .cnnc("train linear.net --data data --epochs 1 --out out")
        .success();
    let whole = folder.read("out/checkpoint.safetensors");
    for size in [0, 1, 8, whole.len() / 2, whole.len() - 1] {
        folder.write("cut", &whole[..size]);
        let error = folder
            .cnnc("eval linear.net --checkpoint cut --data data")
            .one_error(1);
        assert!(
            error.contains("cut: damaged or no checkpoint"),
            "{size}: {error}"
        );
    }
    let error = folder
        .cnnc("eval linear.net --checkpoint none --data data")
        .one_error(1);
    assert!(
        error.starts_with("error: none: No such file or directory"),
        "{error}"
    );
    folder.write(
        "other.net",
        folder
            .text("linear.net")
            .replace("flatten", "flatten |> dense(5)"),
    );
    let words = "eval other.net --checkpoint out/checkpoint.safetensors --data data";
    let error = folder.cnnc(words).one_error(1);
    assert!(
        error.contains("dense1.weight") || error.contains("dense2.weight"),
        "{error}"
    );
}

#[test]
fn spoilt_images() {
    let folder = Folder::with_data();
    folder
        .cnnc("train linear.net --data data --epochs 1 --out out")
        .success();
    folder.write("a.png", "no image");
    let predict = "predict linear.net --checkpoint out/checkpoint.safetensors";
    for (words, told) in [
        ("a.png", "a.png: "),
        ("none.png", "none.png: No such file or directory"),
        ("--data data --index 16", "example 16: "),
    ] {
        let error = folder.cnnc(&format!("{predict} {words}")).one_error(1);
        assert!(error.contains(told), "{words}: {error}");
    }
}

#[test]
fn devices_that_are_not_there() {
    let folder = Folder::with_data();
    for (device, told) in [
        (
            "gpu",
            "unknown device `gpu`; available: local-task, local-sync",
        ),
        (
            "cuda",
            "device `cuda`: this program has no driver for it; available: local-task",
        ),
    ] {
        let words = format!("train linear.net --data data --device {device}");
        let error = folder.cnnc(&words).one_error(1);
        assert!(error.contains(told), "{error}");
    }
}
