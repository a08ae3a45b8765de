//! Files and stdin as texts.

use std::io::{self, Read};
use std::path::Path;

use super::failure::Failure;

/// What stdin is called in messages.
pub const STDIN: &str = "<stdin>";

/// A text and what to call it.
#[derive(Debug)]
pub struct Input {
    /// The path as it was given, or `<stdin>`.
    pub name: String,
    /// The text.
    pub text: String,
}

/// Whether the argument stands for stdin or stdout.
pub fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a file, or stdin for `-`.
pub fn read(path: &Path) -> Result<Input, Failure> {
    let (name, bytes) = if is_dash(path) {
        let mut bytes = Vec::new();
        let read = io::stdin().lock().read_to_end(&mut bytes);
        (STDIN.to_owned(), read.map(|_| bytes))
    } else {
        (path.display().to_string(), read_file(path))
    };
    let bytes = bytes.map_err(|error| Failure::new(format!("cannot read `{name}`: {error}")))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Input { name, text }),
        Err(error) => {
            let place = error.utf8_error().valid_up_to();
            let message = format!("`{name}` is no text: byte {place} is not UTF-8");
            Err(Failure::new(message))
        }
    }
}

/// The text of an imported file, or why there is none.
pub fn imported(path: &str) -> Result<String, String> {
    let bytes = read_file(Path::new(path)).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|_| "it is no text".to_owned())
}

fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    if path.is_dir() {
        return Err(io::Error::new(
            io::ErrorKind::IsADirectory,
            "it is a folder",
        ));
    }
    std::fs::read(path)
}
