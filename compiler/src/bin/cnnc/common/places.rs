//! Folders of this user and of this program.

use std::env;
use std::path::{Path, PathBuf};

/// Where compiled programs are kept.
pub fn cache() -> Option<PathBuf> {
    let set = |name| {
        env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let folder = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
    Some(folder.join("cnnc"))
}

/// The working directory, then the folders above the program.
pub fn roots() -> Vec<PathBuf> {
    let mut roots = vec![PathBuf::from("")];
    if let Ok(program) = env::current_exe() {
        roots.extend(program.ancestors().skip(1).map(Path::to_owned));
    }
    roots
}
