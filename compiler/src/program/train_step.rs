//! `@train_step`: from the gradients to new parameters and state.

use crate::autodiff;
use crate::lower::{self, Source};
use crate::network::{Decay, Network, Role};
use crate::optimizer::{self, Accumulation, GRADIENT_NORM, LR, Operands};
use crate::optimizer::{AVERAGE, EXAMPLES, SUM, UPDATE, UPDATES};
use crate::stablehlo::{
    Builder, ElementType, Error, Function, Location, Output, Result, TensorType, Value,
};
use std::collections::HashMap;

/// Metrics that every training step returns: loss and number correct.
const METRICS: usize = 2;

/// `@train_step`: parameters, state, image, label, learning rate and, where
/// gradients are accumulated, whether to update, to the new parameters and
/// state, the loss, the number of correct examples and, where gradients are
/// clipped, their norm.
///
/// # Errors
/// If an operation has no derivative rule; otherwise only by a fault of this
/// compiler.
pub(super) fn train_step(network: &Network, batch: i64, source: &Source) -> Result<Function> {
    let parameters: Vec<usize> = (0..network.parameters.len()).collect();
    let loss = lower::loss_and_updates(network, batch, source)?;
    let function = autodiff::gradients(&loss, &parameters, "train_step")?;
    let mut step = Step::new(network, function)?;
    let results = std::mem::take(&mut step.b.function.outputs);
    let (results, gradients) = results.split_at(loss.outputs.len());
    let (metrics, model_state) = results.split_at(METRICS);
    let gradients: Vec<Value> = gradients.iter().map(|output| output.value).collect();

    let gradients = step.accumulate(gradients, batch)?;
    let (gradients, norm) = step.clip(gradients)?;
    let number = step.count()?;
    for (index, gradient) in gradients.into_iter().enumerate() {
        step.b.location = source.location(network.parameters[index].span);
        step.update(index, gradient, number)?;
    }
    for (index, buffer) in model_state.iter().enumerate().take(network.buffers.len()) {
        step.b.location = source.location(network.buffers[index].span);
        step.average(&network.buffers[index].name, buffer.value)?;
    }
    step.b.location = Location::UNKNOWN;
    step.finish(model_state, metrics, norm)
}

/// A training step being built.
struct Step<'n> {
    network: &'n Network,
    b: Builder,
    /// Arguments by name.
    arguments: HashMap<String, Value>,
    lr: Value,
    accumulation: Option<Accumulation>,
    /// New parameters and optimizer state by name.
    new: HashMap<String, Value>,
}

impl<'n> Step<'n> {
    /// The function with the arguments that only a training step has.
    fn new(network: &'n Network, mut function: Function) -> Result<Self> {
        let leading = network.parameters.len() + lower::model_state(network).len();
        let data = function.arguments.split_off(leading);
        for variable in optimizer::state(network) {
            function.argument(Some(&variable.name), variable.ty);
        }
        function.arguments.extend(data);
        let lr = function.argument(Some(LR), TensorType::scalar(ElementType::F32));
        if network.train.accumulate > 1 {
            function.argument(Some(UPDATE), TensorType::scalar(ElementType::I32));
        }
        let named =
            |argument: &crate::stablehlo::Argument| Some((argument.name.clone()?, argument.value));
        Ok(Step {
            network,
            arguments: function.arguments.iter().filter_map(named).collect(),
            b: Builder::new(function),
            lr,
            accumulation: None,
            new: HashMap::new(),
        })
    }

    fn argument(&self, name: &str) -> Result<Value> {
        let value = self.arguments.get(name).copied();
        value.ok_or_else(|| missing("argument", name))
    }

    /// The gradients of the group of batches so far.
    fn accumulate(&mut self, gradients: Vec<Value>, batch: i64) -> Result<Vec<Value>> {
        if self.network.train.accumulate <= 1 {
            return Ok(gradients);
        }
        let (update, examples) = (self.argument(UPDATE)?, self.argument(EXAMPLES)?);
        let accumulation = Accumulation::new(&mut self.b, update, examples, batch)?;
        self.new
            .insert(EXAMPLES.to_owned(), accumulation.examples());
        self.accumulation = Some(accumulation);
        let mut means = Vec::new();
        for (parameter, gradient) in self.network.parameters.iter().zip(gradients) {
            let name = format!("{}.{SUM}", parameter.name);
            let sum = self.argument(&name)?;
            let (mean, sum) = accumulation.add(&mut self.b, gradient, sum)?;
            let zero = self.b.splat_like(0.0, sum)?;
            let sum = accumulation.choose(&mut self.b, zero, sum)?;
            self.new.insert(name, sum);
            means.push(mean);
        }
        Ok(means)
    }

    fn clip(&mut self, gradients: Vec<Value>) -> Result<(Vec<Value>, Option<Value>)> {
        let Some(most) = self.network.train.clip_norm else {
            return Ok((gradients, None));
        };
        let (clipped, norm) = optimizer::clip(&mut self.b, &gradients, most)?;
        Ok((clipped, Some(norm)))
    }

    /// The number of this update as f32, where the optimizer asks.
    fn count(&mut self) -> Result<Option<Value>> {
        if !optimizer::counts_updates(&self.network.train.optimizer) {
            return Ok(None);
        }
        let before = self.argument(UPDATES)?;
        let one = self.b.splat_like(1.0, before)?;
        let number = self.b.add(before, one)?;
        self.set(UPDATES, number)?;
        Ok(Some(self.b.convert(number, ElementType::F32)?))
    }

    fn update(&mut self, index: usize, gradient: Value, number: Option<Value>) -> Result<()> {
        let network = self.network;
        let (parameter, train) = (&network.parameters[index], &network.train);
        let names: Vec<String> = optimizer::slots(&train.optimizer)
            .into_iter()
            .map(|slot| format!("{}.{slot}", parameter.name))
            .collect();
        let slots = names
            .iter()
            .map(|name| self.argument(name))
            .collect::<Result<Vec<Value>>>()?;
        let operands = Operands {
            parameter: self.argument(&parameter.name)?,
            gradient,
            slots: &slots,
            lr: self.lr,
            update: number,
            decays: train.decay == Decay::All || parameter.role == Role::Weight,
        };
        let updated = optimizer::update(&mut self.b, &train.optimizer, &operands)?;
        self.set(&parameter.name, updated.parameter)?;
        for (name, value) in names.iter().zip(updated.slots) {
            self.set(name, value)?;
        }
        self.average(&parameter.name, updated.parameter)
    }

    /// The running average of what is called `name` and now is `value`.
    fn average(&mut self, name: &str, value: Value) -> Result<()> {
        let Some(keep) = self.network.train.ema else {
            return Ok(());
        };
        let name = format!("{name}.{AVERAGE}");
        let before = self.argument(&name)?;
        let after = optimizer::average(&mut self.b, keep, before, value)?;
        self.set(&name, after)
    }

    /// The new value of an argument, unless its group of batches goes on.
    fn set(&mut self, name: &str, value: Value) -> Result<()> {
        let value = match self.accumulation {
            Some(accumulation) => {
                let old = self.argument(name)?;
                accumulation.choose(&mut self.b, value, old)?
            }
            None => value,
        };
        self.new.insert(name.to_owned(), value);
        Ok(())
    }

    fn finish(
        mut self,
        model_state: &[Output],
        metrics: &[Output],
        norm: Option<Value>,
    ) -> Result<Function> {
        let new = |name: &str| {
            let value = self.new.get(name).copied();
            value.ok_or_else(|| missing("result", name))
        };
        for parameter in &self.network.parameters {
            let value = new(&parameter.name)?;
            self.b.function.output(Some(&parameter.name), value);
        }
        self.b.function.outputs.extend_from_slice(model_state);
        for variable in optimizer::state(self.network) {
            let value = new(&variable.name)?;
            self.b.function.output(Some(&variable.name), value);
        }
        self.b.function.outputs.extend_from_slice(metrics);
        if let Some(norm) = norm {
            self.b.function.output(Some(GRADIENT_NORM), norm);
        }
        Ok(self.b.function)
    }
}

fn missing(what: &str, name: &str) -> Error {
    Error::Pass {
        pass: "train_step",
        message: format!("there is no {what} `{name}`"),
        location: Location::UNKNOWN,
    }
}
