//! Names of layers, parameters and tensors, made when the whole net is known.
//!
//! A layer, and a block that is used, has a name on the level it is used on:
//! that of its `let`, else op or block and number. A path leads down the levels:
//! `stage2.basic1.conv2`. Numbers count in order of first use and pass over
//! names that are there already.

mod names;
mod paths;
mod tensors;

use super::codes::expansion::SAME_PARAMETER;
use super::expander::Expander;
use super::graph::ParameterId;
use super::instance::{Binding, IdentityId, InstanceId, Instances, NET};
use cnnc_grammar::{Diagnostic, Span};
use names::Names;
use paths::Paths;
use std::collections::BTreeMap;

/// What names are made of.
#[derive(Default)]
pub(super) struct Namings {
    /// By layer.
    pub layers: Vec<LayerName>,
    /// By parameter.
    pub parameters: Vec<KeptName>,
    /// By buffer.
    pub buffers: Vec<KeptName>,
    /// By tensor: its `input` or `let`.
    pub tensors: Vec<Option<String>>,
}

/// What names a layer.
#[derive(Clone, Copy)]
pub(super) enum LayerName {
    Applied {
        identity: IdentityId,
        application: usize,
    },
    /// A `param` as a tensor.
    Parameter(ParameterId),
}

/// What names a parameter or buffer.
pub(super) enum KeptName {
    Layer {
        identity: IdentityId,
        suffix: &'static str,
    },
    Declared {
        owner: InstanceId,
        binding: Binding,
    },
}

impl Namings {
    /// Whether a layer is one of the net itself, not of a block.
    pub fn is_of_net(&self, name: &LayerName, instances: &Instances) -> bool {
        match name {
            LayerName::Applied { identity, .. } => instances
                .identity(*identity)
                .is_some_and(|identity| identity.owner == NET),
            LayerName::Parameter(_) => false,
        }
    }
}

impl Expander<'_> {
    /// Gives every layer, parameter, buffer and tensor its name; `hypers` are names
    /// that the net has for something else.
    pub(super) fn name_all(&mut self, hypers: &[&str]) {
        let mut levels: BTreeMap<InstanceId, Names> = BTreeMap::new();
        let paths = self.paths(&mut levels);
        // Where a layer is printed with a `let`, its name must not be a tensor's.
        let tensors = self.namings.tensors.iter().flatten().cloned();
        levels.entry(NET).or_default().taken.extend(tensors);
        self.name_layers(&paths, &mut levels);
        self.name_kept(&paths);
        self.name_tensors(hypers, &paths);
        self.report_same_parameters();
    }

    /// The first application has the layer's name, the others `name_1`, `name_2`, ...
    fn name_layers(&mut self, paths: &Paths, levels: &mut BTreeMap<InstanceId, Names>) {
        let mut used = Names::default();
        let mut spreads: Vec<usize> = Vec::new();
        for (index, name) in self.namings.layers.iter().enumerate() {
            let Some(layer) = self.layers.get_mut(index) else {
                continue;
            };
            match name {
                LayerName::Parameter(_) => spreads.push(index),
                LayerName::Applied {
                    identity,
                    application,
                } => {
                    let base = paths.identities.get(identity).cloned().unwrap_or_default();
                    let owner = self.instances.identity(*identity).map_or(NET, |i| i.owner);
                    layer.name = match application {
                        0 => base.clone(),
                        _ => {
                            let level = levels.entry(owner).or_default();
                            let path = paths.instances.get(&owner).map_or("", String::as_str);
                            let local = base.strip_prefix(path).unwrap_or(&base);
                            let local = match path {
                                "" => local,
                                _ => local.strip_prefix('.').unwrap_or(local),
                            };
                            let local = level.named(local);
                            match path {
                                "" => local,
                                path => format!("{path}.{local}"),
                            }
                        }
                    };
                    let keeps = !layer.parameters.is_empty() || !layer.buffers.is_empty();
                    layer.base = if keeps { base } else { layer.name.clone() };
                    used.taken.insert(layer.name.clone());
                }
            }
        }
        for index in spreads {
            let Some(LayerName::Parameter(parameter)) = self.namings.layers.get(index) else {
                continue;
            };
            let base = paths
                .declared
                .get(&parameter.0)
                .cloned()
                .unwrap_or_default();
            if let Some(layer) = self.layers.get_mut(index) {
                layer.name = used.named(&base);
                layer.base = base;
            }
        }
    }

    fn name_kept(&mut self, paths: &Paths) {
        let name = |index: usize, name: &KeptName| match name {
            KeptName::Layer { identity, suffix } => {
                let base = paths.identities.get(identity).map_or("", String::as_str);
                format!("{base}.{suffix}")
            }
            KeptName::Declared { .. } => paths.declared.get(&index).cloned().unwrap_or_default(),
        };
        for (index, (parameter, naming)) in self
            .parameters
            .iter_mut()
            .zip(&self.namings.parameters)
            .enumerate()
        {
            parameter.name = name(index, naming);
        }
        for (buffer, naming) in self.buffers.iter_mut().zip(&self.namings.buffers) {
            buffer.name = name(usize::MAX, naming);
        }
    }

    fn report_same_parameters(&mut self) {
        let parameters = self.parameters.iter().map(|p| (p.name.clone(), p.span));
        let buffers = self.buffers.iter().map(|b| (b.name.clone(), b.span));
        let mut known: BTreeMap<String, Span> = BTreeMap::new();
        let mut errors = Vec::new();
        for (name, span) in parameters.chain(buffers) {
            match known.get(&name) {
                Some(first) => errors.push(
                    Diagnostic::new(
                        SAME_PARAMETER,
                        format!("two parameters are called `{name}`"),
                        span,
                        "the second one",
                    )
                    .with_place(*first, "the first one")
                    .with_hint("take another name for one of them"),
                ),
                None => {
                    known.insert(name, span);
                }
            }
        }
        for error in errors {
            self.report(error);
        }
    }
}
