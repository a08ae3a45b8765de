//! Files, plain or gzip.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::DataError;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Stop counting surplus bytes here: a few bytes of gzip can expand without end.
const SURPLUS_LIMIT: u64 = 1 << 30;

/// A file, decompressed as it is read.
pub(super) struct Source<'a> {
    pub file: &'a Path,
    stream: Box<dyn Read>,
    compressed: bool,
    /// Bytes that can follow, where the file system knows.
    size: Option<u64>,
}

impl<'a> Source<'a> {
    /// Opens it.
    pub fn open(file: &'a Path) -> Result<Self, DataError> {
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

    /// Exactly `length` bytes up to the end of the file. Nothing is allocated for more bytes than
    /// the file holds.
    pub fn body(
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
    pub fn read(&mut self, limit: u64) -> Result<Vec<u8>, DataError> {
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
