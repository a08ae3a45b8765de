//! The forms of each convolution, one against the other.

use cnnc::driver::{Backend, Unit};
use cnnc::tune::{Costs, Form, Question, questions};
use cnnc_runtime::piece::Piece;

use super::race::race;
use crate::common::engine::Engine;
use crate::common::net::failure;
use crate::common::{Console, Failure};

/// A choice and what the forms take.
pub struct Choice {
    pub key: String,
    /// The form by rule first, each with its seconds; `None` where it was out at once.
    pub times: Vec<(Form, Option<f64>)>,
}

impl Choice {
    /// The fastest form, with its seconds.
    pub fn best(&self) -> Option<(Form, f64)> {
        let known = self
            .times
            .iter()
            .filter_map(|&(form, time)| Some((form, time?)));
        known.min_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// Times the forms of every choice of the training step and enters them into `costs`.
pub fn measure(
    unit: &Unit,
    batch: i64,
    engine: &Engine<'_>,
    backend: &Backend,
    rounds: u32,
    console: &Console,
    costs: &mut Costs,
) -> Result<Vec<Choice>, Failure> {
    let module = unit
        .portable(batch, &["train_step"])
        .map_err(|error| failure(&error, &unit.sources, console))?;
    let target = backend.flags.target;
    let asked = questions(&module, target, &backend.tuning).map_err(Failure::new)?;
    let mut choices = Vec::new();
    for (index, question) in asked.iter().enumerate() {
        let count = asked.len();
        console.status(&format!(
            "choice {} of {count}: {}",
            index + 1,
            question.key
        ));
        let choice = answer(question, engine, backend, rounds, costs)?;
        let known = choice.times.iter();
        let known = known.filter_map(|&(form, time)| Some((form, (time? * 1e9) as u64)));
        costs.insert(&choice.key, known);
        choices.push(choice);
    }
    Ok(choices)
}

fn answer(
    question: &Question,
    engine: &Engine<'_>,
    backend: &Backend,
    rounds: u32,
    costs: &Costs,
) -> Result<Choice, Failure> {
    // A weight gradient is timed beside the forms that were found for its neighbours.
    let mut options = backend.tuning.clone();
    options.costs = costs.clone();
    let size = |&n: &i64| usize::try_from(n).unwrap_or(0);
    let shapes: Vec<Vec<usize>> = question
        .arguments()
        .map(|shape| shape.iter().map(size).collect())
        .collect();
    let mut pieces = Vec::new();
    for &form in &question.forms {
        let module = question.in_form(form, backend.flags.target, &options);
        let program = backend.program(&module.map_err(Failure::new)?);
        let program = program.map_err(Failure::new)?;
        let piece = Piece::load(engine.runtime(), &program, Question::FUNCTION, &shapes);
        pieces.push(piece.map_err(Failure::new)?);
    }
    let times = race(pieces.len(), rounds, |index, times| {
        for piece in pieces.get(index).into_iter().cycle().take(times as usize) {
            piece.run().map_err(Failure::new)?;
        }
        Ok(())
    })?;
    Ok(Choice {
        key: question.key.clone(),
        times: question.forms.iter().copied().zip(times).collect(),
    })
}
