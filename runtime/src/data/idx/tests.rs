use super::*;
use crate::fixture::idx;
use flate2::{Compression, write::GzEncoder};
use std::io::Write;
use std::path::PathBuf;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn file(&self, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join("train-images-idx3-ubyte");
        std::fs::write(&path, bytes).expect("written");
        path
    }

    /// The message of reading these bytes as images, without the folder.
    fn images_fault(&self, bytes: &[u8]) -> String {
        let error = read_images(&self.file(bytes))
            .expect_err("a fault")
            .to_string();
        self.strip(error)
    }

    fn labels_fault(&self, bytes: &[u8]) -> String {
        let error = read_labels(&self.file(bytes))
            .expect_err("a fault")
            .to_string();
        self.strip(error)
    }

    fn strip(&self, message: String) -> String {
        let folder = self.0.path().join("");
        message.replace(folder.to_str().expect("UTF-8"), "")
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("compressed");
    encoder.finish().expect("compressed")
}

/// Three images of 2 x 2: 28 bytes.
fn three() -> Vec<u8> {
    idx(0x803, &[3, 2, 2], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
}

#[test]
fn a_sound_file() {
    let images = read_images(&Folder::new().file(&three())).expect("sound");
    assert_eq!((images.count, images.height, images.width), (3, 2, 2));
    assert_eq!(images.pixels, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    let labels = read_labels(&Folder::new().file(&idx(0x801, &[2], &[7, 9]))).expect("sound");
    assert_eq!(labels, [7, 9]);
}

/// BUG-59 a: gzip under a plain name is read by its content.
#[test]
fn bug_59_gzip_named_plain() {
    let images = read_images(&Folder::new().file(&gzip(&three()))).expect("sound");
    assert_eq!(images.pixels.len(), 12);
}

/// BUG-59 b.
#[test]
fn bug_59_html() {
    assert_eq!(
        Folder::new().images_fault(b"<!DOCTYPE html><html></html>"),
        "train-images-idx3-ubyte: bad magic number 0x3C21444F, expected 0x00000803: \
         this looks like HTML; was a web page saved instead of the file?"
    );
}

/// BUG-59 c: every wrong length is told with both lengths, and no image is filled with zeros.
#[test]
fn bug_59_wrong_lengths() {
    let folder = Folder::new();
    let mut long = three();
    long.push(0);
    for (bytes, found) in [(&three()[..27], 27), (&long[..], 29)] {
        let message = format!(
            "train-images-idx3-ubyte: expected 28 bytes for 3 images of 2 x 2, got {found}"
        );
        assert_eq!(folder.images_fault(bytes), message);
        // The same inside gzip, where no file size gives it away.
        assert_eq!(folder.images_fault(&gzip(bytes)), message);
    }
    for length in [0, 7, 15] {
        assert_eq!(
            folder.images_fault(&three()[..length]),
            format!("train-images-idx3-ubyte: expected a header of 16 bytes, got {length}")
        );
    }
    assert_eq!(
        folder.labels_fault(&idx(0x801, &[3], &[1, 2])),
        "train-images-idx3-ubyte: expected 11 bytes for 3 labels, got 10"
    );
}

/// BUG-59 d.
#[test]
fn bug_59_labels_given_as_images() {
    let folder = Folder::new();
    assert_eq!(
        folder.images_fault(&idx(0x801, &[3], &[1, 2, 3])),
        "train-images-idx3-ubyte: bad magic number 0x00000801, expected 0x00000803: \
         this is a file of labels; are images and labels swapped?"
    );
    assert_eq!(
        folder.labels_fault(&three()),
        "train-images-idx3-ubyte: bad magic number 0x00000803, expected 0x00000801: \
         this is a file of images; are images and labels swapped?"
    );
}

#[test]
fn a_cut_gzip_stream() {
    let folder = Folder::new();
    let whole = gzip(&three());
    for length in [3, 12, whole.len() - 1] {
        let message = folder.images_fault(&whole[..length]);
        let start = "train-images-idx3-ubyte: damaged gzip data: ";
        assert!(message.starts_with(start), "{length}: {message}");
    }
}

#[test]
fn other_archives_are_named() {
    let folder = Folder::new();
    let twice = gzip(&gzip(&three()));
    assert!(folder.images_fault(&twice).ends_with(": compressed twice"));
    assert!(
        folder
            .images_fault(b"PK\x03\x04rest")
            .ends_with(": this is a zip archive")
    );
}

/// Sizes that no file holds must not be allocated: 2^96 bytes overflow, 2^40 do not.
#[test]
fn absurd_sizes() {
    let folder = Folder::new();
    assert_eq!(
        folder.images_fault(&idx(0x803, &[u32::MAX; 3], &[])),
        "train-images-idx3-ubyte: the header promises 4294967295 images of 4294967295 x \
         4294967295: too many bytes"
    );
    let header = idx(0x803, &[1 << 20, 1 << 10, 1 << 10], &[5]);
    let message = "train-images-idx3-ubyte: expected 1099511627792 bytes for 1048576 images of \
                   1024 x 1024, got 17";
    assert_eq!(folder.images_fault(&header), message);
    assert_eq!(folder.images_fault(&gzip(&header)), message);
    for sizes in [[0, 2, 2], [3, 0, 2], [3, 2, 0]] {
        let message = folder.images_fault(&idx(0x803, &sizes, &[]));
        assert!(message.ends_with(": nothing to learn from"), "{message}");
    }
}

#[test]
fn a_file_that_is_not_there() {
    let folder = Folder::new();
    let error = read_images(&folder.0.path().join("none")).expect_err("missing");
    assert_eq!(
        folder.strip(error.to_string()),
        "none: No such file or directory (os error 2)"
    );
    let error = read_images(folder.0.path())
        .expect_err("a folder")
        .to_string();
    assert!(error.ends_with(": is a directory"), "{error}");
}
