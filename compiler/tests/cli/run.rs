//! Running a command in a folder of its own.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub const CNNC: &str = env!("CARGO_BIN_EXE_cnnc");
pub const CNNC_OPT: &str = env!("CARGO_BIN_EXE_cnnc-opt");

/// A network of one dense layer.
pub const LINEAR: &str = "net linear {
    input image: f32[N, 1, 28, 28];
    image |> flatten |> dense(10)
}
train {
    batch  = 12;
    epochs = 2;
}
";

/// What a command left.
#[derive(Debug)]
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    /// stdout of a command that went well.
    #[track_caller]
    pub fn success(self) -> String {
        assert_eq!(self.code, Some(0), "{}{}", self.stdout, self.stderr);
        self.stdout
    }

    /// stderr of a command that failed with this code and printed no data.
    #[track_caller]
    pub fn failure(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{}{}", self.stdout, self.stderr);
        assert_eq!(self.stdout, "", "{}", self.stderr);
        self.stderr
    }

    /// stderr, of one line, of a command that failed.
    #[track_caller]
    pub fn one_line(self) -> String {
        let text = self.failure(1);
        assert_eq!(text.lines().count(), 1, "{text}");
        text
    }

    /// The single error of a command that failed with this code.
    #[track_caller]
    pub fn one_error(self, code: i32) -> String {
        let text = self.failure(code);
        let errors = text
            .lines()
            .filter(|line| line.starts_with("error"))
            .count();
        assert_eq!(errors, 1, "{text}");
        text
    }
}

/// A folder that commands run in.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    /// With `linear.net` and a data set `data` of sixteen images for both halves.
    pub fn with_data() -> Self {
        let folder = Folder::new();
        folder.write("linear.net", LINEAR);
        fs::create_dir(folder.path("data")).unwrap();
        for half in ["train", "t10k"] {
            for kind in ["images-idx3", "labels-idx1"] {
                let (what, rank) = kind.split_once('-').unwrap();
                let from = fixture(&format!("mnist16-{what}.{rank}-ubyte"));
                let to = folder.path(&format!("data/{half}-{kind}-ubyte"));
                fs::copy(from, to).unwrap();
            }
        }
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Names of everything in it, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// A command here; words are separated by blanks.
    pub fn command(&self, program: &str, words: &str) -> Command {
        let mut command = Command::new(program);
        command
            .args(words.split_whitespace())
            .current_dir(self.0.path())
            .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
            .env_remove("CNNC_IREE")
            .env_remove("NO_COLOR")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub fn cnnc(&self, words: &str) -> Outcome {
        outcome(self.command(CNNC, words))
    }

    pub fn opt(&self, words: &str) -> Outcome {
        outcome(self.command(CNNC_OPT, words))
    }

    /// With an environment variable.
    pub fn cnnc_with(&self, name: &str, value: impl AsRef<OsStr>, words: &str) -> Outcome {
        let mut command = self.command(CNNC, words);
        command.env(name, value);
        outcome(command)
    }

    /// With a text on stdin.
    pub fn piped(&self, program: &str, words: &str, input: &str) -> Outcome {
        let mut command = self.command(program, words);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(input.as_bytes())
            .unwrap();
        collected(child.wait_with_output().unwrap())
    }
}

fn outcome(mut command: Command) -> Outcome {
    collected(command.output().unwrap())
}

pub fn collected(output: std::process::Output) -> Outcome {
    Outcome {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

pub fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../examples")
        .join(name);
    path.to_str().unwrap().to_owned()
}
