//! The typed calls of a program.

use eerie::runtime::Value;

use super::results::{check_length, count, floats, next, pair, scalar, single};
use super::{Entry, Program, ProgramError};
use crate::device::IreeError;
use crate::state::{self, State};
use crate::tensor::NamedTensor;

/// What a training step reports.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepOutput {
    /// Mean loss over the batch, before the update.
    pub loss: f32,
    /// Number of labels predicted correctly, before the update.
    pub correct: u64,
    /// Norm of all gradients before they were clipped, where they are.
    pub gradient_norm: Option<f32>,
}

/// What `evaluate` reports of one batch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EvaluateOutput {
    /// Sum of the losses of the rows, each times its weight.
    pub loss: f32,
    /// Number of labels, in rows of weight 1, that are predicted correctly.
    pub correct: u64,
}

/// Loss and gradients of one batch.
#[derive(Debug, Clone, PartialEq)]
pub struct Gradients {
    /// Mean loss over the batch.
    pub loss: f32,
    /// One gradient per parameter, in canonical layout.
    pub gradients: Vec<NamedTensor>,
}

impl Program {
    /// Draws fresh parameters and state; the same seed gives the same values.
    ///
    /// # Errors
    /// [`ProgramError`] when there is no `init` or it fails.
    pub fn init(&self, seed: u64) -> Result<State, ProgramError> {
        let seed = self.runtime.buffer(&[], &[seed])?;
        let results = self.call(Entry::Init, vec![seed.into()])?;
        Ok(self.split_state(results).0)
    }

    /// Logits of one whole batch, row-major in the manifest's shape.
    ///
    /// `image` holds batch x channels x height x width values.
    ///
    /// # Errors
    /// [`ProgramError`] when there is no `forward`, `image` has another length, or IREE fails.
    pub fn forward(&self, state: &State, image: &[f32]) -> Result<Vec<f32>, ProgramError> {
        let mut arguments = self.leading(state);
        arguments.push(self.image(image)?);
        let logits = self.call_one(Entry::Forward, arguments)?;
        floats(Entry::Forward, "f32 logits", logits)
    }

    /// Mean loss of one whole batch, as it is differentiated.
    ///
    /// # Errors
    /// As [`Program::forward`].
    pub fn loss(&self, state: &State, image: &[f32], label: &[i32]) -> Result<f32, ProgramError> {
        let mut arguments = self.leading(state);
        arguments.extend([self.image(image)?, self.label(label)?]);
        scalar(Entry::Loss, self.call_one(Entry::Loss, arguments)?)
    }

    /// Mean loss of one whole batch and its gradients in canonical layout.
    ///
    /// # Errors
    /// As [`Program::forward`].
    pub fn gradients(
        &self,
        state: &State,
        image: &[f32],
        label: &[i32],
    ) -> Result<Gradients, ProgramError> {
        let mut arguments = self.leading(state);
        arguments.extend([self.image(image)?, self.label(label)?]);
        let mut results = self.call(Entry::Gradients, arguments)?;
        let gradients = results.split_off(1);
        let loss = scalar(Entry::Gradients, single(Entry::Gradients, results)?)?;
        Ok(Gradients {
            loss,
            gradients: self.canonical(&gradients)?,
        })
    }

    /// Gradients of the loss whose derivative at the logits is `cotangent`.
    ///
    /// # Errors
    /// As [`Program::forward`].
    pub fn pullback(
        &self,
        state: &State,
        image: &[f32],
        cotangent: &[f32],
    ) -> Result<Vec<NamedTensor>, ProgramError> {
        let shape = &self.manifest.logits;
        check_length("cotangent", cotangent.len(), shape.iter().product())?;
        let mut arguments = self.leading(state);
        arguments.push(self.image(image)?);
        arguments.push(self.runtime.buffer(shape, cotangent)?.into());
        self.canonical(&self.call(Entry::Pullback, arguments)?)
    }

    /// One step of the optimizer; `state` becomes the updated one and never leaves the device.
    /// It is untouched where the call fails.
    ///
    /// Where gradients are accumulated, parameters move only if `update`, which ends a group of
    /// batches; otherwise they always do.
    ///
    /// # Errors
    /// As [`Program::forward`].
    pub fn train_step(
        &self,
        state: &mut State,
        image: &[f32],
        label: &[i32],
        lr: f32,
        update: bool,
    ) -> Result<StepOutput, ProgramError> {
        let accumulates = self.manifest.accumulate() > 1;
        let carried = state.parameters.len() + state.state.len();
        let mut arguments = Vec::with_capacity(carried + 3 + usize::from(accumulates));
        arguments.extend(state.parameters.iter().chain(&state.state).cloned());
        arguments.extend([self.image(image)?, self.label(label)?]);
        arguments.push(self.runtime.buffer(&[], &[lr])?.into());
        if accumulates {
            arguments.push(self.runtime.buffer(&[], &[i32::from(update)])?.into());
        }
        let mut results = self.call(Entry::TrainStep, arguments)?;
        // eerie waits for the call, so these few bytes are ready: reading them stalls nothing.
        let mut metrics = results.drain(carried.min(results.len())..);
        let mut metric = || next(Entry::TrainStep, &mut metrics);
        let output = StepOutput {
            loss: scalar(Entry::TrainStep, metric()?)?,
            correct: count(Entry::TrainStep, metric()?)?,
            gradient_norm: match self.manifest.reports_norm() {
                true => Some(scalar(Entry::TrainStep, metric()?)?),
                false => None,
            },
        };
        drop(metrics);
        state.replace(results);
        Ok(output)
    }

    /// Sum of losses and number correct of one whole batch; rows of weight 0 do not count.
    ///
    /// # Errors
    /// As [`Program::forward`].
    pub fn evaluate(
        &self,
        state: &State,
        image: &[f32],
        label: &[i32],
        weight: &[f32],
    ) -> Result<EvaluateOutput, ProgramError> {
        check_length("weight", weight.len(), self.manifest.batch)?;
        let mut arguments = self.leading(state);
        arguments.extend([self.image(image)?, self.label(label)?]);
        arguments.push(self.runtime.buffer(&[weight.len()], weight)?.into());
        let [loss, correct] = pair(Entry::Evaluate, self.call(Entry::Evaluate, arguments)?)?;
        Ok(EvaluateOutput {
            loss: scalar(Entry::Evaluate, loss)?,
            correct: count(Entry::Evaluate, correct)?,
        })
    }

    /// What every function takes first: the parameters and the model state.
    fn leading(&self, state: &State) -> Vec<Value> {
        let model_state = state.state.iter().take(self.manifest.model_state());
        state
            .parameters
            .iter()
            .chain(model_state)
            .cloned()
            .collect()
    }

    fn image(&self, values: &[f32]) -> Result<Value, ProgramError> {
        let [channels, height, width] = self.manifest.image_shape();
        let shape = [self.manifest.batch, channels, height, width];
        check_length("image", values.len(), shape.iter().product())?;
        Ok(self.runtime.buffer(&shape, values)?.into())
    }

    fn label(&self, values: &[i32]) -> Result<Value, ProgramError> {
        let batch = self.manifest.batch;
        check_length(
            "label",
            values.len(),
            batch * self.manifest.labels_per_example(),
        )?;
        Ok(match *self.manifest.label_shape() {
            [height, width] => self.runtime.buffer(&[batch, height, width], values)?.into(),
            _ => self.runtime.buffer(&[batch], values)?.into(),
        })
    }

    fn call(&self, entry: Entry, arguments: Vec<Value>) -> Result<Vec<Value>, ProgramError> {
        Ok(self
            .require(entry)?
            .invoke(arguments)
            .map_err(|error| IreeError::new("run the program", &error))?)
    }

    fn call_one(&self, entry: Entry, arguments: Vec<Value>) -> Result<Value, ProgramError> {
        single(entry, self.call(entry, arguments)?)
    }

    /// Splits parameters and state off the front of `results`, whose count was checked at load.
    fn split_state(&self, mut results: Vec<Value>) -> (State, Vec<Value>) {
        let parameters = self.manifest.parameters.len().min(results.len());
        let mut state = results.split_off(parameters);
        let rest = state.split_off(self.manifest.state.len().min(state.len()));
        let state = State {
            parameters: results,
            state,
        };
        (state, rest)
    }

    fn canonical(&self, values: &[Value]) -> Result<Vec<NamedTensor>, ProgramError> {
        Ok(state::download(
            "gradients",
            &self.manifest.parameters,
            values,
        )?)
    }
}
