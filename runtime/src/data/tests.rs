use super::*;
use crate::fixture::{dataset, idx, idx_pair};
use std::fs;

fn fault(images: &[u8], size: [u32; 2], labels: &[u8]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let [images, labels] = idx_pair(folder.path(), images, size, labels);
    let error = Dataset::from_idx_files(&images, &labels, 10).expect_err("a fault");
    let prefix = folder.path().join("");
    error
        .to_string()
        .replace(prefix.to_str().expect("UTF-8"), "")
}

#[test]
fn images_and_labels() {
    let data = dataset(&[1, 2, 3, 4, 5, 6], [1, 2], &[4, 0, 9], 10);
    assert_eq!(
        (data.len(), data.image_shape(), data.classes()),
        (3, [1, 1, 2], 10)
    );
    assert_eq!(data.image(1), Some(&[3, 4][..]));
    assert_eq!(data.label(2), Some(9));
    assert_eq!((data.image(3), data.label(3)), (None, None));
    assert_eq!(data.image(usize::MAX), None);
}

/// BUG-47: an error before the first step: file, record, value, allowed classes.
#[test]
fn bug_47_labels_outside_the_classes() {
    assert_eq!(
        fault(&[0; 3], [1, 1], &[0, 9, 10]),
        "train-labels-idx1-ubyte: label 10 in record 2 (counted from 0), allowed 0..9"
    );
    assert_eq!(
        fault(&[0; 3], [1, 1], &[255, 9, 10]),
        "train-labels-idx1-ubyte: label 255 in record 0 (counted from 0), allowed 0..9"
    );
    // All that are allowed, and two that are not: the first of them is told.
    assert_eq!(
        fault(&[0; 12], [1, 1], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 255]),
        "train-labels-idx1-ubyte: label 10 in record 10 (counted from 0), allowed 0..9"
    );
}

/// BUG-59 d: three images and two labels.
#[test]
fn bug_59_counts_differ() {
    let folder = tempfile::tempdir().expect("a folder");
    let [images, labels] = idx_pair(folder.path(), &[0; 3], [1, 1], &[1, 2, 3]);
    fs::write(&labels, idx(0x801, &[2], &[1, 2])).expect("written");
    let error = Dataset::from_idx_files(&images, &labels, 10)
        .expect_err("a fault")
        .to_string();
    assert!(
        error.contains("train-images-idx3-ubyte holds 3 images, "),
        "{error}"
    );
    assert!(
        error.ends_with("train-labels-idx1-ubyte holds 2 labels"),
        "{error}"
    );
}

#[test]
fn a_network_with_fewer_classes_or_other_images() {
    let data = dataset(&[0; 3], [1, 1], &[0, 2, 1], 10);
    let needs = |image, classes| Needs {
        image,
        labels: &[],
        classes,
    };
    data.check(&needs([1, 1, 1], 3))
        .expect("three classes suffice");
    let error = data
        .check(&needs([1, 1, 1], 2))
        .expect_err("label 2")
        .to_string();
    let end = "label 2 in record 1 (counted from 0), allowed 0..1";
    assert!(error.ends_with(end), "{error}");
    let error = data
        .check(&needs([3, 1, 1], 3))
        .expect_err("grey")
        .to_string();
    let end = "images of [1, 1, 1] (channels, height, width), the network takes [3, 1, 1]";
    assert!(error.ends_with(end), "{error}");
}

#[test]
fn files_are_found_under_their_usual_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    fs::write(
        path("train-images.idx3-ubyte"),
        idx(0x803, &[1, 1, 1], &[7]),
    )
    .expect("written");
    fs::write(path("train-labels-idx1-ubyte.gz"), idx(0x801, &[1], &[3])).expect("written");
    let data = Dataset::load(folder.path(), Split::Train).expect("found");
    assert_eq!((data.image(0), data.label(0)), (Some(&[7][..]), Some(3)));

    let error = Dataset::load(folder.path(), Split::Test)
        .expect_err("no test set")
        .to_string();
    assert!(
        error.contains("none of t10k-images-idx3-ubyte, t10k-images.idx3-ubyte, "),
        "{error}"
    );
    let error = Dataset::load(&path("mnist"), Split::Test)
        .expect_err("no folder")
        .to_string();
    assert!(error.ends_with("mnist: no such folder"), "{error}");
}

/// Debian's copy of Fashion-MNIST, where it is installed: 60,000 and 10,000 of 28 x 28, equally
/// many of each class, and the first training image is an ankle boot (9).
#[test]
fn the_real_fashion_mnist() {
    let folder = Path::new("/usr/share/datasets/fashion-mnist");
    if !folder.is_dir() {
        return;
    }
    for (split, count) in [(Split::Train, 60_000), (Split::Test, 10_000)] {
        let data = Dataset::load(folder, split).expect("sound");
        assert_eq!((data.len(), data.image_shape()), (count, [1, 28, 28]));
        assert_eq!(data.label(0), Some(9));
        let threes = (0..count)
            .filter(|&index| data.label(index) == Some(3))
            .count();
        assert_eq!(threes, count / 10);
    }
}

/// A label for each pixel: the file of labels has the form of one of images.
#[test]
fn labels_of_pixels() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, bytes: &[u8]| {
        fs::write(folder.path().join(name), bytes).expect("written");
    };
    write(
        "train-images-idx3-ubyte",
        &idx(0x803, &[2, 1, 2], &[7, 8, 9, 10]),
    );
    write(
        "train-labels-idx3-ubyte",
        &idx(0x803, &[2, 1, 2], &[0, 1, 2, 0]),
    );
    let data = Dataset::load(folder.path(), Split::Train).expect("sound");
    assert_eq!((data.len(), data.labels_per_image()), (2, 2));
    assert_eq!(data.labels(1), Some(&[2, 0][..]));
    let needs = |labels, classes| Needs {
        image: [1, 1, 2],
        labels,
        classes,
    };
    data.check(&needs(&[1, 2], 3)).expect("three classes");
    let message = |needs| {
        let error = data.check(&needs).expect_err("unfit").to_string();
        error.rsplit_once("-ubyte: ").map(|(_, end)| end.to_owned())
    };
    assert_eq!(
        message(needs(&[1, 2], 2)).as_deref(),
        Some("label 2 in record 1 (counted from 0), allowed 0..1")
    );
    assert_eq!(
        message(needs(&[], 3)).as_deref(),
        Some("a label for each of 1 x 2 pixels, the network takes one label per image")
    );
    write(
        "train-labels-idx3-ubyte",
        &idx(0x803, &[2, 2, 1], &[0, 1, 2, 0]),
    );
    let error = Dataset::load(folder.path(), Split::Train).expect_err("turned");
    let end = "labels of 2 x 1 pixels, images of 1 x 2";
    assert!(error.to_string().ends_with(end), "{error}");
}

/// CIFAR-10 is found by the names of its files, in the folder of its archive, too.
#[test]
fn cifar_is_found_by_its_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let unpacked = folder.path().join("cifar-10-batches-bin");
    fs::create_dir(&unpacked).expect("made");
    let mut record = vec![0; 3073];
    for name in ["test_batch.bin", "data_batch_1.bin", "data_batch_2.bin"] {
        record[0] += 1;
        fs::write(unpacked.join(name), &record).expect("written");
    }
    for place in [folder.path(), &unpacked] {
        let data = Dataset::load(place, Split::Test).expect("sound");
        assert_eq!((data.len(), data.label(0)), (1, Some(1)));
        let error = Dataset::load(place, Split::Train).expect_err("three files lack");
        let end = "cifar-10-batches-bin: none of data_batch_3.bin is there";
        assert!(error.to_string().ends_with(end), "{error}");
    }
}
