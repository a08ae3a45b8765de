//! The expanded network as text that parses to the same network.

use super::graph::{Layer, LayerOp, Network, ParameterId, TensorId};
use super::lets::{Form, forms};
use super::setting_text::initializer_text;
use super::train::train_text;
use super::value::{show_parameter, show_shape};
use std::collections::{BTreeMap, VecDeque};

/// The network with one tensor per line, its shape behind it, and its whole
/// `train` section. Parsed and built again it gives the same names and numbers.
///
/// `x |> conv(32, kernel=3) |> relu` prints as
/// ```text
///     let conv1 = x |> conv(32, kernel=3);  # f32[N, 32, 28, 28]
///     let relu1 = conv1 |> relu;            # f32[N, 32, 28, 28]
/// ```
///
/// A layer inside blocks has a name with points, which the `let` of its tensor gives:
/// ```text
///     let stage1.basic1.conv2 = stage1.basic1.relu1 |> conv(64, kernel=3);
/// ```
pub fn print(network: &Network) -> String {
    let mut lines: Vec<(String, Option<String>)> = Vec::new();
    for input in &network.inputs {
        let shape = show_shape(&network.tensor(input.tensor).shape);
        lines.push((format!("input {}: {shape};", input.name), None));
    }
    let names = Names::new(network);
    let mut declared = names.declared();
    for (layer, form) in network.layers.iter().zip(forms(network)) {
        // Parameters keep their order.
        let needed = layer.parameters.iter().max();
        while let (Some(next), Some(needed)) = (declared.front(), needed)
            && next <= needed
        {
            lines.push((names.param_text(*next), None));
            declared.pop_front();
        }
        let op = match form {
            Form::Inline => continue,
            Form::Plain => None,
            Form::First(name) => {
                lines.push((format!("let {name} = {};", layer.text), None));
                Some(name)
            }
            Form::Again(name) => Some(name),
        };
        let output = network.tensor(layer.output);
        let value = names.application(layer, op.as_deref());
        lines.push((
            format!("let {} = {value};", output.name),
            Some(show_shape(&output.shape)),
        ));
    }
    let width = lines.iter().map(|(text, _)| text.len()).max().unwrap_or(0);
    let mut out = format!("net {} {{\n", network.name);
    for (text, shape) in &lines {
        out.push_str(&match shape {
            Some(shape) => format!("    {text:width$}  # {shape}\n"),
            None => format!("    {text}\n"),
        });
    }
    out.push_str(&format!("    {}\n}}\n", names.tensor(network.output)));
    out.push_str(&train_text(&network.train));
    out
}

/// How tensors and parameters are written.
struct Names<'n> {
    network: &'n Network,
    /// The parameters that tensors are made of.
    spread: BTreeMap<TensorId, ParameterId>,
}

impl<'n> Names<'n> {
    fn new(network: &'n Network) -> Self {
        let layers = network.layers.iter();
        let spread = layers
            .filter(|layer| layer.op == LayerOp::Parameter)
            .filter_map(|layer| Some((layer.output, *layer.parameters.first()?)))
            .collect();
        Self { network, spread }
    }

    /// The declared parameters in order.
    fn declared(&self) -> VecDeque<ParameterId> {
        let mut declared: Vec<ParameterId> = self.spread.values().copied().collect();
        declared.sort_unstable();
        declared.dedup();
        declared.into()
    }

    fn tensor(&self, id: TensorId) -> &'n str {
        match self.spread.get(&id) {
            Some(parameter) => &self.network.parameter(*parameter).name,
            None => &self.network.tensor(id).name,
        }
    }

    fn param_text(&self, id: ParameterId) -> String {
        let parameter = self.network.parameter(id);
        let ty = show_parameter(&parameter.shape);
        let init = initializer_text(parameter.init);
        format!("param {}: {ty} = {init};", parameter.name)
    }

    /// The layer on its inputs, by the name of its `let` where it has one.
    fn application(&self, layer: &Layer, name: Option<&str>) -> String {
        let inputs: Vec<&str> = layer.inputs.iter().map(|id| self.tensor(*id)).collect();
        let op = name.unwrap_or(&layer.text);
        match (&layer.op, inputs.as_slice(), name) {
            (LayerOp::Add, [a, b], None) => format!("{a} + {b}"),
            (LayerOp::Subtract, [a, b], None) => format!("{a} - {b}"),
            (LayerOp::Multiply, [a, b], None) => format!("{a} * {b}"),
            (_, [only], _) => format!("{only} |> {op}"),
            (_, inputs, _) => format!("{op}({})", inputs.join(", ")),
        }
    }
}
