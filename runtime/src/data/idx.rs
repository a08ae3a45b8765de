//! The IDX format of MNIST and Fashion-MNIST.
//!
//! A big-endian header of a magic number (0x801 labels, 0x803 images) and one size per dimension,
//! then bytes. Compressed files are told by their content, whatever their name.

use std::path::Path;

use super::source::Source;
use super::{DataError, Images};

const LABELS_MAGIC: u32 = 0x0000_0801;
const IMAGES_MAGIC: u32 = 0x0000_0803;

/// Reads a file of images, plain or gzip.
///
/// # Errors
/// [`DataError`] with the file, what was expected and what was found.
pub fn read_images(file: &Path) -> Result<Images, DataError> {
    let mut source = Source::open(file)?;
    let [count, height, width] = header(&mut source, IMAGES_MAGIC)?;
    let what = format!("{count} images of {height} x {width}");
    let size = u64::from(height) * u64::from(width);
    let body = size.checked_mul(u64::from(count));
    let pixels = source.body(16, body, what)?;
    Ok(Images {
        pixels,
        count: count as usize,
        height: height as usize,
        width: width as usize,
    })
}

/// Reads a file of labels, plain or gzip. The values are not checked here.
///
/// # Errors
/// [`DataError`] with the file, what was expected and what was found.
pub fn read_labels(file: &Path) -> Result<Vec<u8>, DataError> {
    let mut source = Source::open(file)?;
    let [count] = header(&mut source, LABELS_MAGIC)?;
    source.body(8, Some(u64::from(count)), format!("{count} labels"))
}

/// The magic number and `N` sizes.
fn header<const N: usize>(source: &mut Source<'_>, expected: u32) -> Result<[u32; N], DataError> {
    let length = 4 * (N + 1);
    let bytes = source.read(length as u64)?;
    let mut words = bytes.as_chunks().0.iter().map(|w| u32::from_be_bytes(*w));
    let short = || DataError::Header {
        file: source.file.into(),
        expected: length,
        found: bytes.len(),
    };
    let magic = words.next().ok_or_else(short)?;
    if magic != expected {
        return Err(DataError::Magic {
            file: source.file.into(),
            expected,
            found: magic,
            hint: hint(magic, expected),
        });
    }
    let mut sizes = [0; N];
    for size in &mut sizes {
        *size = words.next().ok_or_else(short)?;
    }
    Ok(sizes)
}

/// What a file with the wrong magic number probably is.
fn hint(found: u32, expected: u32) -> &'static str {
    match found.to_be_bytes() {
        [0, 0, 8, 1] if expected == IMAGES_MAGIC => {
            ": this is a file of labels; are images and labels swapped?"
        }
        [0, 0, 8, 3] if expected == LABELS_MAGIC => {
            ": this is a file of images; are images and labels swapped?"
        }
        [0, 0, 8, _] => ": an IDX file with another number of dimensions",
        [0x1f, 0x8b, ..] => ": compressed twice",
        [b'<', ..] => ": this looks like HTML; was a web page saved instead of the file?",
        [b'P', b'K', ..] => ": this is a zip archive",
        [0xfd, b'7', b'z', b'X'] => ": this is xz data",
        [b'B', b'Z', b'h', _] => ": this is bzip2 data",
        _ => "",
    }
}

#[cfg(test)]
mod tests;
