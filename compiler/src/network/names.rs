//! Unique names of layers and tensors.

use super::ops;
use std::collections::{BTreeMap, BTreeSet};

/// Hands out names: op and number for layers, and for tensors that have no
/// name of their own the name of their layer.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Names of `let`s that stand for layers.
    layer_lets: BTreeSet<String>,
    /// Names of all `let`s, `input`s and hyper-parameters.
    declared: BTreeSet<String>,
    counts: BTreeMap<&'static str, usize>,
    layers: BTreeSet<String>,
    tensors: BTreeSet<String>,
}

impl Names {
    pub fn declare(&mut self, name: &str, is_layer: bool) {
        self.declared.insert(name.to_string());
        if is_layer {
            self.layer_lets.insert(name.to_string());
        }
    }

    /// `conv1`, `conv2`, ..., leaving out the names of layer `let`s, and `relu6`.
    pub fn numbered_layer(&mut self, op: &'static str) -> String {
        let count = self.counts.entry(op).or_default();
        loop {
            *count += 1;
            let name = format!("{op}{count}");
            let taken = self.layer_lets.contains(&name) || ops::find(&name).is_some();
            if !taken && self.layers.insert(name.clone()) {
                return name;
            }
        }
    }

    /// The number the next [`Names::numbered_layer`] of `op` will have.
    pub fn next_number(&self, op: &str) -> usize {
        let mut number = self.counts.get(op).copied().unwrap_or(0) + 1;
        loop {
            let name = format!("{op}{number}");
            let taken = self.layer_lets.contains(&name) || self.layers.contains(&name);
            if !taken && ops::find(&name).is_none() {
                return number;
            }
            number += 1;
        }
    }

    /// `base` for the first application of a layer `let`, then `base_1`, `base_2`, ...
    pub fn named_layer(&mut self, base: &str) -> String {
        let lets = &self.layer_lets;
        let layers = &mut self.layers;
        let mut name = base.to_string();
        let mut count = 0;
        while (count > 0 && lets.contains(&name)) || !layers.insert(name.clone()) {
            count += 1;
            name = format!("{base}_{count}");
        }
        name
    }

    /// The name of a tensor without one, after its layer.
    pub fn tensor(&mut self, layer: &str) -> String {
        let mut name = layer.to_string();
        let mut count = 0;
        while self.declared.contains(&name) || !self.tensors.insert(name.clone()) {
            count += 1;
            name = format!("{layer}_{count}");
        }
        name
    }
}
