//! Loss and accuracy over a data set.

use std::sync::Arc;

use serde::Serialize;
use thiserror::Error;

use crate::data::{DataError, Dataset, Pixels, evaluation_batches};
use crate::program::{Program, ProgramError};
use crate::state::State;

/// The result of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Evaluation {
    /// Number of examples, each counted once.
    pub examples: u64,
    /// Number of their labels: one per example, or one per pixel.
    pub labels: u64,
    /// Mean loss over the examples.
    pub loss: f64,
    /// Number of labels predicted correctly.
    pub correct: u64,
    /// `correct / labels`, in [0, 1].
    pub accuracy: f64,
}

/// Why an evaluation failed.
#[derive(Debug, Error)]
pub enum EvaluateError {
    /// The data set does not fit the program.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The program failed.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The thread that prepares batches could not be started.
    #[error("no thread for preparing batches: {0}")]
    Thread(std::io::Error),
    /// The program does not honour the weights.
    #[error("the program counts {correct} of {labels} labels as correct")]
    Count {
        /// As returned.
        correct: u64,
        /// Labels given so far.
        labels: u64,
    },
}

/// Runs `evaluate` over every example of `dataset` once.
///
/// The last batch is padded with rows of weight 0, which count for nothing.
///
/// # Errors
/// [`EvaluateError`] when the data do not fit or the program fails.
pub fn evaluate(
    program: &Program,
    state: &State,
    dataset: &Arc<Dataset>,
    pixels: &Pixels,
) -> Result<Evaluation, EvaluateError> {
    let manifest = program.manifest();
    dataset.check(&manifest.needs())?;
    pixels.check(manifest.image_shape()[0])?;
    let per_example = manifest.labels_per_example() as u64;
    let batches =
        evaluation_batches(dataset, pixels, manifest.batch).map_err(EvaluateError::Thread)?;
    let (mut examples, mut loss, mut correct) = (0u64, 0.0, 0u64);
    for batch in batches {
        let output = program.evaluate(state, &batch.image, &batch.label, &batch.weight)?;
        examples += batch.examples as u64;
        loss += f64::from(output.loss);
        correct += output.correct;
        let labels = examples * per_example;
        if correct > labels {
            return Err(EvaluateError::Count { correct, labels });
        }
    }
    // No data set is empty, so nothing is divided by zero.
    let labels = examples * per_example;
    Ok(Evaluation {
        examples,
        labels,
        loss: loss / examples as f64,
        correct,
        accuracy: correct as f64 / labels as f64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{examples, program, runtime};
    use crate::state::Snapshot;
    use crate::tensor::{Elements, NamedTensor};

    /// BUG-48 c: ten images in batches of four, all correct: 10 of 10, neither 8 nor 12.
    #[test]
    fn bug_48_ten_images_in_batches_of_four() {
        let program = program(&runtime(), 4);
        // Bias alone decides for class 0, and every label is 0.
        let state = constant_bias(&program, [5.0, 0.0, 0.0]);
        let pixels: Vec<u8> = (0..40).collect();
        let data = Arc::new(crate::fixture::dataset(&pixels, [2, 2], &[0; 10], 3));
        let result = evaluate(&program, &state, &data, &Pixels::default()).expect("evaluated");
        assert_eq!(
            (result.examples, result.correct, result.accuracy),
            (10, 10, 1.0)
        );
        // ln(e^5 + 2) - 5 = ln(1 + 2 e^-5) per example.
        assert!((result.loss - 0.013_386_0).abs() < 1e-6, "{}", result.loss);
    }

    /// The batch size must not show in the result.
    #[test]
    fn batch_sizes_agree() {
        let (data, pixels) = (examples(10), Pixels::default());
        let run = |batch| {
            let program = program(&runtime(), batch);
            let state = program.init(0).expect("drawn");
            evaluate(&program, &state, &data, &pixels).expect("evaluated")
        };
        let (four, two) = (run(4), run(2));
        assert_eq!((four.examples, two.examples), (10, 10));
        assert_eq!(four.correct, two.correct);
        assert!((four.loss - two.loss).abs() < 1e-6);
    }

    #[test]
    fn images_of_another_size_are_refused() {
        let program = program(&runtime(), 4);
        let state = program.init(0).expect("drawn");
        let data = Arc::new(crate::fixture::dataset(&[0; 6], [2, 3], &[0], 3));
        let error = evaluate(&program, &state, &data, &Pixels::default()).expect_err("too wide");
        let text = "images of [1, 2, 3] (channels, height, width), the network takes [1, 2, 2]";
        assert!(error.to_string().contains(text), "{error}");
    }

    fn constant_bias(program: &Program, bias: [f32; 3]) -> State {
        let tensor = |name: &str, shape: &[usize], elements| NamedTensor {
            name: name.into(),
            shape: shape.to_vec(),
            elements,
        };
        let snapshot = Snapshot {
            parameters: vec![
                tensor("dense1.weight", &[4, 3], Elements::F32(vec![0.0; 12])),
                tensor("dense1.bias", &[3], Elements::F32(bias.to_vec())),
            ],
            state: vec![tensor("steps", &[], Elements::U64(vec![0]))],
        };
        State::upload(program.runtime(), program.manifest(), &snapshot).expect("fits")
    }
}
