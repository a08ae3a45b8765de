//! What can be wrong with a data set.

use std::path::PathBuf;

use thiserror::Error;

/// Why a data set cannot be used.
#[derive(Debug, Error)]
pub enum DataError {
    /// The folder does not exist or is none.
    #[error("{}: no such folder", folder.display())]
    NoFolder {
        /// As given.
        folder: PathBuf,
    },
    /// None of the usual names exists in the folder.
    #[error("{}: none of {tried} is there", folder.display())]
    NoFile {
        /// As given.
        folder: PathBuf,
        /// The names, comma-separated.
        tried: String,
    },
    /// The file cannot be opened or read.
    #[error("{}: {source}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The gzip stream is cut or damaged.
    #[error("{}: damaged gzip data: {source}", file.display())]
    Gzip {
        /// The file.
        file: PathBuf,
        /// The decoder's error.
        source: std::io::Error,
    },
    /// The first four bytes are not those of this kind of file.
    #[error("{}: bad magic number 0x{found:08X}, expected 0x{expected:08X}{hint}", file.display())]
    Magic {
        /// The file.
        file: PathBuf,
        /// As needed.
        expected: u32,
        /// As found.
        found: u32,
        /// What the file looks like, starting with a separator, or empty.
        hint: &'static str,
    },
    /// The file ends inside its header.
    #[error("{}: expected a header of {expected} bytes, got {found}", file.display())]
    Header {
        /// The file.
        file: PathBuf,
        /// Bytes of the header.
        expected: usize,
        /// Bytes there.
        found: usize,
    },
    /// The header promises another number of bytes than the file holds.
    #[error("{}: expected {expected} bytes for {what}, got {found}", file.display())]
    Length {
        /// The file.
        file: PathBuf,
        /// What the header promises, for example `3 images of 28 x 28`.
        what: String,
        /// Bytes promised, header included.
        expected: u64,
        /// Bytes there, after decompression.
        found: u64,
    },
    /// The sizes in the header are zero or too large.
    #[error("{}: the header promises {what}: {fault}", file.display())]
    Size {
        /// The file.
        file: PathBuf,
        /// What the header promises.
        what: String,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// Images and labels are not equally many.
    #[error("{} holds {image_count} images, {} holds {label_count} labels", images.display(), labels.display())]
    Count {
        /// The file of the images.
        images: PathBuf,
        /// Number of images.
        image_count: usize,
        /// The file of the labels.
        labels: PathBuf,
        /// Number of labels.
        label_count: usize,
    },
    /// A label outside the classes.
    #[error("{}: label {value} in record {record} (counted from 0), allowed 0..{last}", file.display())]
    Label {
        /// The file of the labels.
        file: PathBuf,
        /// Index of the record.
        record: usize,
        /// Its label.
        value: u8,
        /// The last class.
        last: usize,
    },
    /// The images are not of the size the network takes.
    #[error("{}: images of {found:?} (channels, height, width), the network takes {expected:?}", file.display())]
    Shape {
        /// The file of the images.
        file: PathBuf,
        /// As found.
        found: [usize; 3],
        /// As needed.
        expected: [usize; 3],
    },
    /// The labels are not of the form that the network takes.
    #[error("{}: {found}, {expected}", file.display())]
    Labels {
        /// The file of the labels.
        file: PathBuf,
        /// What is there.
        found: String,
        /// What should be.
        expected: String,
    },
    /// A file of records of another length.
    #[error("{}: expected a whole number of records of {record} bytes, got {found} bytes{hint}", file.display())]
    Records {
        /// The file.
        file: PathBuf,
        /// Bytes of a record.
        record: usize,
        /// Bytes there, after decompression.
        found: usize,
        /// What the file may be, starting with a separator, or empty.
        hint: &'static str,
    },
    /// Pixels cannot be normalised like this.
    #[error(
        "normalize: mean {mean:?} and std {std:?} must be finite, std positive, and equally many"
    )]
    Normalize {
        /// As given.
        mean: Vec<f32>,
        /// As given.
        std: Vec<f32>,
    },
    /// Numbers for another number of channels than the images have.
    #[error("normalize: for {found} channels, the images have {channels}")]
    Channels {
        /// Channels that there are numbers for.
        found: usize,
        /// Channels of the images.
        channels: usize,
    },
}
