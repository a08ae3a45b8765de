//! The binary form of CIFAR-10.
//!
//! A record is a label and an image of 32 x 32: 1024 bytes of red, then of green, then of blue,
//! each row by row. A file is records and nothing else; the training set is five files.

use std::path::{Path, PathBuf};

use super::source::Source;
use super::{DataError, Dataset, Split};

const SIDE: usize = 32;
const CHANNELS: usize = 3;
const PIXELS: usize = CHANNELS * SIDE * SIDE;
const RECORD: usize = 1 + PIXELS;
/// A record of CIFAR-100 has two labels.
const OTHER_RECORD: usize = RECORD + 1;
const CLASSES: usize = 10;

/// No file is read beyond this: a few bytes of gzip can expand without end.
const LIMIT: u64 = 1 << 30;

/// Names of the files of one half.
pub(super) fn names(split: Split) -> &'static [&'static str] {
    match split {
        Split::Train => &[
            "data_batch_1.bin",
            "data_batch_2.bin",
            "data_batch_3.bin",
            "data_batch_4.bin",
            "data_batch_5.bin",
        ],
        Split::Test => &["test_batch.bin"],
    }
}

/// Name of the folder that the archive of the data set unpacks to.
pub(super) const FOLDER: &str = "cifar-10-batches-bin";

/// Reads files of records, plain or gzip, one after another.
///
/// # Errors
/// [`DataError`] with the file, what was expected and what was found.
pub fn read_cifar10(files: &[PathBuf]) -> Result<Dataset, DataError> {
    let (mut images, mut labels) = (Vec::new(), Vec::new());
    for file in files {
        let bytes = Source::open(file)?.read(LIMIT)?;
        check_length(file, bytes.len())?;
        for (record, bytes) in bytes.chunks_exact(RECORD).enumerate() {
            let (label, pixels) = bytes.split_at(1);
            let label = label.first().copied().unwrap_or_default();
            if usize::from(label) >= CLASSES {
                return Err(DataError::Label {
                    file: file.clone(),
                    record,
                    value: label,
                    last: CLASSES - 1,
                });
            }
            labels.push(label);
            images.extend_from_slice(pixels);
        }
    }
    // The files of a half lie in one folder, and every label of them is right.
    let path = match files {
        [only] => only.clone(),
        _ => files
            .first()
            .and_then(|file| file.parent())
            .map(Path::to_owned)
            .unwrap_or_default(),
    };
    Ok(Dataset {
        images,
        count: labels.len(),
        labels,
        label_shape: None,
        channels: CHANNELS,
        height: SIDE,
        width: SIDE,
        classes: CLASSES,
        images_path: path.clone(),
        labels_path: path,
    })
}

fn check_length(file: &Path, found: usize) -> Result<(), DataError> {
    if found > 0 && found.is_multiple_of(RECORD) {
        return Ok(());
    }
    let hint = match found {
        0 => ": it is empty",
        _ if found.is_multiple_of(OTHER_RECORD) => {
            ": is this CIFAR-100, whose records have 3074 bytes?"
        }
        _ => "",
    };
    Err(DataError::Records {
        file: file.into(),
        record: RECORD,
        found,
        hint,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    struct Files {
        _folder: tempfile::TempDir,
        paths: Vec<PathBuf>,
    }

    fn files(contents: &[&[u8]]) -> Files {
        let folder = tempfile::tempdir().expect("a folder");
        let paths = (0..contents.len()).map(|i| folder.path().join(format!("{i}.bin")));
        let paths: Vec<PathBuf> = paths.collect();
        for (path, bytes) in paths.iter().zip(contents) {
            fs::write(path, bytes).expect("written");
        }
        Files {
            _folder: folder,
            paths,
        }
    }

    fn fault(bytes: &[u8]) -> String {
        let files = files(&[bytes]);
        let error = read_cifar10(&files.paths).expect_err("a fault").to_string();
        let (_, message) = error.split_once("0.bin: ").expect("it names the file");
        message.to_owned()
    }

    /// BUG-61: the planes of a record are its red, green and blue pixels.
    #[test]
    fn bug_61_plane_order() {
        let mut record = vec![0; 3073];
        (record[0], record[1], record[1025], record[2049]) = (7, 1, 2, 3);
        let data = read_cifar10(&files(&[&record]).paths).expect("one record");
        assert_eq!((data.len(), data.image_shape()), (1, [3, 32, 32]));
        assert_eq!(data.label(0), Some(7));
        let image = data.image(0).expect("an image");
        let pixel = |y: usize, x: usize| [0, 1, 2].map(|c| image[(c * 32 + y) * 32 + x]);
        assert_eq!(pixel(0, 0), [1, 2, 3]);
        assert_eq!(image.iter().filter(|&&byte| byte != 0).count(), 3);
    }

    #[test]
    fn bug_61_sizes_that_are_no_records() {
        assert_eq!(
            fault(&[0; 3073 * 2 - 1]),
            "expected a whole number of records of 3073 bytes, got 6145 bytes"
        );
        assert_eq!(
            fault(&vec![0; 3074 * 10000]),
            "expected a whole number of records of 3073 bytes, got 30740000 bytes: is this \
             CIFAR-100, whose records have 3074 bytes?"
        );
        assert_eq!(
            fault(&[]),
            "expected a whole number of records of 3073 bytes, got 0 bytes: it is empty"
        );
    }

    /// BUG-47: file, record and value of a label that is none.
    #[test]
    fn bug_47_labels_outside_the_classes() {
        let mut records = vec![0; 3073 * 2];
        records[3073] = 10;
        assert_eq!(
            fault(&records),
            "label 10 in record 1 (counted from 0), allowed 0..9"
        );
    }

    #[test]
    fn files_follow_one_another() {
        let (mut one, mut two) = (vec![0; 3073], vec![0; 3073 * 2]);
        (one[0], two[0], two[3073]) = (1, 2, 3);
        let data = read_cifar10(&files(&[&one, &two]).paths).expect("three records");
        let labels: Vec<_> = (0..3).map(|i| data.label(i)).collect();
        assert_eq!(labels, [Some(1), Some(2), Some(3)]);
    }
}
