//! The training loop.

mod check;
mod error;
mod report;
mod run;
mod schedule;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub use error::TrainError;
pub use report::{Begun, EpochReport, History, Observer, Progress, Silent, StepReport};
pub use schedule::{Course, Schedule};

use crate::data::{Dataset, Preparation};
use crate::metrics::MetricsFile;
use crate::program::Program;
use crate::state::State;
use run::Training;

/// The programs of one training, loaded into one device.
#[derive(Debug, Clone, Copy)]
pub struct Programs<'a> {
    /// Has `train_step`; its batch size is the batch size of the training.
    pub step: &'a Program,
    /// The same for the last batch of an epoch, of exactly the size that remains. Without it,
    /// each epoch leaves out the examples that do not fill a batch (others each time if shuffled).
    pub ragged: Option<&'a Program>,
    /// Has `evaluate`; used where there is a test set.
    pub evaluate: &'a Program,
}

/// What is trained on, and what it is tested on after each epoch.
#[derive(Debug, Clone)]
pub struct Data {
    /// Training examples.
    pub train: Arc<Dataset>,
    /// Test examples.
    pub test: Option<Arc<Dataset>>,
}

/// How to train.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainOptions {
    /// Epochs to be done in all, with those before a resumption.
    pub epochs: u64,
    /// End after so many of them; the schedule is that of all.
    pub stop_after: Option<u64>,
    /// Learning rate.
    pub lr: f32,
    /// How it goes on.
    pub schedule: Schedule,
    /// Seed of the order of the examples.
    pub seed: u64,
    /// Whether to shuffle; else every epoch is in the order of the file.
    pub shuffle: bool,
    /// How bytes become floats.
    pub preparation: Preparation,
    /// What was done before, for a resumption.
    pub done: Progress,
    /// Whether the metrics file gets a line per step, too.
    pub log_steps: bool,
}

impl Default for TrainOptions {
    /// Three epochs at 0.1 throughout, shuffled by seed 0, pixels in [0, 1].
    fn default() -> Self {
        Self {
            epochs: 3,
            stop_after: None,
            lr: 0.1,
            schedule: Schedule::Constant,
            seed: 0,
            shuffle: true,
            preparation: Preparation::default(),
            done: Progress::default(),
            log_steps: false,
        }
    }
}

/// Where a training leaves its traces, and what can end it.
pub struct Surroundings<'a> {
    /// Written after each epoch and when stopped.
    pub checkpoint: Option<&'a Path>,
    /// Gets a line per epoch.
    pub metrics: Option<&'a mut MetricsFile>,
    /// Follows the steps.
    pub observer: &'a mut dyn Observer,
    /// Once true, the update at hand is finished, the checkpoint written, and the training ends.
    pub stop: Option<&'a AtomicBool>,
    /// Version of cnnc, for the checkpoint.
    pub version: &'a str,
}

/// Trains `state` in place.
///
/// A checkpoint holds finite values only: training ends with an error before one is overwritten
/// by others. The same programs, data, options and initial state give the same result, and so
/// does going on from a checkpoint, also from one inside an epoch.
///
/// # Errors
/// A [`TrainError`]. `state` then holds the values after the last step.
pub fn train(
    programs: Programs<'_>,
    state: &mut State,
    data: &Data,
    options: &TrainOptions,
    surroundings: &mut Surroundings<'_>,
) -> Result<History, TrainError> {
    check::check(&programs, data, options)?;
    let mut training = Training::new(programs, data, options, surroundings);
    let mut history = History {
        epochs: Vec::new(),
        progress: options.done,
        stopped: false,
    };
    let last = options.stop_after.unwrap_or(u64::MAX).min(options.epochs);
    while training.progress.epochs < last && !history.stopped {
        match training.epoch(state)? {
            Some(report) => {
                history.epochs.push(report);
                history.stopped = training.stop_requested() && training.progress.epochs < last;
            }
            None => history.stopped = true,
        }
    }
    history.progress = training.progress;
    Ok(history)
}

#[cfg(test)]
mod tests;
