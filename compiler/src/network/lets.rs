//! Which layers of a network need a `let` of their own to be printed.
//!
//! Most names come of op and number again when the text is read. A layer needs
//! a `let` where its parameters are shared or its name is another one.

use super::graph::{Layer, LayerOp, Network};
use super::names::Names;
use std::collections::{BTreeMap, BTreeSet};

/// How a layer is printed.
pub(super) enum Named {
    /// The op stands where it is applied.
    No,
    /// The `let` of that name goes before.
    First(String),
    /// A `let` that is there is applied again.
    Again(String),
}

/// How each layer of `network` is printed, in order.
pub(super) fn layer_lets(network: &Network) -> Vec<Named> {
    let mut uses: BTreeMap<usize, usize> = BTreeMap::new();
    for layer in &network.layers {
        if let Some(first) = layer.parameters.first() {
            *uses.entry(first.0).or_default() += 1;
        }
    }
    let tensors: BTreeSet<&str> = network
        .tensors
        .iter()
        .map(|tensor| tensor.name.as_str())
        .collect();
    let repeated_bases: BTreeSet<&str> = network
        .layers
        .iter()
        .filter_map(|layer| repeated_base(network, layer))
        .filter(|base| !tensors.contains(base))
        .collect();
    let mut names = Names::default();
    let mut made: BTreeMap<String, LayerOp> = BTreeMap::new();
    let mut result = Vec::new();
    for layer in &network.layers {
        let base = parameter_base(network, layer);
        let shared = layer
            .parameters
            .first()
            .is_some_and(|first| uses.get(&first.0).is_some_and(|count| *count > 1));
        let own = base.as_deref().unwrap_or(&layer.name) == layer.name;
        let shared = shared || repeated_bases.contains(layer.name.as_str());
        if own && !shared && is_numbered(&mut names, layer, &tensors) {
            result.push(Named::No);
            continue;
        }
        let base = base
            .or_else(|| {
                let base = repeated_base(network, layer)?;
                (made.get(base) == Some(&layer.op)).then(|| base.to_string())
            })
            .unwrap_or_else(|| layer.name.clone());
        let _ = names.named_layer(&base);
        result.push(if made.contains_key(&base) {
            Named::Again(base)
        } else {
            names.declare(&base, true);
            made.insert(base.clone(), layer.op.clone());
            Named::First(base)
        });
    }
    result
}

/// `c` of `c.weight`
fn parameter_base(network: &Network, layer: &Layer) -> Option<String> {
    let first = &network.parameter(*layer.parameters.first()?).name;
    let base = match layer.op {
        LayerOp::Attention { .. } => first.strip_suffix(".qkv.weight"),
        _ => first.rsplit_once('.').map(|(base, _)| base),
    };
    base.map(str::to_string)
}

/// Whether op and number give the layer its name.
fn is_numbered(names: &mut Names, layer: &Layer, tensors: &BTreeSet<&str>) -> bool {
    let op = layer.op.name();
    let two_inputs = layer.inputs.len() > 1;
    let Some(number) = layer
        .name
        .strip_prefix(op)
        .and_then(|digits| digits.parse::<usize>().ok())
    else {
        return false;
    };
    // Numbers are passed over only where a `let` has their name. A layer whose
    // tensor has its name, or that has no name in the language, is no `let`.
    if tensors.contains(layer.name.as_str()) || two_inputs {
        while names.next_number(op) < number {
            names.declare(&format!("{op}{}", names.next_number(op)), true);
        }
    }
    if names.next_number(op) != number {
        return false;
    }
    names.numbered_layer(op) == layer.name
}

/// The layer without parameters of which this looks like a later use: `act` of `act_1`.
fn repeated_base<'n>(network: &'n Network, layer: &'n Layer) -> Option<&'n str> {
    let (base, count) = layer.name.rsplit_once('_')?;
    count.parse::<usize>().ok()?;
    network
        .layers
        .iter()
        .any(|other| other.name == base && other.op == layer.op && other.parameters.is_empty())
        .then_some(base)
}
