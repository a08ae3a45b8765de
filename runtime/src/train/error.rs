//! Why a training ends badly.

use std::path::PathBuf;

use thiserror::Error;

use crate::checkpoint::CheckpointError;
use crate::data::DataError;
use crate::evaluate::EvaluateError;
use crate::metrics::MetricsError;
use crate::program::ProgramError;
use crate::state::StateError;

/// Why a training could not start or go on.
#[derive(Debug, Error)]
pub enum TrainError {
    /// The loss became NaN or infinite.
    #[error(
        "the loss is {loss} at epoch {epoch}, step {step} (learning rate {lr}); {}",
        kept(checkpoint)
    )]
    NonFiniteLoss {
        /// Epoch, counted from 1.
        epoch: u64,
        /// Step within the epoch, counted from 1.
        step: u64,
        /// As returned.
        loss: f32,
        /// Learning rate of the step.
        lr: f32,
        /// The last checkpoint of this training, all of whose values are finite.
        checkpoint: Option<PathBuf>,
    },
    /// The norm of the gradients became NaN or infinite.
    #[error(
        "the norm of the gradients is {norm} at epoch {epoch}, step {step} (learning rate {lr}); {}",
        kept(checkpoint)
    )]
    NonFiniteGradient {
        /// Epoch, counted from 1.
        epoch: u64,
        /// Step within the epoch, counted from 1.
        step: u64,
        /// As returned.
        norm: f32,
        /// Learning rate of the step.
        lr: f32,
        /// The last checkpoint of this training, all of whose values are finite.
        checkpoint: Option<PathBuf>,
    },
    /// A parameter became NaN or infinite although the losses were finite.
    #[error(
        "`{name}`[{index}] is {value} after epoch {epoch}, step {step} (learning rate {lr}); {}",
        kept(checkpoint)
    )]
    NonFiniteParameter {
        /// Epoch, counted from 1.
        epoch: u64,
        /// Last step within the epoch, counted from 1.
        step: u64,
        /// Name of the parameter or state.
        name: String,
        /// Row-major index of its first such value.
        index: usize,
        /// That value.
        value: f32,
        /// Learning rate of the step.
        lr: f32,
        /// The last checkpoint of this training, all of whose values are finite.
        checkpoint: Option<PathBuf>,
    },
    /// Two programs of one training cannot share parameters.
    #[error("the programs do not belong together: {difference}")]
    Programs {
        /// The first difference of their manifests.
        difference: String,
    },
    /// The program for the last batch is of another size than that batch.
    #[error(
        "{examples} examples in batches of {batch} leave {remainder}, the program for the last batch takes {found}"
    )]
    Remainder {
        /// Number of training examples.
        examples: usize,
        /// Batch size of the step.
        batch: usize,
        /// What is left for the last batch.
        remainder: usize,
        /// Batch size of the program given for it.
        found: usize,
    },
    /// Not one whole batch, and no program for a smaller one.
    #[error("{examples} training examples do not fill one batch of {batch}")]
    TooFewExamples {
        /// Number of training examples.
        examples: usize,
        /// Batch size of the step.
        batch: usize,
    },
    /// A learning rate that cannot train.
    #[error("learning rate {lr}: must be finite and above 0")]
    LearningRate {
        /// As given.
        lr: f32,
    },
    /// The learning rate would still rise at the end.
    #[error("a warm-up of {warmup} epochs leaves nothing of a training of {epochs}")]
    WarmUp {
        /// Epochs of the warm-up.
        warmup: f64,
        /// Epochs in all.
        epochs: u64,
    },
    /// A checkpoint from inside an epoch, of other batches or other data.
    #[error(
        "the checkpoint is inside an epoch, after {taken} examples, where no update of {update} of \
         the {examples} examples ends: take the batch size it was trained with"
    )]
    InsideEpoch {
        /// Examples of the epoch that were taken.
        taken: u64,
        /// Examples of an update.
        update: u64,
        /// Number of training examples.
        examples: usize,
    },
    /// The thread that prepares batches could not be started.
    #[error("no thread for preparing batches: {0}")]
    Thread(std::io::Error),
    /// The data set does not fit the program.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The program failed.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// Parameters could not be read back.
    #[error(transparent)]
    State(#[from] StateError),
    /// The evaluation after an epoch failed.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    /// The checkpoint could not be written.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The metrics could not be written.
    #[error(transparent)]
    Metrics(#[from] MetricsError),
}

fn kept(checkpoint: &Option<PathBuf>) -> String {
    match checkpoint {
        Some(path) => format!("the last finite checkpoint is {}", path.display()),
        None => "there is no finite checkpoint of this training yet".into(),
    }
}
