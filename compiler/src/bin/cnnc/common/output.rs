//! Outputs that appear whole or not at all.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::console;
use super::failure::Failure;
use super::input::is_dash;

/// Where an output goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// stdout.
    Stdout,
    /// A file.
    File(PathBuf),
}

impl Destination {
    /// `-` is stdout.
    pub fn new(path: PathBuf) -> Self {
        match is_dash(&path) {
            true => Destination::Stdout,
            false => Destination::File(path),
        }
    }

    /// Whether it is a terminal.
    pub fn is_terminal(&self) -> bool {
        *self == Destination::Stdout && io::stdout().is_terminal()
    }

    /// Finds out, before work begins, whether it can be written.
    pub fn probe(&self) -> Result<(), Failure> {
        let Destination::File(path) = self else {
            return Ok(());
        };
        let probed = match place(path) {
            // A file without a name: it leaves nothing behind.
            Ok(Place::Folder(folder)) => tempfile::tempfile_in(folder).map(|_| ()),
            Ok(Place::Device) => Ok(()),
            Err(error) => Err(error),
        };
        probed.map_err(|error| cannot_write(path, &error))
    }
}

/// What stands at a path that is to be written.
enum Place<'a> {
    /// Nothing or a file, in this folder.
    Folder(&'a Path),
    /// A device or pipe, which must not be replaced.
    Device,
}

fn place(path: &Path) -> io::Result<Place<'_>> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            return Err(io::Error::new(
                io::ErrorKind::IsADirectory,
                "it is a folder",
            ));
        }
        Ok(found) if !found.is_file() => return Ok(Place::Device),
        _ => {}
    }
    if path.file_name().is_none() {
        let message = "the path names no file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    Ok(Place::Folder(match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }))
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("cannot write `{}`: {error}", path.display()))
}

/// Writes all outputs, or none where one cannot be written.
pub fn write(outputs: &[(Destination, Vec<u8>)]) -> Result<(), Failure> {
    let mut staged = Vec::new();
    for (destination, bytes) in outputs {
        if let Destination::File(path) = destination {
            staged.push(Staged::new(path, bytes).map_err(|error| cannot_write(path, &error))?);
        }
    }
    for file in staged {
        let path = file.path;
        file.finish().map_err(|error| cannot_write(path, &error))?;
    }
    for (destination, bytes) in outputs {
        if *destination == Destination::Stdout {
            console::print(bytes)?;
        }
    }
    Ok(())
}

/// Content that waits beside its path, or for its device.
struct Staged<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    file: Option<NamedTempFile>,
}

impl<'a> Staged<'a> {
    fn new(path: &'a Path, bytes: &'a [u8]) -> io::Result<Self> {
        let file = match place(path)? {
            Place::Device => None,
            Place::Folder(folder) => {
                let mut file = builder(path).tempfile_in(folder)?;
                file.write_all(bytes)?;
                file.as_file().sync_all()?;
                Some(file)
            }
        };
        Ok(Staged { path, bytes, file })
    }

    fn finish(self) -> io::Result<()> {
        match self.file {
            Some(file) => file
                .persist(self.path)
                .map(|_| ())
                .map_err(|error| error.error),
            None => fs::OpenOptions::new()
                .write(true)
                .open(self.path)?
                .write_all(self.bytes),
        }
    }
}

fn builder(path: &Path) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(path).map_or(0o666, |found| found.permissions().mode());
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    builder
}
