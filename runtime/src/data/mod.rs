//! Data sets: reading, pixels, shuffling, batches.

mod augment;
mod batches;
mod cifar;
mod error;
mod folder;
mod idx;
mod pixels;
mod random;
mod shuffle;
mod source;

use std::path::{Path, PathBuf};

pub use augment::{Augment, Augmentation};
pub use batches::{Batch, Batches, Epoch, Preparation, evaluation_batches, training_batches};
pub use cifar::read_cifar10;
pub use error::DataError;
pub use idx::{read_images, read_labels};
pub use pixels::Pixels;
pub(crate) use random::SplitMix64;
pub use shuffle::order;

/// Which half of a data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// `train-images...`, `train-labels...`
    Train,
    /// `t10k-images...`, `t10k-labels...`
    Test,
}

impl Split {
    fn prefix(self) -> &'static str {
        match self {
            Split::Train => "train",
            Split::Test => "t10k",
        }
    }
}

/// Grey or coloured images with class labels, as the bytes of their files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dataset {
    images: Vec<u8>,
    labels: Vec<u8>,
    count: usize,
    /// Height and width of the labels of an image, where each pixel has its own.
    label_shape: Option<[usize; 2]>,
    channels: usize,
    height: usize,
    width: usize,
    classes: usize,
    images_path: PathBuf,
    labels_path: PathBuf,
}

/// What a network needs of a data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs<'a> {
    /// Channels, height and width of an image.
    pub image: [usize; 3],
    /// Extents of the labels of an image: none, or height and width where each pixel has its own.
    pub labels: &'a [usize],
    /// Number of classes.
    pub classes: usize,
}

/// Images as a file holds them: count x height x width bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Images {
    /// Pixels, row-major.
    pub pixels: Vec<u8>,
    /// Number of images.
    pub count: usize,
    /// Rows.
    pub height: usize,
    /// Columns.
    pub width: usize,
}

/// The number of classes of the data sets in IDX form (MNIST, Fashion-MNIST).
pub const IDX_CLASSES: usize = 10;

impl Dataset {
    /// Reads a pair of IDX files whose labels are below `classes`.
    ///
    /// # Errors
    /// As [`Dataset::load`].
    pub fn from_idx_files(images: &Path, labels: &Path, classes: usize) -> Result<Self, DataError> {
        let read = read_images(images)?;
        let bytes = read_labels(labels)?;
        if read.count != bytes.len() {
            return Err(DataError::Count {
                images: images.into(),
                image_count: read.count,
                labels: labels.into(),
                label_count: bytes.len(),
            });
        }
        let dataset = Self {
            images: read.pixels,
            labels: bytes,
            count: read.count,
            label_shape: None,
            channels: 1,
            height: read.height,
            width: read.width,
            classes,
            images_path: images.into(),
            labels_path: labels.into(),
        };
        dataset.check_labels(classes).map(|()| dataset)
    }

    /// Reads a pair of IDX files with a label for each pixel.
    ///
    /// # Errors
    /// As [`Dataset::load`].
    pub fn from_idx_label_maps(images: &Path, labels: &Path) -> Result<Self, DataError> {
        let read = read_images(images)?;
        let maps = read_images(labels)?;
        if read.count != maps.count {
            return Err(DataError::Count {
                images: images.into(),
                image_count: read.count,
                labels: labels.into(),
                label_count: maps.count,
            });
        }
        if (read.height, read.width) != (maps.height, maps.width) {
            return Err(DataError::Labels {
                file: labels.into(),
                found: format!("labels of {} x {} pixels", maps.height, maps.width),
                expected: format!("images of {} x {}", read.height, read.width),
            });
        }
        Ok(Self {
            images: read.pixels,
            labels: maps.pixels,
            count: read.count,
            label_shape: Some([read.height, read.width]),
            channels: 1,
            height: read.height,
            width: read.width,
            classes: usize::from(u8::MAX) + 1,
            images_path: images.into(),
            labels_path: labels.into(),
        })
    }

    /// Checks that a network can use the data.
    ///
    /// # Errors
    /// [`DataError::Shape`], [`DataError::Labels`] or [`DataError::Label`].
    pub fn check(&self, needs: &Needs<'_>) -> Result<(), DataError> {
        let found = [self.channels, self.height, self.width];
        if found != needs.image {
            return Err(DataError::Shape {
                file: self.images_path.clone(),
                found,
                expected: needs.image,
            });
        }
        let own = self.label_shape.as_ref().map_or(&[][..], |shape| shape);
        if own != needs.labels {
            let say = |labels: &[usize]| match labels {
                [height, width] => format!("a label for each of {height} x {width} pixels"),
                _ => "one label per image".to_owned(),
            };
            return Err(DataError::Labels {
                file: self.labels_path.clone(),
                found: say(own),
                expected: format!("the network takes {}", say(needs.labels)),
            });
        }
        self.check_labels(needs.classes)
    }

    fn check_labels(&self, classes: usize) -> Result<(), DataError> {
        let outside = |label: &u8| usize::from(*label) >= classes;
        match self.labels.iter().position(outside) {
            Some(place) => Err(DataError::Label {
                file: self.labels_path.clone(),
                record: place / self.labels_per_image(),
                value: self.labels.get(place).copied().unwrap_or_default(),
                last: classes.saturating_sub(1),
            }),
            None => Ok(()),
        }
    }

    /// Number of examples.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is no example.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Number of labels of an image.
    pub fn labels_per_image(&self) -> usize {
        self.label_shape
            .map_or(1, |[height, width]| height * width)
            .max(1)
    }

    /// Channels, height and width of an image.
    pub fn image_shape(&self) -> [usize; 3] {
        [self.channels, self.height, self.width]
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The file of the images.
    pub fn images_path(&self) -> &Path {
        &self.images_path
    }

    /// The bytes of image `index` in channel, row, column order.
    pub fn image(&self, index: usize) -> Option<&[u8]> {
        let size = self.channels * self.height * self.width;
        let start = index.checked_mul(size)?;
        self.images.get(start..start.checked_add(size)?)
    }

    /// The label of example `index`, the first one where each pixel has its own.
    pub fn label(&self, index: usize) -> Option<u8> {
        self.labels(index)?.first().copied()
    }

    /// The labels of example `index`: one, or one for each pixel.
    pub fn labels(&self, index: usize) -> Option<&[u8]> {
        let size = self.labels_per_image();
        let start = index.checked_mul(size)?;
        self.labels.get(start..start.checked_add(size)?)
    }
}

#[cfg(test)]
mod tests;
