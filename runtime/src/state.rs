//! Parameters and state on the device.

use eerie::runtime::Value;
use thiserror::Error;

use crate::device::{IreeError, Runtime};
use crate::layout::LayoutError;
use crate::manifest::{AVERAGE, Dtype, Manifest, Variable};
use crate::tensor::{Elements, NamedTensor};

/// Parameters, model state and optimizer state as device buffers, in the program's layout.
///
/// Every program whose manifest has no [`difference`](Manifest::difference) can use them. A clone
/// shares the buffers; programs never write to their arguments.
#[derive(Clone)]
pub struct State {
    pub(crate) parameters: Vec<Value>,
    pub(crate) state: Vec<Value>,
}

/// The same in host memory, in canonical layout and manifest order.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// The parameters.
    pub parameters: Vec<NamedTensor>,
    /// The state of the model, then of the optimizer.
    pub state: Vec<NamedTensor>,
}

impl Snapshot {
    /// Parameters alone: all state is 0.
    pub fn of_parameters(manifest: &Manifest, parameters: Vec<NamedTensor>) -> Self {
        let state = manifest.state.iter();
        let state = state.map(|variable| NamedTensor {
            name: variable.name.clone(),
            shape: variable.shape.clone(),
            elements: Elements::zeros(variable.dtype, variable.elements()),
        });
        Snapshot {
            parameters,
            state: state.collect(),
        }
    }
}

/// Why a state cannot be moved between host and device.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StateError {
    /// IREE failed.
    #[error(transparent)]
    Iree(#[from] IreeError),
    /// A tensor is not the one the manifest lists at its place.
    #[error("tensor {index} is `{found}`, the program takes `{expected}` there")]
    Mismatch {
        /// Place among the parameters or the state.
        index: usize,
        /// Name, type and shape as found.
        found: String,
        /// Name, type and shape as needed.
        expected: String,
    },
    /// Another number of tensors than the manifest lists.
    #[error("{found} {what}, the program takes {expected}")]
    Count {
        /// `parameters` or `state tensors`.
        what: &'static str,
        /// As found.
        found: usize,
        /// As needed.
        expected: usize,
    },
    /// A tensor does not fit the storage layout.
    #[error("`{name}`: {source}")]
    Layout {
        /// The tensor.
        name: String,
        /// What does not fit.
        source: LayoutError,
    },
}

impl State {
    /// Copies a snapshot to the device, packed into the program's layout.
    ///
    /// # Errors
    /// [`StateError`] when a tensor is not what `manifest` lists at its place.
    pub fn upload(
        runtime: &Runtime,
        manifest: &Manifest,
        snapshot: &Snapshot,
    ) -> Result<Self, StateError> {
        Ok(Self {
            parameters: upload(
                runtime,
                "parameters",
                &manifest.parameters,
                &snapshot.parameters,
            )?,
            state: upload(runtime, "state tensors", &manifest.state, &snapshot.state)?,
        })
    }

    /// Takes other values in the place of as many of its own, in the program's order.
    pub(crate) fn replace(&mut self, values: Vec<Value>) {
        let own = self.parameters.iter_mut().chain(&mut self.state);
        own.zip(values).for_each(|(own, value)| *own = value);
    }

    /// What evaluation uses: the running averages of parameters and model state, where the program
    /// keeps any, in the place of what they are the averages of.
    #[must_use]
    pub fn averaged(&self, manifest: &Manifest) -> Self {
        let mut averaged = self.clone();
        let pairs = manifest.state.iter().zip(&self.state);
        for (variable, value) in pairs {
            if variable.role.as_deref() != Some(AVERAGE) {
                continue;
            }
            let place = |variables: &[Variable]| {
                let mut names = variables.iter().map(|v| Some(&v.name));
                names.position(|name| name == variable.of.as_ref())
            };
            let slot = match (place(&manifest.parameters), place(&manifest.state)) {
                (Some(index), _) => averaged.parameters.get_mut(index),
                (None, Some(index)) => averaged.state.get_mut(index),
                (None, None) => None,
            };
            if let Some(slot) = slot {
                *slot = value.clone();
            }
        }
        averaged
    }

    /// Copies the tensors to the host, unpacked into canonical layout.
    ///
    /// # Errors
    /// [`StateError`] when IREE fails or a buffer is not what `manifest` lists at its place.
    pub fn download(&self, manifest: &Manifest) -> Result<Snapshot, StateError> {
        Ok(Snapshot {
            parameters: download("parameters", &manifest.parameters, &self.parameters)?,
            state: download("state tensors", &manifest.state, &self.state)?,
        })
    }
}

fn upload(
    runtime: &Runtime,
    what: &'static str,
    variables: &[Variable],
    tensors: &[NamedTensor],
) -> Result<Vec<Value>, StateError> {
    check_count(what, tensors.len(), variables.len())?;
    let pairs = variables.iter().zip(tensors).enumerate();
    pairs
        .map(|(index, (variable, tensor))| {
            let fits = tensor.name == variable.name
                && tensor.shape == variable.shape
                && tensor.elements.dtype() == variable.dtype
                && tensor.elements.len() == variable.elements();
            if !fits {
                return Err(StateError::Mismatch {
                    index,
                    found: describe(&tensor.name, tensor.elements.dtype(), &tensor.shape),
                    expected: describe(&variable.name, variable.dtype, &variable.shape),
                });
            }
            let shape = variable.stored_shape();
            Ok(match &variable.stored {
                Some(layout) => tensor
                    .elements
                    .pack(layout)
                    .map_err(|source| fault(variable, source))?
                    .upload(runtime, shape)?,
                None => tensor.elements.upload(runtime, shape)?,
            })
        })
        .collect()
}

pub(crate) fn download(
    what: &'static str,
    variables: &[Variable],
    values: &[Value],
) -> Result<Vec<NamedTensor>, StateError> {
    check_count(what, values.len(), variables.len())?;
    let pairs = variables.iter().zip(values).enumerate();
    pairs
        .map(|(index, (variable, value))| {
            let stored = Elements::download(value, variable.dtype)?;
            if stored.dtype() != variable.dtype || stored.len() != variable.elements() {
                return Err(StateError::Mismatch {
                    index,
                    found: describe(&variable.name, stored.dtype(), &[stored.len()]),
                    expected: describe(&variable.name, variable.dtype, &variable.shape),
                });
            }
            let elements = match &variable.stored {
                Some(layout) => stored
                    .unpack(layout)
                    .map_err(|source| fault(variable, source))?,
                None => stored,
            };
            Ok(NamedTensor {
                name: variable.name.clone(),
                shape: variable.shape.clone(),
                elements,
            })
        })
        .collect()
}

fn check_count(what: &'static str, found: usize, expected: usize) -> Result<(), StateError> {
    if found == expected {
        return Ok(());
    }
    Err(StateError::Count {
        what,
        found,
        expected,
    })
}

fn describe(name: &str, dtype: Dtype, shape: &[usize]) -> String {
    format!("{name}: {dtype}{shape:?}")
}

fn fault(variable: &Variable, source: LayoutError) -> StateError {
    StateError::Layout {
        name: variable.name.clone(),
        source,
    }
}
