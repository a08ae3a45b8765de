//! Checkpoints: parameters and optimizer state in canonical layout, as a safetensors file.
//!
//! Parameters are stored under their names (`conv1.weight`), state under `state/` and the name.
//! The header's `__metadata__` holds [`Metadata`] and a CRC-32 of everything else, so that a
//! single damaged byte anywhere is noticed. Files of other makers, without that metadata, load too.

mod error;
mod format;

use std::path::Path;

pub use error::CheckpointError;

use crate::atomic::write_atomically;
use crate::manifest::{AVERAGE, Manifest, Variable};
use crate::nearest::nearest;
use crate::state::Snapshot;
use crate::tensor::{Elements, NamedTensor};
use crate::train::Begun;
use format::{Found, RawTensor};

/// Where a training stood when its checkpoint was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Metadata {
    /// Name of the network.
    pub net: String,
    /// Number of whole epochs trained.
    pub epoch: u64,
    /// Number of steps taken, over all epochs.
    pub step: u64,
    /// What was done of an unfinished epoch.
    pub begun: Begun,
    /// Epochs that the training is to have in all; 0 where the file does not say.
    pub epochs: u64,
    /// The seed of initial values and order.
    pub seed: u64,
    /// Version of cnnc.
    pub version: String,
}

/// A checkpoint as read.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// Parameters and state in the manifest's order.
    pub snapshot: Snapshot,
    /// Absent in files that cnnc did not write.
    pub metadata: Option<Metadata>,
}

const STATE_PREFIX: &str = "state/";

/// Writes a checkpoint. An interruption at any time leaves the old file whole.
///
/// # Errors
/// [`CheckpointError::Write`]; the old file, if any, is untouched.
pub fn save(path: &Path, snapshot: &Snapshot, metadata: &Metadata) -> Result<(), CheckpointError> {
    let raw = |prefix: &str, tensor: &NamedTensor| RawTensor {
        name: format!("{prefix}{}", tensor.name),
        dtype: tensor.elements.dtype(),
        shape: tensor.shape.clone(),
        bytes: tensor.elements.to_le_bytes(),
    };
    let parameters = snapshot.parameters.iter().map(|tensor| raw("", tensor));
    let state = snapshot
        .state
        .iter()
        .map(|tensor| raw(STATE_PREFIX, tensor));
    let tensors: Vec<RawTensor> = parameters.chain(state).collect();
    let bytes = format::encode(&tensors, metadata);
    write_atomically(path, &bytes).map_err(|source| CheckpointError::Write {
        file: path.into(),
        source,
    })
}

/// Reads a checkpoint of the network that `manifest` describes, to go on training.
///
/// # Errors
/// A [`CheckpointError`] for an unreadable or damaged file and for a tensor that is missing,
/// unknown, or of another shape or type. Nothing is converted or skipped.
pub fn load(path: &Path, manifest: &Manifest) -> Result<Checkpoint, CheckpointError> {
    read(path, manifest, Purpose::Training)
}

/// Reads a checkpoint to evaluate and predict: state of the optimizer may be missing, and that of
/// another optimizer does no harm. Averages that are missing are what they would be averages of.
///
/// # Errors
/// As [`load`], for parameters and state of the model.
pub fn load_for_evaluation(
    path: &Path,
    manifest: &Manifest,
) -> Result<Checkpoint, CheckpointError> {
    read(path, manifest, Purpose::Evaluation)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Training,
    Evaluation,
}

fn read(path: &Path, manifest: &Manifest, purpose: Purpose) -> Result<Checkpoint, CheckpointError> {
    let bytes = std::fs::read(path).map_err(|source| CheckpointError::Read {
        file: path.into(),
        source,
    })?;
    let mut found = format::decode(path, &bytes)?;
    let parameters = manifest.parameters.iter().map(|v| (v.name.clone(), v));
    let state = manifest
        .state
        .iter()
        .map(|v| (format!("{STATE_PREFIX}{}", v.name), v));
    let expected: Vec<(String, &Variable)> = parameters.chain(state).collect();
    let leading = manifest.parameters.len() + manifest.model_state();
    if purpose == Purpose::Evaluation {
        let known = |name: &String| expected.iter().any(|(other, _)| other == name);
        found
            .tensors
            .retain(|name, _| known(name) || !name.starts_with(STATE_PREFIX));
    }
    let needed = match purpose {
        Purpose::Training => expected.len(),
        Purpose::Evaluation => leading,
    };
    refuse_unknown(path, &found, &expected, needed)?;
    let mut tensors: Vec<NamedTensor> = Vec::with_capacity(expected.len());
    for (index, (name, variable)) in expected.iter().enumerate() {
        let here = index < needed || found.tensors.contains_key(name);
        tensors.push(match here {
            true => take(path, &found, name, variable)?,
            false => absent(variable, &tensors),
        });
    }
    let state = tensors.split_off(manifest.parameters.len());
    Ok(Checkpoint {
        snapshot: Snapshot {
            parameters: tensors,
            state,
        },
        metadata: found.metadata,
    })
}

/// State that evaluation does without: an average is what it would be the average of.
fn absent(variable: &Variable, before: &[NamedTensor]) -> NamedTensor {
    let averaged = (variable.role.as_deref() == Some(AVERAGE))
        .then(|| {
            before
                .iter()
                .find(|tensor| Some(&tensor.name) == variable.of.as_ref())
        })
        .flatten();
    let elements = match averaged {
        Some(tensor) => tensor.elements.clone(),
        None => Elements::zeros(variable.dtype, variable.elements()),
    };
    NamedTensor {
        name: variable.name.clone(),
        shape: variable.shape.clone(),
        elements,
    }
}

fn take(
    path: &Path,
    found: &Found<'_>,
    name: &str,
    variable: &Variable,
) -> Result<NamedTensor, CheckpointError> {
    let Some(tensor) = found.tensors.get(name) else {
        return Err(CheckpointError::Missing {
            file: path.into(),
            name: name.into(),
            hint: hint(
                name,
                found.tensors.keys().map(String::as_str),
                "the file has",
            ),
        });
    };
    if tensor.shape() != variable.shape {
        return Err(CheckpointError::Shape {
            file: path.into(),
            name: name.into(),
            found: tensor.shape().to_vec(),
            expected: variable.shape.clone(),
        });
    }
    if format::safetensors_type(variable.dtype) != tensor.dtype() {
        return Err(CheckpointError::Dtype {
            file: path.into(),
            name: name.into(),
            found: format!("{:?}", tensor.dtype()).to_lowercase(),
            expected: variable.dtype,
        });
    }
    Ok(NamedTensor {
        name: variable.name.clone(),
        shape: variable.shape.clone(),
        elements: Elements::from_le_bytes(variable.dtype, tensor.data()),
    })
}

/// A missing tensor is reported before an unknown one: a misspelt name is then shown as both.
fn refuse_unknown(
    path: &Path,
    found: &Found<'_>,
    expected: &[(String, &Variable)],
    needed: usize,
) -> Result<(), CheckpointError> {
    if expected
        .iter()
        .take(needed)
        .any(|(name, _)| !found.tensors.contains_key(name))
    {
        return Ok(());
    }
    let known = |name: &&String| expected.iter().any(|(other, _)| other == *name);
    match found.tensors.keys().find(|name| !known(name)) {
        Some(name) => Err(CheckpointError::Unknown {
            file: path.into(),
            name: name.clone(),
            hint: hint(
                name,
                expected.iter().map(|(n, _)| n.as_str()),
                "the network has",
            ),
        }),
        None => Ok(()),
    }
}

fn hint<'a>(name: &str, names: impl Iterator<Item = &'a str>, who: &str) -> String {
    nearest(name, names).map_or_else(String::new, |near| format!("; {who} `{near}`"))
}

#[cfg(test)]
mod tests;
