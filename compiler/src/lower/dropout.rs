//! `dropout` and `drop_path`: in training elements or whole examples become 0,
//! and what is kept is divided by the probability of being kept.

use super::surroundings::Surroundings;
use super::{Mode, random};
use crate::stablehlo::{Builder, Direction, Error, Result, Value};

/// What is dropped as one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Element,
    Example,
}

/// The bits come of the seed, of the step and of the layer: `layer` is its
/// place in the network. Being integers they have no derivative, so that
/// backward drops what forward dropped.
pub(super) fn dropout(
    b: &mut Builder,
    unit: Unit,
    p: f64,
    layer: usize,
    x: Value,
    surroundings: &Surroundings,
) -> Result<Value> {
    if surroundings.mode == Mode::Evaluation || p <= 0.0 {
        return Ok(x);
    }
    let zero = b.splat_like(0.0, x)?;
    if p >= 1.0 {
        return Ok(zero);
    }
    let Some([seed, counter]) = surroundings.random() else {
        return Err(Error::Pass {
            pass: "lower",
            message: "training draws random numbers, but has no seed".to_owned(),
            location: b.location.clone(),
        });
    };
    let shape = b.shape(x);
    let key = random::key(b, seed)?;
    let key = random::derived(b, key, counter, layer as u32)?;
    let drawn = match unit {
        Unit::Element => shape.clone(),
        Unit::Example => shape.iter().take(1).copied().collect(),
    };
    let words = random::words(b, key, drawn.iter().product())?;
    // A word is below p 2^32 with probability p.
    let threshold = b.splat_like((p * 2f64.powi(32)).round(), words)?;
    let kept = b.compare(Direction::Ge, words, threshold)?;
    let kept = match unit {
        Unit::Element => b.reshape(kept, &shape)?,
        Unit::Example => b.broadcast(kept, &[0], &shape)?,
    };
    let share = b.splat_like(1.0 - p, x)?;
    let scaled = b.divide(x, share)?;
    b.select(kept, scaled, zero)
}
