//! How each layer of a network is printed, so that its name comes again.
//!
//! Most names come of op and number again when the text is read, and names with
//! points come of the `let` of the tensor. A layer needs a `let` of its own where
//! its parameters are shared, or where its name is another one.

use super::graph::{Layer, LayerOp, Network};
use super::ops;
use std::collections::{BTreeMap, BTreeSet};

/// How a layer is printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The op stands where it is applied.
    Plain,
    /// The `let` of that name goes before.
    First(String),
    /// A `let` that is there is applied again.
    Again(String),
    /// A `param`, which is printed where it is used.
    Inline,
}

/// How each layer of `network` is printed, in order.
pub(super) fn forms(network: &Network) -> Vec<Form> {
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for layer in network.layers.iter().filter(|layer| keeps(layer)) {
        *uses.entry(&layer.base).or_default() += 1;
    }
    let shared = |layer: &Layer| keeps(layer) && uses.get(layer.base.as_str()) > Some(&1);
    let in_let = layers_in_lets(network, &shared);
    let mut made: BTreeSet<&str> = BTreeSet::new();
    let form = |layer: &'_ Layer| match layer.op {
        LayerOp::Parameter => Form::Inline,
        _ if shared(layer) => Form::First(layer.base.clone()),
        _ if in_let.contains(layer.name.as_str()) => Form::First(layer.name.clone()),
        _ => Form::Plain,
    };
    let mut forms = Vec::new();
    for layer in &network.layers {
        forms.push(match form(layer) {
            Form::First(name) if shared(layer) && !made.insert(&layer.base) => Form::Again(name),
            form => form,
        });
    }
    forms
}

/// Whether something of the layer outlasts its application.
fn keeps(layer: &Layer) -> bool {
    layer.op != LayerOp::Parameter && !(layer.parameters.is_empty() && layer.buffers.is_empty())
}

/// The names of layers that only a `let` gives.
///
/// Reading the text counts the layers of each op and passes over names that are
/// there. Where that gives another name than the layer has, the name in between
/// is that of a `let`, or the layer's own is.
fn layers_in_lets<'n>(network: &'n Network, shared: &dyn Fn(&Layer) -> bool) -> BTreeSet<&'n str> {
    let layers = || {
        let layers = network.layers.iter();
        layers.filter(|layer| layer.op != LayerOp::Parameter && !shared(layer))
    };
    // A `let` of a tensor of the same name would be in the way.
    let may_be_let = |layer: &Layer| network.tensor(layer.output).name != layer.name;
    let by_name: BTreeMap<&str, &'n Layer> =
        layers().map(|layer| (layer.name.as_str(), layer)).collect();
    let mut taken = taken(network, shared);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut lets: BTreeSet<&str> = BTreeSet::new();
    for layer in layers().filter(|layer| !is_counted(layer)) {
        // A name with points goes from the tensor to the layer.
        if !layer.name.contains('.') || may_be_let(layer) {
            lets.insert(&layer.name);
        }
        taken.insert(layer.name.clone());
    }
    for layer in layers().filter(|layer| is_counted(layer)) {
        if lets.contains(layer.name.as_str()) {
            continue;
        }
        let op = op_of(layer);
        loop {
            let count = counts.entry(op).or_default();
            *count += 1;
            let name = format!("{op}{count}");
            if ops::find(&name).is_some() || taken.contains(&name) {
                continue;
            }
            if name == layer.name {
                taken.insert(name);
                break;
            }
            match by_name.get(name.as_str()) {
                Some(other) if may_be_let(other) => {
                    lets.insert(&other.name);
                    taken.insert(name);
                }
                _ => {
                    *count -= 1;
                    lets.insert(&layer.name);
                    taken.insert(layer.name.clone());
                    break;
                }
            }
        }
    }
    lets
}

/// Names that numbers pass over from the start: shared layers, parameters, and
/// what names with points stand below.
fn taken(network: &Network, shared: &dyn Fn(&Layer) -> bool) -> BTreeSet<String> {
    let layers = network.layers.iter();
    let (declared, layers): (Vec<&Layer>, Vec<&Layer>) =
        layers.partition(|layer| layer.op == LayerOp::Parameter);
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for name in layers
        .iter()
        .map(|layer| &layer.name)
        .chain(declared.iter().map(|layer| &layer.base))
    {
        let heads = name
            .match_indices('.')
            .filter_map(|(place, _)| name.get(..place));
        taken.extend(heads.map(str::to_string));
    }
    taken.extend(declared.iter().map(|layer| layer.base.clone()));
    taken.extend(
        layers
            .iter()
            .filter(|layer| shared(layer))
            .map(|layer| layer.base.clone()),
    );
    taken
}

/// `conv` of `conv(32, kernel=3)`
fn op_of(layer: &Layer) -> &str {
    layer.text.split('(').next().unwrap_or_default()
}

/// Whether the name is op and number.
fn is_counted(layer: &Layer) -> bool {
    let number = layer.name.strip_prefix(op_of(layer));
    number.is_some_and(|number| !number.starts_with('0') && number.parse::<usize>().is_ok())
}
