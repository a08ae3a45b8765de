//! Compiled modules on disk, by the hash of everything that they depend on.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{Error, Flags, Iree};

/// A folder of compiled modules. Files appear whole or not at all.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
    machine: String,
}

impl Cache {
    /// A cache in `folder` for code that may depend on `machine`, a text that
    /// names the CPU.
    pub fn new(folder: impl Into<PathBuf>, machine: impl Into<String>) -> Self {
        Cache {
            folder: folder.into(),
            machine: machine.into(),
        }
    }

    fn path(&self, iree: &Iree, text: &str, flags: &Flags) -> PathBuf {
        let mut hash = Sha256::new();
        let revision = iree.revision();
        let arguments = flags.arguments();
        let parts = [text, &revision, &self.machine]
            .into_iter()
            .chain(arguments.iter().map(String::as_str));
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        let name: String = hash.finalize().iter().map(|b| format!("{b:02x}")).collect();
        self.folder.join(format!("{name}.vmfb"))
    }

    /// The compiled module: from the cache, or compiled now and kept.
    ///
    /// # Errors
    /// As [`Iree::compile`], and [`Error::Cache`] if it cannot be kept.
    pub fn compile(&self, iree: &Iree, text: &str, flags: &Flags) -> Result<Vec<u8>, Error> {
        let path = self.path(iree, text, flags);
        if let Ok(bytes) = fs::read(&path) {
            return Ok(bytes);
        }
        let bytes = iree.compile(text, flags)?;
        write_whole(&path, &bytes).map_err(|source| Error::Cache { path, source })?;
        Ok(bytes)
    }
}

fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path)?;
    Ok(())
}
