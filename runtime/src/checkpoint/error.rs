//! What can be wrong with a checkpoint.

use std::path::PathBuf;

use thiserror::Error;

use crate::manifest::Dtype;

/// Why a checkpoint cannot be written or read.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// The file cannot be read.
    #[error("{}: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The file cannot be written; an older one is untouched.
    #[error("cannot write {}: {source}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The file is cut, damaged or no checkpoint.
    #[error("{}: damaged or no checkpoint ({size} bytes): {message}", file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// Its size in bytes.
        size: usize,
        /// What is wrong.
        message: String,
    },
    /// A tensor of the network is not in the file.
    #[error("{}: no tensor `{name}`{hint}", file.display())]
    Missing {
        /// The file.
        file: PathBuf,
        /// Name of the tensor.
        name: String,
        /// The nearest name in the file, starting with a separator, or empty.
        hint: String,
    },
    /// A tensor in the file is not of the network.
    #[error("{}: tensor `{name}` is not of this network{hint}", file.display())]
    Unknown {
        /// The file.
        file: PathBuf,
        /// Name of the tensor.
        name: String,
        /// The nearest name in the network, starting with a separator, or empty.
        hint: String,
    },
    /// A tensor has another shape.
    #[error("{}: `{name}` has shape {found:?}, the network needs {expected:?}", file.display())]
    Shape {
        /// The file.
        file: PathBuf,
        /// Name of the tensor.
        name: String,
        /// As found.
        found: Vec<usize>,
        /// As needed.
        expected: Vec<usize>,
    },
    /// A tensor has another element type.
    #[error("{}: `{name}` is {found}, the network needs {expected}; convert the file first", file.display())]
    Dtype {
        /// The file.
        file: PathBuf,
        /// Name of the tensor.
        name: String,
        /// As found.
        found: String,
        /// As needed.
        expected: Dtype,
    },
}
