//! A training as it runs: epochs, steps, checkpoints.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::report::{Begun, Tally};
use super::{
    Course, Data, EpochReport, Programs, Progress, StepReport, Surroundings, TrainError,
    TrainOptions,
};
use crate::checkpoint::{self, Metadata};
use crate::data::{Batch, Epoch, training_batches};
use crate::evaluate::evaluate;
use crate::manifest::Manifest;
use crate::metrics::Record;
use crate::program::{Program, StepOutput};
use crate::state::State;

pub(super) struct Training<'t, 's> {
    programs: Programs<'t>,
    data: &'t Data,
    options: &'t TrainOptions,
    surroundings: &'t mut Surroundings<'s>,
    pub progress: Progress,
    saved: Option<PathBuf>,
}

/// Where a step is.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// Epoch, counted from 1.
    epoch: u64,
    /// Step within the epoch, counted from 1.
    step: u64,
    /// Learning rate.
    lr: f32,
    /// Whether it ends a group of batches.
    update: bool,
}

impl<'t, 's> Training<'t, 's> {
    pub fn new(
        programs: Programs<'t>,
        data: &'t Data,
        options: &'t TrainOptions,
        surroundings: &'t mut Surroundings<'s>,
    ) -> Self {
        Training {
            programs,
            data,
            options,
            surroundings,
            progress: options.done,
            saved: None,
        }
    }

    /// Trains one epoch, or what is left of it. `None` when it was stopped before its end.
    pub fn epoch(&mut self, state: &mut State) -> Result<Option<EpochReport>, TrainError> {
        let (number, steps) = (self.progress.epochs + 1, self.steps_per_epoch());
        let observer = &mut *self.surroundings.observer;
        observer.epoch_started(number, self.options.epochs, steps);
        let start = Instant::now();
        let begun = self.progress.begun;
        let epoch = Epoch {
            number,
            shuffle: self.options.shuffle.then_some(self.options.seed),
            taken: usize::try_from(begun.examples).unwrap_or(usize::MAX),
        };
        let (size, preparation) = (self.manifest().batch, &self.options.preparation);
        let batches = training_batches(&self.data.train, preparation, size, epoch)
            .map_err(TrainError::Thread)?;
        let mut tally = Tally::new(begun, self.manifest().labels_per_example() as u64);
        for batch in batches {
            let Some(program) = self.program_for(&batch) else {
                continue;
            };
            let place = self.place(number, tally.steps());
            self.step(program, state, &batch, place, &mut tally)?;
            if place.update && self.stop_requested() && tally.steps() < steps {
                self.progress.begun = tally.sums;
                self.save(state, place)?;
                return Ok(None);
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        self.finish(state, number, &tally, seconds).map(Some)
    }

    /// The place of the step after `done` others of its epoch.
    fn place(&self, epoch: u64, done: u64) -> Place {
        let (steps, group) = (self.steps_per_epoch(), self.manifest().accumulate() as u64);
        let course = Course {
            updates: steps.div_ceil(group),
            epochs: self.options.epochs,
        };
        let updates = (epoch - 1) * course.updates + done / group;
        let base = f64::from(self.options.lr);
        let step = done + 1;
        Place {
            epoch,
            step,
            lr: self.options.schedule.lr(base, course, updates) as f32,
            update: step.is_multiple_of(group) || step == steps,
        }
    }

    fn step(
        &mut self,
        program: &Program,
        state: &mut State,
        batch: &Batch,
        place: Place,
        tally: &mut Tally,
    ) -> Result<(), TrainError> {
        let start = Instant::now();
        let Place { lr, update, .. } = place;
        let output = program.train_step(state, &batch.image, &batch.label, lr, update)?;
        let ms = start.elapsed().as_secs_f64() * 1e3;
        self.progress.steps += 1;
        self.check(&output, place)?;
        tally.add(batch.examples as u64, output.loss, output.correct, ms);
        let report = StepReport {
            epoch: place.epoch,
            step: place.step,
            steps: self.steps_per_epoch(),
            lr,
            loss: output.loss,
            gradient_norm: output.gradient_norm,
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

    /// Refuses losses and gradients that are not finite.
    fn check(&self, output: &StepOutput, place: Place) -> Result<(), TrainError> {
        let Place {
            epoch, step, lr, ..
        } = place;
        if !output.loss.is_finite() {
            return Err(TrainError::NonFiniteLoss {
                epoch,
                step,
                loss: output.loss,
                lr,
                checkpoint: self.saved.clone(),
            });
        }
        match output.gradient_norm {
            Some(norm) if !norm.is_finite() => Err(TrainError::NonFiniteGradient {
                epoch,
                step,
                norm,
                lr,
                checkpoint: self.saved.clone(),
            }),
            _ => Ok(()),
        }
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
        self.progress.begun = Begun::default();
        let last = self.place(epoch, tally.steps().saturating_sub(1));
        self.save(state, last)?;
        let test = match &self.data.test {
            Some(test) => {
                self.surroundings.observer.evaluating(epoch);
                let pixels = &self.options.preparation.pixels;
                let state = state.averaged(self.manifest());
                Some(evaluate(self.programs.evaluate, &state, test, pixels)?)
            }
            None => None,
        };
        let report = EpochReport {
            epoch,
            epochs: self.options.epochs,
            steps: tally.steps(),
            examples: tally.sums.examples,
            lr: last.lr,
            loss: tally.loss(),
            correct: tally.sums.correct,
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
    fn save(&mut self, state: &State, place: Place) -> Result<(), TrainError> {
        let manifest = self.manifest();
        let snapshot = state.download(manifest)?;
        for tensor in snapshot.parameters.iter().chain(&snapshot.state) {
            if let Some((index, value)) = tensor.first_non_finite() {
                return Err(TrainError::NonFiniteParameter {
                    epoch: place.epoch,
                    step: place.step,
                    name: tensor.name.clone(),
                    index,
                    value,
                    lr: place.lr,
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
            begun: self.progress.begun,
            epochs: self.options.epochs,
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

    pub fn stop_requested(&self) -> bool {
        let stop = self.surroundings.stop;
        stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}
