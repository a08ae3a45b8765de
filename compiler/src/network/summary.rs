//! What a network is made of, row by row.

use super::graph::{Network, ParameterId};
use super::value::show_shape;
use std::collections::BTreeSet;

/// One layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// `conv1`
    pub name: String,
    /// `conv(32, kernel=3)`: the options that are not the defaults.
    pub op: String,
    /// `f32[N, 32, 28, 28]`
    pub output: String,
    /// Numbers it trains that no row above trains.
    pub parameters: i64,
    /// Of one example's forward pass.
    pub multiply_adds: i64,
}

/// The sums of all rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totals {
    /// Trainable numbers.
    pub parameters: i64,
    /// Of one example's forward pass.
    pub multiply_adds: i64,
}

/// One row per layer, in order of computation.
pub fn summary(network: &Network) -> Vec<Row> {
    let mut counted: BTreeSet<ParameterId> = BTreeSet::new();
    network
        .layers
        .iter()
        .map(|layer| Row {
            name: layer.name.clone(),
            op: layer.text.clone(),
            output: show_shape(&network.tensor(layer.output).shape),
            parameters: layer
                .parameters
                .iter()
                .filter(|id| counted.insert(**id))
                .map(|id| network.parameter(*id).size())
                .sum(),
            multiply_adds: layer.multiply_adds,
        })
        .collect()
}

/// The sums of all rows of [`summary`].
pub fn totals(network: &Network) -> Totals {
    Totals {
        parameters: network.parameter_count(),
        multiply_adds: network.multiply_adds(),
    }
}
