//! The expanded network as text that parses to the same network.

use super::graph::{LayerOp, Network, TensorId};
use super::lets::{Named, layer_lets};
use super::train::train_text;
use super::value::show_shape;

/// The network with one tensor per line, its shape behind it, and its whole
/// `train` section. Parsed and built again it gives the same names and numbers.
///
/// `x |> conv(32, kernel=3) |> relu` prints as
/// ```text
///     let conv1 = x |> conv(32, kernel=3);  # f32[N, 32, 28, 28]
///     let relu1 = conv1 |> relu;            # f32[N, 32, 28, 28]
/// ```
pub fn print(network: &Network) -> String {
    let mut lines: Vec<(String, Option<String>)> = Vec::new();
    for input in &network.inputs {
        let shape = show_shape(&network.tensor(input.tensor).shape);
        lines.push((format!("input {}: {shape};", input.name), None));
    }
    for (layer, named) in network.layers.iter().zip(layer_lets(network)) {
        let op = match named {
            Named::No => layer.text.clone(),
            Named::First(name) => {
                lines.push((format!("let {name} = {};", layer.text), None));
                name
            }
            Named::Again(name) => name,
        };
        let names: Vec<&str> = layer.inputs.iter().map(|id| name(network, *id)).collect();
        let value = match layer.op {
            LayerOp::Add => names.join(" + "),
            LayerOp::Subtract => names.join(" - "),
            LayerOp::Multiply => names.join(" * "),
            _ if names.len() > 1 => format!("{op}({})", names.join(", ")),
            _ => format!("{} |> {op}", names.join("")),
        };
        let output = network.tensor(layer.output);
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
    out.push_str(&format!("    {}\n}}\n", name(network, network.output)));
    out.push_str(&train_text(&network.train));
    out
}

fn name(network: &Network, id: TensorId) -> &str {
    &network.tensor(id).name
}
