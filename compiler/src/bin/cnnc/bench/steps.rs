//! Training steps on examples that are made up.

use std::time::Instant;

use cnnc::driver::Unit;
use cnnc_runtime::program::Program;
use cnnc_runtime::state::State;
use cnnc_runtime::synthetic::Examples;

use crate::common::Failure;

/// Batches that take turns, so that none stays in a cache.
const BATCHES: u64 = 8;
/// Of the network's learning rate: the labels are noise, and a loss that is no number any more
/// would end the measuring.
const SLOWER: f64 = 0.01;

/// A program and its state.
pub struct Steps<'a> {
    program: &'a Program,
    state: State,
    batches: Vec<Examples>,
    lr: f32,
}

/// What a round found.
#[derive(Debug, Clone, Copy)]
pub struct Round {
    /// Milliseconds per step.
    pub ms: f64,
    /// That of the last step.
    pub loss: f32,
}

impl<'a> Steps<'a> {
    pub fn new(unit: &Unit, program: &'a Program) -> Result<Self, Failure> {
        let seed = unit.network.train.seed;
        let random = |seed| Examples::random(program.manifest(), seed);
        Ok(Steps {
            program,
            state: program.init(seed).map_err(Failure::new)?,
            batches: (0..BATCHES).map(random).collect(),
            lr: (unit.network.train.optimizer.lr() * SLOWER) as f32,
        })
    }

    /// What the steps take turns with.
    pub fn examples(&self) -> &[Examples] {
        &self.batches
    }

    pub fn learning_rate(&self) -> f32 {
        self.lr
    }

    /// Runs `count` steps.
    pub fn round(&mut self, count: u32) -> Result<Round, Failure> {
        let mut loss = 0.0;
        let start = Instant::now();
        for Examples { image, label } in self.batches.iter().cycle().take(count as usize) {
            let program = self.program;
            let output = program.train_step(&mut self.state, image, label, self.lr, true);
            loss = output.map_err(Failure::new)?.loss;
        }
        let ms = start.elapsed().as_secs_f64() * 1e3 / f64::from(count.max(1));
        if loss.is_finite() {
            return Ok(Round { ms, loss });
        }
        Err(Failure::new(format!(
            "the loss is {loss}; its steps are no measure"
        )))
    }
}
