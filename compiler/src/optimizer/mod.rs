//! Optimizers: from gradients to new parameters, one file each. What they
//! remember of a parameter between steps are its slots.
//!
//! Each is a pure function on values of a builder; which state of the module
//! the slots are is the training step's business.

mod accumulate;
mod adam;
mod adamw;
mod clip;
mod ema;
mod lamb;
mod moments;
mod norm;
mod rmsprop;
mod sgd;
mod state;

pub use accumulate::Accumulation;
pub use clip::clip;
pub use ema::average;
pub use state::{
    AVERAGE, EXAMPLES, GRADIENT_NORM, Owner, SUM, UPDATE, UPDATES, Variable, init, state,
};

use crate::network::Optimizer;
use crate::stablehlo::{Builder, Result, Value};

/// Name of the scalar learning rate.
pub const LR: &str = "lr";

/// What an update reads.
#[derive(Debug, Clone, Copy)]
pub struct Operands<'a> {
    /// The parameter.
    pub parameter: Value,
    /// Its gradient.
    pub gradient: Value,
    /// What is remembered of it, in the order of [`slots`].
    pub slots: &'a [Value],
    /// Learning rate, f32.
    pub lr: Value,
    /// Number of this update, counted from 1, f32; None where
    /// [`counts_updates`] says that nobody asks.
    pub update: Option<Value>,
    /// Whether weight decay acts on this parameter.
    pub decays: bool,
}

/// What an update makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Updated {
    /// The new parameter.
    pub parameter: Value,
    /// The new slots, in order.
    pub slots: Vec<Value>,
}

/// Names of what `optimizer` remembers of each parameter; all begin as 0.
pub fn slots(optimizer: &Optimizer) -> Vec<&'static str> {
    match optimizer {
        Optimizer::Sgd(sgd) => sgd::slots(sgd),
        Optimizer::Adam(_) | Optimizer::AdamW(_) | Optimizer::Lamb(_) => moments::SLOTS.to_vec(),
        Optimizer::RmsProp(rmsprop) => rmsprop::slots(rmsprop),
    }
}

/// Whether `optimizer` needs to know how many updates there have been.
pub fn counts_updates(optimizer: &Optimizer) -> bool {
    match optimizer {
        Optimizer::Adam(_) | Optimizer::AdamW(_) | Optimizer::Lamb(_) => true,
        Optimizer::Sgd(_) | Optimizer::RmsProp(_) => false,
    }
}

/// The update of one parameter.
///
/// # Errors
/// If the shapes do not fit or a slot is missing, which would be a fault of
/// the caller.
pub fn update(b: &mut Builder, optimizer: &Optimizer, operands: &Operands<'_>) -> Result<Updated> {
    match optimizer {
        Optimizer::Sgd(sgd) => sgd::update(b, sgd, operands),
        Optimizer::Adam(adam) => adam::update(b, adam, operands),
        Optimizer::AdamW(adam) => adamw::update(b, adam, operands),
        Optimizer::RmsProp(rmsprop) => rmsprop::update(b, rmsprop, operands),
        Optimizer::Lamb(adam) => lamb::update(b, adam, operands),
    }
}

impl Operands<'_> {
    fn slot(&self, b: &Builder, index: usize) -> Result<Value> {
        let slot = self.slots.get(index).copied();
        slot.ok_or_else(|| missing(b, &format!("slot {index}")))
    }
}

fn missing(b: &Builder, what: &str) -> crate::stablehlo::Error {
    crate::stablehlo::Error::Pass {
        pass: "optimizer",
        message: format!("an update lacks its {what}"),
        location: b.location.clone(),
    }
}

/// x times a constant.
fn scaled(b: &mut Builder, x: Value, by: f64) -> Result<Value> {
    let by = b.splat_like(by, x)?;
    b.multiply(x, by)
}

/// x times a scalar value.
fn scaled_by(b: &mut Builder, x: Value, by: Value) -> Result<Value> {
    let shape = b.shape(x);
    let by = b.broadcast(by, &[], &shape)?;
    b.multiply(by, x)
}

/// g + weight_decay w, where it decays.
fn decayed(b: &mut Builder, operands: &Operands<'_>, weight_decay: f64) -> Result<Value> {
    if weight_decay == 0.0 || !operands.decays {
        return Ok(operands.gradient);
    }
    let decay = scaled(b, operands.parameter, weight_decay)?;
    b.add(operands.gradient, decay)
}

/// `keep` old + (1 - `keep`) new
fn running_mean(b: &mut Builder, keep: f64, old: Value, new: Value) -> Result<Value> {
    let old = scaled(b, old, keep)?;
    let new = scaled(b, new, 1.0 - keep)?;
    b.add(old, new)
}

/// w - lr step
fn descend(b: &mut Builder, w: Value, lr: Value, step: Value) -> Result<Value> {
    let step = scaled_by(b, step, lr)?;
    b.subtract(w, step)
}
