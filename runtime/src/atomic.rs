//! Files that are either wholly written or not touched.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Writes `bytes` to `path` so that at every moment the old or the new content is there.
///
/// The bytes go to a temporary file in the same folder, are forced to disk and take the name at
/// once. An interruption leaves at most a file named `.NAME.*.tmp`.
///
/// # Errors
/// The system's error; `path` then holds what it held before.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
    let mut prefix = OsString::from(".");
    prefix.push(name);
    prefix.push(".");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new file has: the umask is applied to it. The default would be private.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    // The new name itself must reach the disk, too. Not every file system can do that.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("a folder");
        entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .into_string()
                    .expect("UTF-8")
            })
            .collect()
    }

    #[test]
    fn replaces_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        write_atomically(&path, b"old").expect("written");
        write_atomically(&path, b"new").expect("written");
        assert_eq!(std::fs::read(&path).expect("read"), b"new");
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[test]
    fn a_failure_leaves_the_folder_as_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let occupied = folder.path().join("a");
        std::fs::create_dir(&occupied).expect("a folder");
        std::fs::write(occupied.join("b"), b"kept").expect("written");
        write_atomically(&occupied, b"new").expect_err("a folder stands there");
        assert_eq!(names(folder.path()), ["a"]);
        assert_eq!(std::fs::read(occupied.join("b")).expect("read"), b"kept");
        write_atomically(&folder.path().join("no/such/file"), b"").expect_err("no folder");
        write_atomically(Path::new("/"), b"").expect_err("no name");
    }

    #[cfg(unix)]
    #[test]
    fn others_may_read_it_as_the_umask_allows() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let mode = |name: &str| {
            let metadata = std::fs::metadata(folder.path().join(name)).expect("there");
            metadata.permissions().mode()
        };
        write_atomically(&folder.path().join("ours"), b"").expect("written");
        std::fs::write(folder.path().join("usual"), b"").expect("written");
        assert_eq!(mode("ours"), mode("usual"));
    }
}
