//! What a training tells of itself.

use serde::Serialize;

use crate::evaluate::Evaluation;

/// One step, as it ended.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StepReport {
    /// Epoch, counted from 1.
    pub epoch: u64,
    /// Step within the epoch, counted from 1.
    pub step: u64,
    /// Steps of the epoch.
    pub steps: u64,
    /// Learning rate of the update it belongs to.
    pub lr: f32,
    /// Mean loss of the batch, before the update.
    pub loss: f32,
    /// Norm of all gradients before they were clipped, where they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gradient_norm: Option<f32>,
    /// Mean loss of the epoch's examples up to here.
    pub mean_loss: f64,
    /// Part of the labels of the epoch up to here that were predicted correctly, in [0, 1].
    pub accuracy: f64,
    /// Duration in milliseconds: the batch to the device, the step, the loss back.
    pub ms: f64,
}

/// One whole epoch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct EpochReport {
    /// Epoch, counted from 1.
    pub epoch: u64,
    /// Epochs to be trained.
    pub epochs: u64,
    /// Steps taken.
    pub steps: u64,
    /// Examples seen.
    pub examples: u64,
    /// Learning rate of the last update.
    pub lr: f32,
    /// Mean loss over the examples, each before the update of its batch.
    pub loss: f64,
    /// Number of labels predicted correctly, each before the update of its batch.
    pub correct: u64,
    /// Part of the labels that were predicted correctly, in [0, 1].
    pub accuracy: f64,
    /// Duration in seconds, without the evaluation.
    pub seconds: f64,
    /// Median duration of a step in milliseconds.
    pub median_step_ms: f64,
    /// On the test set after the epoch, where there is one.
    pub test: Option<Evaluation>,
}

/// A training as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// The whole epochs, in order.
    pub epochs: Vec<EpochReport>,
    /// Epochs and steps done, with those before a resumption.
    pub progress: Progress,
    /// Whether it ended early because a stop was asked for.
    pub stopped: bool,
}

/// How far a training has come.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Progress {
    /// Whole epochs.
    pub epochs: u64,
    /// Steps over all epochs, those of an unfinished one included.
    pub steps: u64,
    /// What was done of an unfinished epoch.
    pub begun: Begun,
}

/// What was done of an unfinished epoch.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Begun {
    /// Steps.
    pub steps: u64,
    /// Examples that were taken.
    pub examples: u64,
    /// Number of labels predicted correctly.
    pub correct: u64,
    /// Sum of the losses of the examples.
    pub loss: f64,
}

/// Follows a training, for a progress bar or a log. All methods do nothing by default.
pub trait Observer {
    /// An epoch (counted from 1) of that many steps begins.
    fn epoch_started(&mut self, epoch: u64, epochs: u64, steps: u64) {
        let _ = (epoch, epochs, steps);
    }

    /// A step has ended.
    fn step(&mut self, report: &StepReport) {
        let _ = report;
    }

    /// The steps of an epoch are done; the test set is next.
    fn evaluating(&mut self, epoch: u64) {
        let _ = epoch;
    }

    /// An epoch has ended, and its checkpoint is written.
    fn epoch_finished(&mut self, report: &EpochReport) {
        let _ = report;
    }
}

/// An observer that looks away.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}

/// Sums over the examples of an epoch.
#[derive(Debug)]
pub(super) struct Tally {
    /// The sums, with those before a resumption.
    pub sums: Begun,
    labels_per_example: u64,
    durations: Vec<f64>,
}

impl Tally {
    /// Goes on from what was done.
    pub fn new(begun: Begun, labels_per_example: u64) -> Self {
        Tally {
            sums: begun,
            labels_per_example,
            durations: Vec::new(),
        }
    }

    /// Adds a batch: its loss is a mean, so it counts as often as it has examples.
    pub fn add(&mut self, examples: u64, loss: f32, correct: u64, ms: f64) {
        self.sums.steps += 1;
        self.sums.examples += examples;
        self.sums.correct += correct;
        self.sums.loss += f64::from(loss) * examples as f64;
        self.durations.push(ms);
    }

    pub fn steps(&self) -> u64 {
        self.sums.steps
    }

    pub fn loss(&self) -> f64 {
        ratio(self.sums.loss, self.sums.examples)
    }

    pub fn accuracy(&self) -> f64 {
        let labels = self.sums.examples * self.labels_per_example;
        ratio(self.sums.correct as f64, labels)
    }

    pub fn median_ms(&self) -> f64 {
        let mut sorted = self.durations.clone();
        sorted.sort_by(f64::total_cmp);
        let upper = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
        let lower = sorted.get(sorted.len().saturating_sub(1) / 2).copied();
        (lower.unwrap_or(0.0) + upper) / 2.0
    }
}

fn ratio(sum: f64, count: u64) -> f64 {
    if count == 0 { 0.0 } else { sum / count as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BUG-48 a: three examples of losses 10, 10 and 9 in batches of two: 29 / 3, not 9.5.
    #[test]
    fn bug_48_losses_are_weighed_by_examples() {
        let mut tally = Tally::new(Begun::default(), 1);
        tally.add(2, 10.0, 2, 1.0);
        tally.add(1, 9.0, 0, 1.0);
        assert!((tally.loss() - 9.666_667).abs() < 1e-6);
        assert!((tally.accuracy() - 0.666_667).abs() < 1e-6);
        assert_eq!(tally.sums.examples, 3);
    }

    /// An epoch that was left and taken up again has the sums of one in one go, to the bit.
    #[test]
    fn sums_go_on_where_they_were_left() {
        let batches = [(2, 0.1, 1), (2, 0.7, 2), (1, 0.3, 0)];
        let mut whole = Tally::new(Begun::default(), 1);
        let mut first = Tally::new(Begun::default(), 1);
        for (index, &(examples, loss, correct)) in batches.iter().enumerate() {
            whole.add(examples, loss, correct, 1.0);
            if index == 1 {
                first = Tally::new(first.sums, 1);
            }
            first.add(examples, loss, correct, 1.0);
        }
        assert_eq!(first.sums, whole.sums);
        assert_eq!((first.steps(), first.loss()), (3, whole.loss()));
    }

    /// Three labels for each of two examples, four of them right.
    #[test]
    fn accuracy_counts_labels() {
        let mut tally = Tally::new(Begun::default(), 3);
        tally.add(2, 0.0, 4, 1.0);
        assert_eq!(tally.accuracy(), 4.0 / 6.0);
    }

    #[test]
    fn medians() {
        let median = |durations: &[f64]| {
            let mut tally = Tally::new(Begun::default(), 1);
            for &ms in durations {
                tally.add(1, 0.0, 0, ms);
            }
            tally.median_ms()
        };
        assert_eq!(median(&[]), 0.0);
        assert_eq!(median(&[3.0]), 3.0);
        assert_eq!(median(&[9.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[9.0, 1.0, 2.0, 4.0]), 3.0);
    }
}
