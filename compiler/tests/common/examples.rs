//! The examples and the test data.

use std::path::{Path, PathBuf};

use cnnc::driver::{self, Unit};
use cnnc::network::Options;

/// A file of the test data.
pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(name)
}

/// An example, read and found right.
pub fn example(name: &str) -> Unit {
    chosen(name, &Options::default())
}

/// The net of an example that the options choose.
pub fn chosen(name: &str, options: &Options) -> Unit {
    let file = format!("{name}.net");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let read = |name: &str| std::fs::read_to_string(folder.join(name));
    let resolve = |name: &str| read(name).map_err(|error| error.to_string());
    let unit = driver::read_with(&file, &read(&file).unwrap(), options, &resolve);
    unit.unwrap_or_else(|error| panic!("{name}: {error}"))
}
