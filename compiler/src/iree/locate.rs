//! Where IREE's compiler library lies.

use std::path::{Path, PathBuf};

const LIBRARY: &str = "libIREECompiler.so";

/// A place to look, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// For people: what names this place.
    pub origin: String,
    /// The root of a Python environment, or a file or folder with the library.
    pub root: PathBuf,
}

/// A library that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The library.
    pub path: PathBuf,
    /// What named the place.
    pub origin: String,
}

/// Where the library is looked for, in order: `CNNC_IREE`, the environment of
/// `EERIE_PYTHON` (now, or when this program was built), `.venv` beside the
/// program or the working directory or above them, `VIRTUAL_ENV`.
pub fn candidates() -> Vec<Candidate> {
    let mut list = Vec::new();
    let mut add = |origin: &str, root: PathBuf| {
        list.push(Candidate {
            origin: format!("{} ({origin})", root.display()),
            root,
        });
    };
    if let Some(path) = std::env::var_os("CNNC_IREE") {
        add("CNNC_IREE", path.into());
    }
    let python_root = |python: &Path| python.parent().and_then(Path::parent).map(PathBuf::from);
    if let Some(root) = std::env::var_os("EERIE_PYTHON").and_then(|p| python_root(Path::new(&p))) {
        add("EERIE_PYTHON", root);
    }
    if let Some(root) = option_env!("EERIE_PYTHON").and_then(|p| python_root(Path::new(p))) {
        add("where it was built", root);
    }
    for (origin, start) in [
        ("beside the program", std::env::current_exe().ok()),
        ("working directory", std::env::current_dir().ok()),
    ] {
        for ancestor in start.iter().flat_map(|s| s.ancestors()) {
            let venv = ancestor.join(".venv");
            if venv.is_dir() {
                add(origin, venv);
            }
        }
    }
    if let Some(root) = std::env::var_os("VIRTUAL_ENV") {
        add("VIRTUAL_ENV", root.into());
    }
    list.dedup_by(|a, b| a.root == b.root);
    list
}

/// The first candidate that has the library.
pub fn locate() -> Option<Located> {
    candidates().into_iter().find_map(|candidate| {
        library_in(&candidate.root).map(|path| Located {
            path,
            origin: candidate.origin,
        })
    })
}

fn library_in(root: &Path) -> Option<PathBuf> {
    if root.is_file() {
        return Some(root.to_owned());
    }
    let direct = root.join(LIBRARY);
    if direct.is_file() {
        return Some(direct);
    }
    let mut pythons: Vec<PathBuf> = std::fs::read_dir(root.join("lib"))
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    pythons.sort();
    pythons
        .into_iter()
        .map(|p| {
            p.join("site-packages/iree/compiler/_mlir_libs")
                .join(LIBRARY)
        })
        .find(|p| p.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_found_in_a_python_environment() {
        let root = tempfile::tempdir().unwrap();
        let libs = root
            .path()
            .join("lib/python3.11/site-packages/iree/compiler/_mlir_libs");
        std::fs::create_dir_all(&libs).unwrap();
        assert_eq!(library_in(root.path()), None);
        std::fs::write(libs.join(LIBRARY), "").unwrap();
        assert_eq!(library_in(root.path()), Some(libs.join(LIBRARY)));
    }
}
