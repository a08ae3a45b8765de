//! Batches, prepared on another thread while the device computes.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use super::{Augment, Dataset, Pixels, order};

/// Batches that may wait ready: enough to hide the preparation, few enough to stay in memory.
const READY: usize = 3;

/// Examples as the program takes them.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// Values in [rows, channels, height, width].
    pub image: Vec<f32>,
    /// One class per row, or per pixel of a row.
    pub label: Vec<i32>,
    /// 1 for an example, 0 for padding.
    pub weight: Vec<f32>,
    /// Number of examples; they come before the padding.
    pub examples: usize,
}

/// An iterator over batches that another thread prepares. Dropping it stops the thread.
#[derive(Debug)]
pub struct Batches {
    receiver: Receiver<Batch>,
}

impl Iterator for Batches {
    type Item = Batch;

    fn next(&mut self) -> Option<Batch> {
        self.receiver.recv().ok()
    }
}

/// From the bytes of an example to what the network sees.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Preparation {
    /// How bytes become floats.
    pub pixels: Pixels,
    /// What happens to training images before that.
    pub augment: Augment,
}

/// Which examples a training takes, in which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Epoch {
    /// Its number, which the order and the augmentation depend on.
    pub number: u64,
    /// Seed of the order; `None` is the order of the file.
    pub shuffle: Option<u64>,
    /// How many examples, the first ones of that order, have been taken already.
    pub taken: usize,
}

/// The examples of `dataset` that `epoch` has still to take, each once. The last batch holds
/// what remains and may be smaller.
///
/// # Errors
/// The system's error when no thread can be started.
pub fn training_batches(
    dataset: &Arc<Dataset>,
    preparation: &Preparation,
    batch: usize,
    epoch: Epoch,
) -> std::io::Result<Batches> {
    let mut indices = match epoch.shuffle {
        Some(seed) => order(seed, epoch.number, dataset.len()),
        None => (0..dataset.len()).collect(),
    };
    indices.drain(..epoch.taken.min(indices.len()));
    let (pixels, augment) = (preparation.pixels.clone(), preparation.augment.clone());
    let prepare = move |dataset: &Dataset, rows: &[usize]| {
        let [_, height, width] = dataset.image_shape();
        let mut batch = Batch::with_capacity(dataset, rows.len());
        for &row in rows {
            let image = dataset.image(row).unwrap_or_default();
            let labels = dataset.labels(row).unwrap_or_default();
            match augment.moves(epoch.number, row, [height, width]) {
                None => batch.push(dataset, &pixels, image, labels),
                Some(moves) => {
                    let image = moves.apply(image);
                    match labels.len() {
                        1 => batch.push(dataset, &pixels, &image, labels),
                        _ => batch.push(dataset, &pixels, &image, &moves.apply(labels)),
                    }
                }
            }
        }
        batch
    };
    spawn(dataset, batch, indices, prepare)
}

/// All examples in the order of the file; the last batch is padded with rows of weight 0.
///
/// # Errors
/// The system's error when no thread can be started.
pub fn evaluation_batches(
    dataset: &Arc<Dataset>,
    pixels: &Pixels,
    size: usize,
) -> std::io::Result<Batches> {
    let (pixels, size) = (pixels.clone(), size.max(1));
    let prepare = move |dataset: &Dataset, rows: &[usize]| {
        let mut batch = Batch::with_capacity(dataset, size);
        for &row in rows {
            let image = dataset.image(row).unwrap_or_default();
            let labels = dataset.labels(row).unwrap_or_default();
            batch.push(dataset, &pixels, image, labels);
        }
        let elements: usize = dataset.image_shape().iter().product();
        batch.image.resize(size * elements, 0.0);
        batch.label.resize(size * dataset.labels_per_image(), 0);
        batch.weight.resize(size, 0.0);
        batch
    };
    spawn(dataset, size, (0..dataset.len()).collect(), prepare)
}

impl Batch {
    fn with_capacity(dataset: &Dataset, size: usize) -> Self {
        let elements: usize = dataset.image_shape().iter().product();
        Batch {
            image: Vec::with_capacity(size * elements),
            label: Vec::with_capacity(size * dataset.labels_per_image()),
            weight: Vec::with_capacity(size),
            examples: 0,
        }
    }

    /// Adds an example.
    fn push(&mut self, dataset: &Dataset, pixels: &Pixels, image: &[u8], labels: &[u8]) {
        let [channels, ..] = dataset.image_shape();
        pixels.extend(&mut self.image, image, channels);
        self.label
            .extend(labels.iter().map(|&label| i32::from(label)));
        self.weight.push(1.0);
        self.examples += 1;
    }
}

fn spawn(
    dataset: &Arc<Dataset>,
    batch: usize,
    indices: Vec<usize>,
    prepare: impl Fn(&Dataset, &[usize]) -> Batch + Send + 'static,
) -> std::io::Result<Batches> {
    let (sender, receiver) = sync_channel(READY);
    let (dataset, batch) = (Arc::clone(dataset), batch.max(1));
    thread::Builder::new()
        .name("cnnc-batches".into())
        .spawn(move || {
            for rows in indices.chunks(batch) {
                // An error means that nobody wants more.
                if sender.send(prepare(&dataset, rows)).is_err() {
                    return;
                }
            }
        })?;
    Ok(Batches { receiver })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Augmentation;
    use crate::fixture::dataset;

    fn epoch(number: u64, shuffle: Option<u64>) -> Epoch {
        Epoch {
            number,
            shuffle,
            taken: 0,
        }
    }

    fn labels(batches: Batches) -> Vec<Vec<i32>> {
        batches.map(|batch| batch.label).collect()
    }

    /// Images of one pixel, whose byte and label are the index.
    fn numbered(count: u8) -> Arc<Dataset> {
        let bytes: Vec<u8> = (0..count).collect();
        Arc::new(dataset(&bytes, [1, 1], &bytes, 10))
    }

    #[test]
    fn the_last_training_batch_is_what_remains() {
        let batches = training_batches(&numbered(10), &Preparation::default(), 4, epoch(0, None));
        let batches: Vec<Batch> = batches.expect("a thread").collect();
        assert_eq!(batches.len(), 3);
        assert_eq!(batches[0].label, [0, 1, 2, 3]);
        assert_eq!(batches[2].label, [8, 9]);
        assert_eq!(batches[2].image, [8.0 / 255.0, 9.0 / 255.0]);
        assert_eq!(batches[2].weight, [1.0, 1.0]);
        assert_eq!(batches[2].examples, 2);
    }

    #[test]
    fn the_last_evaluation_batch_is_padded_with_weight_0() {
        let batches = evaluation_batches(&numbered(10), &Pixels::default(), 4);
        let last = batches.expect("a thread").last().expect("three batches");
        assert_eq!(last.label, [8, 9, 0, 0]);
        assert_eq!(last.image, [8.0 / 255.0, 9.0 / 255.0, 0.0, 0.0]);
        assert_eq!(last.weight, [1.0, 1.0, 0.0, 0.0]);
        assert_eq!(last.examples, 2);
    }

    #[test]
    fn the_same_seed_gives_the_same_batches_and_images_keep_their_labels() {
        let data = numbered(10);
        let run = |seed, number| {
            let epoch = epoch(number, Some(seed));
            training_batches(&data, &Preparation::default(), 4, epoch).expect("a thread")
        };
        assert_eq!(labels(run(1, 2)), labels(run(1, 2)));
        assert_ne!(labels(run(1, 2)), labels(run(1, 3)));
        let mut seen = Vec::new();
        for batch in run(1, 2) {
            for (&label, &value) in batch.label.iter().zip(&batch.image) {
                assert_eq!(value, label as f32 / 255.0);
                seen.push(label);
            }
        }
        seen.sort_unstable();
        assert_eq!(seen, (0..10).collect::<Vec<_>>());
    }

    /// An epoch that was left after eight examples goes on with the other two of its order.
    #[test]
    fn an_epoch_goes_on_where_it_was_left() {
        let data = numbered(10);
        let of = |epoch| {
            let batches = training_batches(&data, &Preparation::default(), 4, epoch);
            labels(batches.expect("a thread"))
        };
        let whole = of(epoch(3, Some(7)));
        let rest = of(Epoch {
            taken: 8,
            ..epoch(3, Some(7))
        });
        assert_eq!(rest, whole[2..]);
        let none = of(Epoch {
            taken: 11,
            ..epoch(3, Some(7))
        });
        assert!(none.is_empty());
    }

    /// The batch size has no influence on what happens to an image, nor has the order.
    #[test]
    fn augmentation_goes_with_the_example() {
        let pixels: Vec<u8> = (0..40).collect();
        let data = Arc::new(dataset(&pixels, [2, 2], &[0; 10], 10));
        let preparation = Preparation {
            augment: Augment {
                changes: vec![Augmentation::PadCrop(1), Augmentation::Flip],
                seed: 1,
            },
            ..Preparation::default()
        };
        let images = |size, epoch| {
            let batches = training_batches(&data, &preparation, size, epoch).expect("a thread");
            let values = batches.flat_map(|batch| batch.image);
            let values: Vec<String> = values.map(|value| value.to_string()).collect();
            let mut images: Vec<Vec<String>> = values.chunks(4).map(<[_]>::to_vec).collect();
            images.sort();
            images
        };
        let one = images(10, epoch(2, None));
        assert_eq!(one, images(3, epoch(2, Some(5))));
        assert_ne!(one, images(10, epoch(3, None)));
    }

    #[test]
    fn stopping_early_ends_the_thread() {
        let data = numbered(10);
        let mut batches =
            training_batches(&data, &Preparation::default(), 1, epoch(0, None)).expect("a thread");
        assert!(batches.next().is_some());
        drop(batches);
        for _ in 0..1000 {
            if Arc::strong_count(&data) == 1 {
                return;
            }
            thread::sleep(std::time::Duration::from_millis(5));
        }
        panic!("the thread still holds the data set");
    }
}
