//! Data sets in a folder, by the names of their files.

use std::path::{Path, PathBuf};

use super::{DataError, Dataset, IDX_CLASSES, Split, cifar, read_cifar10};

impl Dataset {
    /// Reads one half of a data set from `folder`.
    ///
    /// Either MNIST-like: IDX files, plain or gzip, with the names of the originals
    /// (`train-images-idx3-ubyte`, or with a dot before `idx3`). Where each pixel has its label,
    /// the file of labels has the name and the form of one of images
    /// (`train-labels-idx3-ubyte`). Or CIFAR-10 in its binary form (`data_batch_1.bin`), also in
    /// the folder that its archive unpacks to.
    ///
    /// # Errors
    /// [`DataError`] with file, what was expected and what was found.
    pub fn load(folder: &Path, split: Split) -> Result<Self, DataError> {
        if !folder.is_dir() {
            return Err(DataError::NoFolder {
                folder: folder.into(),
            });
        }
        if let Some(files) = cifar_files(folder, split)? {
            return read_cifar10(&files);
        }
        let prefix = split.prefix();
        let images = find(folder, &format!("{prefix}-images"), "idx3-ubyte")?;
        let labels = format!("{prefix}-labels");
        match find(folder, &labels, "idx3-ubyte") {
            Ok(maps) => Self::from_idx_label_maps(&images, &maps),
            Err(_) => {
                let labels = find(folder, &labels, "idx1-ubyte")?;
                Self::from_idx_files(&images, &labels, IDX_CLASSES)
            }
        }
    }
}

/// The files of CIFAR-10, where one of them is there.
fn cifar_files(folder: &Path, split: Split) -> Result<Option<Vec<PathBuf>>, DataError> {
    let halves = [Split::Train, Split::Test];
    let has = |folder: &Path| {
        let mut names = halves.into_iter().flat_map(cifar::names);
        names.any(|name| folder.join(name).is_file())
    };
    let unpacked = folder.join(cifar::FOLDER);
    let folder = match (has(folder), has(&unpacked)) {
        (true, _) => folder,
        (false, true) => &unpacked,
        (false, false) => return Ok(None),
    };
    let files = cifar::names(split).iter().map(|name| {
        let path = folder.join(name);
        match path.is_file() {
            true => Ok(path),
            false => Err(DataError::NoFile {
                folder: folder.into(),
                tried: (*name).to_owned(),
            }),
        }
    });
    files.collect::<Result<_, _>>().map(Some)
}

/// The first of the usual names that exists, plain before compressed.
fn find(folder: &Path, stem: &str, kind: &str) -> Result<PathBuf, DataError> {
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
