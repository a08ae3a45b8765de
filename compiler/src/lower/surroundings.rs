//! What layers see besides their inputs and parameters.

use super::Mode;
use crate::network::{BufferId, Network};
use crate::stablehlo::{Builder, Result, Value};

/// The mode, and the current value of every piece of model state.
pub(super) struct Surroundings {
    pub mode: Mode,
    /// By position in `model_state`: the buffers, then seed and counter.
    state: Vec<Value>,
    /// Seed and counter, where training draws random numbers.
    random: Option<[Value; 2]>,
}

impl Surroundings {
    /// At the start of a function whose arguments are `state`.
    pub fn new(network: &Network, mode: Mode, state: Vec<Value>) -> Self {
        let random = match state.get(network.buffers.len()..) {
            Some(&[seed, counter]) => Some([seed, counter]),
            _ => None,
        };
        Surroundings {
            mode,
            state,
            random,
        }
    }

    /// The current value of a buffer.
    pub fn buffer(&self, id: BufferId) -> Option<Value> {
        self.state.get(id.0).copied()
    }

    /// Gives a buffer another value.
    pub fn update(&mut self, id: BufferId, value: Value) {
        if let Some(slot) = self.state.get_mut(id.0) {
            *slot = value;
        }
    }

    /// Seed (ui64) and counter (ui32) of the random numbers.
    pub fn random(&self) -> Option<[Value; 2]> {
        self.random
    }

    /// The model state after the last layer: the counter has moved on.
    pub fn finish(mut self, b: &mut Builder) -> Result<Vec<Value>> {
        if let (Mode::Training, Some([_, counter])) = (self.mode, self.random) {
            let one = b.splat_like(1.0, counter)?;
            let next = b.add(counter, one)?;
            self.state.pop();
            self.state.push(next);
        }
        Ok(self.state)
    }
}
