//! Metrics as JSON lines: one object per line, a `run` line first, then one per epoch.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::train::{EpochReport, StepReport};

/// What a run was, for the header line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunHeader {
    /// Version of cnnc.
    pub version: String,
    /// Name of the network.
    pub net: String,
    /// Number of parameter values.
    pub parameters: usize,
    /// Name of the optimizer, where the manifest has one.
    pub optimizer: Option<String>,
    /// Learning rate.
    pub lr: f32,
    /// Examples per step.
    pub batch: usize,
    /// Epochs to be trained.
    pub epochs: u64,
    /// Seed of initial values and order.
    pub seed: u64,
    /// Number of training examples.
    pub train_examples: usize,
    /// Number of test examples.
    pub test_examples: Option<usize>,
    /// Name of the device.
    pub device: String,
    /// Anything more that the caller knows: date, commit, settings.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// One line of a metrics file, told apart by `event`.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Record<'a> {
    /// The header of a run.
    Run(&'a RunHeader),
    /// One training step.
    Step(&'a StepReport),
    /// One epoch.
    Epoch(&'a EpochReport),
}

/// The metrics file cannot be written.
#[derive(Debug, Error)]
#[error("cannot write {}: {source}", file.display())]
pub struct MetricsError {
    /// The file.
    pub file: PathBuf,
    /// The system's error.
    pub source: io::Error,
}

/// An open metrics file, to which lines are appended.
#[derive(Debug)]
pub struct MetricsFile {
    file: File,
    path: PathBuf,
}

impl MetricsFile {
    /// Opens or creates the file. Lines of earlier runs stay; a last line that an interruption
    /// left unfinished is closed, so that it spoils nothing after it.
    ///
    /// # Errors
    /// [`MetricsError`] with the system's error.
    pub fn append(path: &Path) -> Result<Self, MetricsError> {
        let open = || {
            let mut options = OpenOptions::new();
            let mut file = options.read(true).append(true).create(true).open(path)?;
            if file.metadata()?.len() > 0 {
                let mut last = [0];
                file.seek(SeekFrom::End(-1))?;
                file.read_exact(&mut last)?;
                if last != *b"\n" {
                    file.write_all(b"\n")?;
                }
            }
            Ok(file)
        };
        let fault = |source| MetricsError {
            file: path.into(),
            source,
        };
        Ok(Self {
            file: open().map_err(fault)?,
            path: path.into(),
        })
    }

    /// Appends one line in one write. NaN and infinite numbers become `null`.
    ///
    /// # Errors
    /// [`MetricsError`] with the system's error.
    pub fn write(&mut self, record: Record<'_>) -> Result<(), MetricsError> {
        let mut write = || {
            let mut line = serde_json::to_vec(&record)?;
            line.push(b'\n');
            self.file.write_all(&line)?;
            self.file.flush()
        };
        write().map_err(|source| MetricsError {
            file: self.path.clone(),
            source,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::Evaluation;
    use serde_json::json;

    fn header() -> RunHeader {
        RunHeader {
            version: "0.1.0".into(),
            net: "mnist_cnn".into(),
            parameters: 3_489_130,
            optimizer: Some("sgd".into()),
            lr: 0.1,
            batch: 128,
            epochs: 3,
            seed: u64::MAX,
            train_examples: 60_000,
            test_examples: Some(10_000),
            device: "local-task".into(),
            more: Map::from_iter([("commit".to_string(), json!("abc"))]),
        }
    }

    fn epoch() -> EpochReport {
        EpochReport {
            epoch: 1,
            epochs: 3,
            steps: 469,
            examples: 60_000,
            lr: 0.5,
            loss: 0.25,
            correct: 58_500,
            accuracy: 0.975,
            seconds: 20.5,
            median_step_ms: 40.25,
            test: Some(Evaluation {
                examples: 10_000,
                labels: 10_000,
                loss: f64::NAN,
                correct: 9_800,
                accuracy: 0.98,
            }),
        }
    }

    fn lines(path: &Path) -> Vec<String> {
        let text = std::fs::read_to_string(path).expect("readable");
        assert!(text.ends_with('\n'));
        text.lines().map(String::from).collect()
    }

    #[test]
    fn one_object_per_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("metrics.jsonl");
        let mut file = MetricsFile::append(&path).expect("created");
        file.write(Record::Run(&header())).expect("written");
        file.write(Record::Epoch(&epoch())).expect("written");
        let values: Vec<Value> = lines(&path)
            .iter()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        assert_eq!(values[0]["event"], "run");
        assert_eq!(values[0]["seed"], u64::MAX);
        assert_eq!(values[0]["lr"], json!(0.1));
        assert_eq!(values[0]["commit"], "abc");
        assert_eq!(
            values[1],
            json!({
                "event": "epoch", "epoch": 1, "epochs": 3, "steps": 469, "examples": 60000,
                "lr": 0.5, "loss": 0.25, "correct": 58500, "accuracy": 0.975, "seconds": 20.5,
                "median_step_ms": 40.25,
                "test": {"examples": 10000, "labels": 10000, "loss": null, "correct": 9800, "accuracy": 0.98}
            })
        );
    }

    #[test]
    fn an_unfinished_line_is_closed_and_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("metrics.jsonl");
        std::fs::write(&path, "{\"event\":\"run\"}\n{\"event\":\"ep").expect("written");
        let mut file = MetricsFile::append(&path).expect("opened");
        file.write(Record::Epoch(&epoch())).expect("written");
        let lines = lines(&path);
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[1], "{\"event\":\"ep");
        let last: Value = serde_json::from_str(&lines[2]).expect("JSON");
        assert_eq!(last["event"], "epoch");
    }

    #[test]
    fn a_path_that_cannot_be_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = MetricsFile::append(folder.path()).expect_err("a folder");
        let start = format!("cannot write {}: ", folder.path().display());
        assert!(error.to_string().starts_with(&start), "{error}");
    }
}
