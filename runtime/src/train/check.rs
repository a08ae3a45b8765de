//! What a training needs.

use super::{Data, Programs, Schedule, TrainError, TrainOptions};

/// Refuses what cannot be trained, before the first step.
pub(super) fn check(
    programs: &Programs<'_>,
    data: &Data,
    options: &TrainOptions,
) -> Result<(), TrainError> {
    if !(options.lr.is_finite() && options.lr > 0.0) {
        return Err(TrainError::LearningRate { lr: options.lr });
    }
    if let Schedule::Cosine { warmup, .. } = options.schedule
        && warmup > 0.0
        && warmup >= options.epochs as f64
    {
        return Err(TrainError::WarmUp {
            warmup,
            epochs: options.epochs,
        });
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
        dataset.check(&manifest.needs())?;
    }
    let [channels, ..] = manifest.image_shape();
    options.preparation.pixels.check(channels)?;
    let (examples, batch) = (data.train.len(), manifest.batch);
    let taken = options.done.begun.examples;
    let update = (batch * manifest.accumulate()) as u64;
    if !taken.is_multiple_of(update) || taken > examples as u64 {
        return Err(TrainError::InsideEpoch {
            taken,
            update,
            examples,
        });
    }
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
