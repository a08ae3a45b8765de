//! Data sets: reading, pixels, shuffling, batches.

mod batches;
mod error;
mod idx;
mod pixels;
mod shuffle;

use std::path::{Path, PathBuf};

pub use batches::{Batch, Batches, evaluation_batches, training_batches};
pub use error::DataError;
pub use idx::{read_images, read_labels};
pub use pixels::Pixels;
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
    channels: usize,
    height: usize,
    width: usize,
    classes: usize,
    images_path: PathBuf,
    labels_path: PathBuf,
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
    /// Reads one half of an MNIST-like data set from `folder`: two IDX files, plain or gzip, with
    /// the names of the originals (`train-images-idx3-ubyte`, or with a dot before `idx3`).
    ///
    /// # Errors
    /// [`DataError`] with file, what was expected and what was found.
    pub fn load(folder: &Path, split: Split) -> Result<Self, DataError> {
        let prefix = split.prefix();
        let images = find(folder, &format!("{prefix}-images"), "idx3-ubyte")?;
        let labels = find(folder, &format!("{prefix}-labels"), "idx1-ubyte")?;
        Self::from_idx_files(&images, &labels, IDX_CLASSES)
    }

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
        let outside = |label: &u8| usize::from(*label) >= classes;
        if let Some(record) = bytes.iter().position(outside) {
            return Err(DataError::Label {
                file: labels.into(),
                record,
                value: bytes.get(record).copied().unwrap_or_default(),
                last: classes.saturating_sub(1),
            });
        }
        Ok(Self {
            images: read.pixels,
            labels: bytes,
            channels: 1,
            height: read.height,
            width: read.width,
            classes,
            images_path: images.into(),
            labels_path: labels.into(),
        })
    }

    /// Checks that a network with these images and this number of classes can use the data.
    ///
    /// # Errors
    /// [`DataError::Shape`] or [`DataError::Label`].
    pub fn check(&self, image: [usize; 3], classes: usize) -> Result<(), DataError> {
        let found = [self.channels, self.height, self.width];
        if found != image {
            return Err(DataError::Shape {
                file: self.images_path.clone(),
                found,
                expected: image,
            });
        }
        let outside = |label: &u8| usize::from(*label) >= classes;
        match self.labels.iter().position(outside) {
            Some(record) => Err(DataError::Label {
                file: self.labels_path.clone(),
                record,
                value: self.labels.get(record).copied().unwrap_or_default(),
                last: classes.saturating_sub(1),
            }),
            None => Ok(()),
        }
    }

    /// Number of examples.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there is no example.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
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

    /// The label of example `index`.
    pub fn label(&self, index: usize) -> Option<u8> {
        self.labels.get(index).copied()
    }
}

/// The first of the usual names that exists, plain before compressed.
fn find(folder: &Path, stem: &str, kind: &str) -> Result<PathBuf, DataError> {
    if !folder.is_dir() {
        return Err(DataError::NoFolder {
            folder: folder.into(),
        });
    }
    let names = [
        format!("{stem}-{kind}"),
        format!("{stem}.{kind}"),
        format!("{stem}-{kind}.gz"),
        format!("{stem}.{kind}.gz"),
    ];
    names
        .iter()
        .map(|name| folder.join(name))
        .find(|path| path.is_file())
        .ok_or_else(|| DataError::NoFile {
            folder: folder.into(),
            tried: names.join(", "),
        })
}

#[cfg(test)]
mod tests;
