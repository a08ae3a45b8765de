//! Batches, prepared on another thread while the device computes.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use super::{Dataset, Pixels, order};

/// Batches that may wait ready: enough to hide the preparation, few enough to stay in memory.
const READY: usize = 3;

/// Examples as the program takes them.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// Values in [rows, channels, height, width].
    pub image: Vec<f32>,
    /// One class per row.
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

/// All examples of `dataset` once, in the order of `(seed, epoch)`, or of the file where `seed`
/// is `None`. The last batch holds what remains and may be smaller.
///
/// # Errors
/// The system's error when no thread can be started.
pub fn training_batches(
    dataset: &Arc<Dataset>,
    pixels: &Pixels,
    batch: usize,
    seed: Option<u64>,
    epoch: u64,
) -> std::io::Result<Batches> {
    let indices = match seed {
        Some(seed) => order(seed, epoch, dataset.len()),
        None => (0..dataset.len()).collect(),
    };
    spawn(dataset, pixels, batch, indices, Padding::None)
}

/// All examples in the order of the file; the last batch is padded with rows of weight 0.
///
/// # Errors
/// The system's error when no thread can be started.
pub fn evaluation_batches(
    dataset: &Arc<Dataset>,
    pixels: &Pixels,
    batch: usize,
) -> std::io::Result<Batches> {
    let indices = (0..dataset.len()).collect();
    spawn(dataset, pixels, batch, indices, Padding::Full)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Padding {
    None,
    Full,
}

fn spawn(
    dataset: &Arc<Dataset>,
    pixels: &Pixels,
    batch: usize,
    indices: Vec<usize>,
    padding: Padding,
) -> std::io::Result<Batches> {
    let (sender, receiver) = sync_channel(READY);
    let (dataset, pixels, batch) = (Arc::clone(dataset), pixels.clone(), batch.max(1));
    thread::Builder::new()
        .name("cnnc-batches".into())
        .spawn(move || {
            for rows in indices.chunks(batch) {
                let size = if padding == Padding::Full {
                    batch
                } else {
                    rows.len()
                };
                // An error means that nobody wants more.
                if sender.send(prepare(&dataset, &pixels, rows, size)).is_err() {
                    return;
                }
            }
        })?;
    Ok(Batches { receiver })
}

fn prepare(dataset: &Dataset, pixels: &Pixels, rows: &[usize], size: usize) -> Batch {
    let elements: usize = dataset.image_shape().iter().product();
    let mut batch = Batch {
        image: Vec::with_capacity(size * elements),
        label: Vec::with_capacity(size),
        weight: vec![1.0; rows.len()],
        examples: rows.len(),
    };
    for &row in rows {
        pixels.extend(&mut batch.image, dataset.image(row).unwrap_or_default());
        batch
            .label
            .push(dataset.label(row).unwrap_or_default().into());
    }
    batch.image.resize(size * elements, 0.0);
    batch.label.resize(size, 0);
    batch.weight.resize(size, 0.0);
    batch
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::dataset;

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
        let batches = training_batches(&numbered(10), &Pixels::default(), 4, None, 0);
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
        let run = |seed, epoch| {
            training_batches(&data, &Pixels::default(), 4, Some(seed), epoch).expect("a thread")
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

    #[test]
    fn stopping_early_ends_the_thread() {
        let data = numbered(10);
        let mut batches =
            training_batches(&data, &Pixels::default(), 1, None, 0).expect("a thread");
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
