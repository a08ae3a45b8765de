//! The IDX format of MNIST and Fashion-MNIST.
//!
//! A big-endian header of a magic number (0x801 labels, 0x803 images) and one size per dimension,
//! then bytes. Compressed files are told by their content, whatever their name.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::{DataError, Images};

const LABELS_MAGIC: u32 = 0x0000_0801;
const IMAGES_MAGIC: u32 = 0x0000_0803;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Stop counting surplus bytes here: a few bytes of gzip can expand without end.
const SURPLUS_LIMIT: u64 = 1 << 30;

/// Reads a file of images, plain or gzip.
///
/// # Errors
/// [`DataError`] with the file, what was expected and what was found.
pub fn read_images(file: &Path) -> Result<Images, DataError> {
    let mut source = Source::open(file)?;
    let [count, height, width] = source.header(IMAGES_MAGIC)?;
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
    let [count] = source.header(LABELS_MAGIC)?;
    source.body(8, Some(u64::from(count)), format!("{count} labels"))
}

struct Source<'a> {
    file: &'a Path,
    stream: Box<dyn Read>,
    compressed: bool,
    /// Bytes that can follow, where the file system knows.
    size: Option<u64>,
}

impl<'a> Source<'a> {
    fn open(file: &'a Path) -> Result<Self, DataError> {
        let failed = |source| DataError::Io {
            file: file.into(),
            source,
        };
        let opened = File::open(file).map_err(failed)?;
        let metadata = opened.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        let mut stream = BufReader::new(opened);
        let compressed = stream.fill_buf().map_err(failed)?.starts_with(&GZIP_MAGIC);
        Ok(Self {
            file,
            compressed,
            size: (metadata.is_file() && !compressed).then_some(metadata.len()),
            stream: if compressed {
                Box::new(MultiGzDecoder::new(stream))
            } else {
                Box::new(stream)
            },
        })
    }

    /// The magic number and `N` sizes.
    fn header<const N: usize>(&mut self, expected: u32) -> Result<[u32; N], DataError> {
        let length = 4 * (N + 1);
        let bytes = self.read(length as u64)?;
        let mut words = bytes.as_chunks().0.iter().map(|w| u32::from_be_bytes(*w));
        let short = || DataError::Header {
            file: self.file.into(),
            expected: length,
            found: bytes.len(),
        };
        let magic = words.next().ok_or_else(short)?;
        if magic != expected {
            return Err(DataError::Magic {
                file: self.file.into(),
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

    /// Exactly `length` bytes up to the end of the file. Nothing is allocated for more bytes than
    /// the file holds.
    fn body(
        &mut self,
        header: u64,
        length: Option<u64>,
        what: String,
    ) -> Result<Vec<u8>, DataError> {
        let fault = |what, fault| DataError::Size {
            file: self.file.into(),
            what,
            fault,
        };
        let whole = length.and_then(|length| length.checked_add(header));
        let (Some(length), Some(expected)) = (length, whole) else {
            return Err(fault(what, "too many bytes"));
        };
        if length == 0 {
            return Err(fault(what, "nothing to learn from"));
        }
        let mismatch = |found| DataError::Length {
            file: self.file.into(),
            what: what.clone(),
            expected,
            found,
        };
        if let Some(found) = self.size.filter(|size| *size != expected) {
            return Err(mismatch(found));
        }
        let bytes = self.read(length)?;
        let mut found = header + bytes.len() as u64;
        if bytes.len() as u64 == length {
            found += self.surplus()?;
        }
        if found == expected {
            return Ok(bytes);
        }
        Err(DataError::Length {
            file: self.file.into(),
            what,
            expected,
            found,
        })
    }

    /// Up to `limit` bytes, growing with what is really there.
    fn read(&mut self, limit: u64) -> Result<Vec<u8>, DataError> {
        let mut bytes = Vec::new();
        let read = (&mut self.stream).take(limit).read_to_end(&mut bytes);
        read.map_err(|source| self.failed(source))?;
        Ok(bytes)
    }

    fn surplus(&mut self) -> Result<u64, DataError> {
        let mut rest = (&mut self.stream).take(SURPLUS_LIMIT);
        io::copy(&mut rest, &mut io::sink()).map_err(|source| self.failed(source))
    }

    fn failed(&self, source: io::Error) -> DataError {
        let file = self.file.into();
        if self.compressed {
            DataError::Gzip { file, source }
        } else {
            DataError::Io { file, source }
        }
    }
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
