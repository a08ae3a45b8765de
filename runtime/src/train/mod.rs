//! The training loop.

mod error;
mod report;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

pub use error::TrainError;
pub use report::{EpochReport, History, Observer, Progress, Silent, StepReport};

use crate::checkpoint::{self, Metadata};
use crate::data::{Batch, Dataset, Pixels, training_batches};
use crate::evaluate::evaluate;
use crate::manifest::Manifest;
use crate::metrics::{MetricsFile, Record};
use crate::program::Program;
use crate::state::State;
use report::Tally;

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
    /// Learning rate.
    pub lr: f32,
    /// Seed of the order of the examples.
    pub seed: u64,
    /// Whether to shuffle; else every epoch is in the order of the file.
    pub shuffle: bool,
    /// How bytes become floats.
    pub pixels: Pixels,
    /// What was done before, for a resumption.
    pub done: Progress,
    /// Whether the metrics file gets a line per step, too.
    pub log_steps: bool,
}

impl Default for TrainOptions {
    /// Three epochs at 0.1, shuffled by seed 0, pixels in [0, 1].
    fn default() -> Self {
        Self {
            epochs: 3,
            lr: 0.1,
            seed: 0,
            shuffle: true,
            pixels: Pixels::default(),
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
    /// Once true, the step at hand is finished, the checkpoint written, and the training ends.
    pub stop: Option<&'a AtomicBool>,
    /// Version of cnnc, for the checkpoint.
    pub version: &'a str,
}

/// Trains `state` in place.
///
/// A checkpoint holds finite values only: training ends with an error before one is overwritten
/// by others. The same programs, data, options and initial state give the same result.
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
    check(&programs, data, options)?;
    let mut training = Training {
        programs,
        data,
        options,
        surroundings,
        progress: options.done,
        saved: None,
    };
    let mut history = History {
        epochs: Vec::new(),
        progress: options.done,
        stopped: false,
    };
    while training.progress.epochs < options.epochs && !history.stopped {
        match training.epoch(state)? {
            Some(report) => {
                history.epochs.push(report);
                history.stopped =
                    training.stop_requested() && training.progress.epochs < options.epochs;
            }
            None => history.stopped = true,
        }
    }
    history.progress = training.progress;
    Ok(history)
}

struct Training<'t, 's> {
    programs: Programs<'t>,
    data: &'t Data,
    options: &'t TrainOptions,
    surroundings: &'t mut Surroundings<'s>,
    progress: Progress,
    saved: Option<PathBuf>,
}

impl<'t> Training<'t, '_> {
    /// Trains one epoch. `None` when it was stopped before its end.
    fn epoch(&mut self, state: &mut State) -> Result<Option<EpochReport>, TrainError> {
        let (epoch, steps) = (self.progress.epochs + 1, self.steps_per_epoch());
        let observer = &mut *self.surroundings.observer;
        observer.epoch_started(epoch, self.options.epochs, steps);
        let start = Instant::now();
        let seed = self.options.shuffle.then_some(self.options.seed);
        let size = self.manifest().batch;
        let batches = training_batches(&self.data.train, &self.options.pixels, size, seed, epoch)
            .map_err(TrainError::Thread)?;
        let mut tally = Tally::default();
        for batch in batches {
            let Some(program) = self.program_for(&batch) else {
                continue;
            };
            self.step(program, state, &batch, epoch, &mut tally)?;
            if self.stop_requested() && tally.steps() < steps {
                self.save(state, epoch, tally.steps())?;
                return Ok(None);
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        let report = self.finish(state, epoch, &tally, seconds)?;
        Ok(Some(report))
    }

    fn step(
        &mut self,
        program: &Program,
        state: &mut State,
        batch: &Batch,
        epoch: u64,
        tally: &mut Tally,
    ) -> Result<(), TrainError> {
        let start = Instant::now();
        let lr = self.options.lr;
        let output = program.train_step(state, &batch.image, &batch.label, lr)?;
        let ms = start.elapsed().as_secs_f64() * 1e3;
        self.progress.steps += 1;
        let step = tally.steps() + 1;
        if !output.loss.is_finite() {
            return Err(TrainError::NonFiniteLoss {
                epoch,
                step,
                loss: output.loss,
                lr,
                checkpoint: self.saved.clone(),
            });
        }
        tally.add(batch.examples as u64, output.loss, output.correct, ms);
        let report = StepReport {
            epoch,
            step,
            steps: self.steps_per_epoch(),
            loss: output.loss,
            mean_loss: tally.loss(),
            accuracy: tally.accuracy(),
            ms,
        };
        self.surroundings.observer.step(&report);
        if self.options.log_steps {
            self.record(Record::Step(&report))?;
        }
        Ok(())
    }

    /// Saves and evaluates after the last step of an epoch.
    fn finish(
        &mut self,
        state: &State,
        epoch: u64,
        tally: &Tally,
        seconds: f64,
    ) -> Result<EpochReport, TrainError> {
        self.progress.epochs = epoch;
        self.save(state, epoch, tally.steps())?;
        let test = match &self.data.test {
            Some(test) => {
                self.surroundings.observer.evaluating(epoch);
                let pixels = &self.options.pixels;
                Some(evaluate(self.programs.evaluate, state, test, pixels)?)
            }
            None => None,
        };
        let report = EpochReport {
            epoch,
            epochs: self.options.epochs,
            steps: tally.steps(),
            examples: tally.examples,
            loss: tally.loss(),
            correct: tally.correct,
            accuracy: tally.accuracy(),
            seconds,
            median_step_ms: tally.median_ms(),
            test,
        };
        self.record(Record::Epoch(&report))?;
        self.surroundings.observer.epoch_finished(&report);
        Ok(report)
    }

    /// Checks that every value is finite, then writes the checkpoint, where one is wanted.
    fn save(&mut self, state: &State, epoch: u64, step: u64) -> Result<(), TrainError> {
        let manifest = self.manifest();
        let snapshot = state.download(manifest)?;
        for tensor in snapshot.parameters.iter().chain(&snapshot.state) {
            if let Some((index, value)) = tensor.first_non_finite() {
                return Err(TrainError::NonFiniteParameter {
                    epoch,
                    step,
                    name: tensor.name.clone(),
                    index,
                    value,
                    lr: self.options.lr,
                    checkpoint: self.saved.clone(),
                });
            }
        }
        let Some(path) = self.surroundings.checkpoint else {
            return Ok(());
        };
        let metadata = Metadata {
            net: manifest.net.clone(),
            epoch: self.progress.epochs,
            step: self.progress.steps,
            seed: self.options.seed,
            version: self.surroundings.version.into(),
        };
        checkpoint::save(path, &snapshot, &metadata)?;
        self.saved = Some(path.into());
        Ok(())
    }

    fn record(&mut self, record: Record<'_>) -> Result<(), TrainError> {
        match &mut self.surroundings.metrics {
            Some(metrics) => Ok(metrics.write(record)?),
            None => Ok(()),
        }
    }

    fn manifest(&self) -> &'t Manifest {
        self.programs.step.manifest()
    }

    /// The program for a batch of this size, or `None` when the batch is left out.
    fn program_for(&self, batch: &Batch) -> Option<&'t Program> {
        if batch.examples == self.manifest().batch {
            return Some(self.programs.step);
        }
        self.programs.ragged
    }

    fn steps_per_epoch(&self) -> u64 {
        let (examples, batch) = (self.data.train.len(), self.manifest().batch);
        let ragged = self.programs.ragged.is_some() && examples % batch > 0;
        (examples / batch) as u64 + u64::from(ragged)
    }

    fn stop_requested(&self) -> bool {
        let stop = self.surroundings.stop;
        stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

fn check(programs: &Programs<'_>, data: &Data, options: &TrainOptions) -> Result<(), TrainError> {
    if !(options.lr.is_finite() && options.lr > 0.0) {
        return Err(TrainError::LearningRate { lr: options.lr });
    }
    let manifest = programs.step.manifest();
    for other in programs.ragged.into_iter().chain([programs.evaluate]) {
        if let Some(difference) = manifest.difference(other.manifest()) {
            return Err(TrainError::Programs { difference });
        }
    }
    for dataset in [Some(&data.train), data.test.as_ref()]
        .into_iter()
        .flatten()
    {
        dataset.check(manifest.image_shape(), manifest.classes)?;
    }
    let (examples, batch) = (data.train.len(), manifest.batch);
    let remainder = examples % batch;
    match programs.ragged.map(|program| program.manifest().batch) {
        Some(found) if remainder > 0 && found != remainder => Err(TrainError::Remainder {
            examples,
            batch,
            remainder,
            found,
        }),
        None if examples < batch => Err(TrainError::TooFewExamples { examples, batch }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
