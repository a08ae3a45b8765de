//! Names of layers, parameters and tensors, made when the whole net is known.
//!
//! A layer, and a block that is used, has a name on the level it is used on:
//! that of its `let`, else op or block and number. A path leads down the levels:
//! `stage2.basic1.conv2`. Numbers count in order of first use and pass over
//! names that are there already.

use super::codes::expansion::SAME_PARAMETER;
use super::expander::Expander;
use super::graph::ParameterId;
use super::instance::{Binding, IdentityId, InstanceId, Instances, NET};
use super::ops;
use cnnc_grammar::{Diagnostic, Span};
use std::collections::{BTreeMap, BTreeSet};

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

/// Full names of everything that has one.
#[derive(Default)]
struct Paths {
    instances: BTreeMap<InstanceId, String>,
    identities: BTreeMap<IdentityId, String>,
    /// By parameter, for the declared ones.
    declared: BTreeMap<usize, String>,
}

/// Names that are there, and the next number for each that is taken.
#[derive(Default)]
struct Names {
    taken: BTreeSet<String>,
    counts: BTreeMap<String, usize>,
}

impl Names {
    /// `name`, or `name_1`, `name_2`, ...
    fn named(&mut self, name: &str) -> String {
        match self.taken.insert(name.to_string()) {
            true => name.to_string(),
            false => self.beside(name),
        }
    }

    /// `name_1`, `name_2`, ...
    fn beside(&mut self, name: &str) -> String {
        let count = self.counts.entry(format!("{name}_")).or_default();
        loop {
            *count += 1;
            let free = format!("{name}_{count}");
            if self.taken.insert(free.clone()) {
                return free;
            }
        }
    }

    /// `name1`, `name2`, ...; `relu6` is an op and not the sixth `relu`.
    fn numbered(&mut self, name: &str) -> String {
        let count = self.counts.entry(name.to_string()).or_default();
        loop {
            *count += 1;
            let free = format!("{name}{count}");
            if ops::find(&free).is_none() && self.taken.insert(free.clone()) {
                return free;
            }
        }
    }

    fn bound(&mut self, binding: &Binding) -> String {
        match binding.numbered {
            true => self.numbered(&binding.name),
            false => self.named(&binding.name),
        }
    }

    /// A name with points stands below others, which it takes.
    fn take_heads(&mut self, name: &str) {
        for (place, _) in name.match_indices('.') {
            self.taken.extend(name.get(..place).map(str::to_string));
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

    fn paths(&self, levels: &mut BTreeMap<InstanceId, Names>) -> Paths {
        let mut paths = Paths::default();
        let inhabited = self.inhabited();
        let mut children: BTreeMap<InstanceId, Vec<IdentityId>> = BTreeMap::new();
        for (index, identity) in self.instances.identities.iter().enumerate() {
            if identity.first.is_some() {
                let owner = children.entry(identity.owner).or_default();
                owner.push(IdentityId(index));
            }
        }
        let mut declared: BTreeMap<InstanceId, Vec<(usize, &Binding)>> = BTreeMap::new();
        for (index, name) in self.namings.parameters.iter().enumerate() {
            if let KeptName::Declared { owner, binding } = name {
                declared.entry(*owner).or_default().push((index, binding));
            }
        }
        let mut next = vec![(NET, String::new())];
        while let Some((instance, path)) = next.pop() {
            let level = levels.entry(instance).or_default();
            let mut own = children.remove(&instance).unwrap_or_default();
            own.sort_by_key(|id| self.instances.identity(*id).and_then(|i| i.first));
            let full = |name: String| match path.as_str() {
                "" => name,
                path => format!("{path}.{name}"),
            };
            let parameters = declared.remove(&instance).unwrap_or_default();
            for numbered in [false, true] {
                for (index, binding) in &parameters {
                    if binding.numbered == numbered {
                        let name = level.bound(binding);
                        paths.declared.insert(*index, full(name));
                    }
                }
                for id in &own {
                    if let Some(identity) = self.instances.identity(*id)
                        && let Some(binding) = &identity.binding
                        && binding.numbered == numbered
                    {
                        let name = level.bound(binding);
                        paths.identities.insert(*id, full(name));
                    }
                }
            }
            // Numbers pass over what names with points stand below.
            for (_, binding) in &parameters {
                level.take_heads(&binding.name);
            }
            for id in &own {
                let identity = self.instances.identity(*id);
                if let Some(binding) = identity.and_then(|i| i.binding.as_ref()) {
                    level.take_heads(&binding.name);
                }
            }
            // Blocks before ops, so that an op never has the name of a level.
            for blocks in [true, false] {
                for id in &own {
                    let Some(identity) = self.instances.identity(*id) else {
                        continue;
                    };
                    let is_block = identity.inside.is_some();
                    let named = identity.binding.is_some() || identity.what.is_empty();
                    if !named && is_block == blocks && (!is_block || inhabited.contains(id)) {
                        let name = level.numbered(&identity.what);
                        paths.identities.insert(*id, full(name));
                    }
                }
            }
            for id in own {
                let inside = self.instances.identity(id).and_then(|i| i.inside);
                if let (Some(inside), Some(path)) = (inside, paths.identities.get(&id)) {
                    next.push((inside, path.clone()));
                }
            }
            paths.instances.insert(instance, path);
        }
        paths
    }

    /// The blocks that have a layer or parameter somewhere inside.
    fn inhabited(&self) -> BTreeSet<IdentityId> {
        let mut inhabited = BTreeSet::new();
        let layers = self.namings.layers.iter().filter_map(|name| match name {
            LayerName::Applied { identity, .. } => self.instances.identity(*identity),
            LayerName::Parameter(_) => None,
        });
        let layers = layers.map(|identity| identity.owner);
        let declared = self
            .namings
            .parameters
            .iter()
            .filter_map(|name| match name {
                KeptName::Declared { owner, .. } => Some(*owner),
                KeptName::Layer { .. } => None,
            });
        for owner in layers.chain(declared) {
            let mut at = owner;
            while let Some(identity) = self.instances.all.get(at.0).and_then(|i| i.identity) {
                if !inhabited.insert(identity) {
                    break;
                }
                match self.instances.identity(identity) {
                    Some(identity) => at = identity.owner,
                    None => break,
                }
            }
        }
        inhabited
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

    /// A tensor has the name of its `input` or `let`, else that of its layer; where
    /// that is taken, with a number.
    fn name_tensors(&mut self, hypers: &[&str], paths: &Paths) {
        let mut names = Names::default();
        names.taken.extend(paths.declared.values().cloned());
        // Names of layers that are printed with a `let`.
        let printed: Vec<bool> = (0..self.layers.len())
            .map(|index| self.is_in_let(index))
            .collect();
        for (layer, printed) in self.layers.iter().zip(&printed) {
            if *printed {
                names.taken.insert(layer.name.clone());
                names.taken.insert(layer.base.clone());
            }
        }
        for (tensor, named) in self.tensors.iter_mut().zip(&self.namings.tensors) {
            if let Some(name) = named {
                tensor.name = names.named(name);
            }
        }
        names.taken.extend(hypers.iter().map(ToString::to_string));
        // Those of other layers first, so that they have the very name of the layer.
        let is_spread = |index: usize| {
            let naming = self.namings.layers.get(index);
            matches!(naming, Some(LayerName::Parameter(_)))
        };
        let mut order: Vec<usize> = (0..self.layers.len()).collect();
        order.sort_by_key(|index| (is_spread(*index), printed.get(*index).copied()));
        let mut unprinted = Names::default();
        for index in order {
            let Some(layer) = self.layers.get(index) else {
                continue;
            };
            unprinted.taken.insert(layer.name.clone());
            let spread = is_spread(index);
            let Some(tensor) = self.tensors.get_mut(layer.output.0) else {
                continue;
            };
            if spread {
                // Never printed, so that other names of the net make no difference.
                tensor.name = unprinted.beside(&layer.name);
                continue;
            }
            if tensor.name.is_empty() {
                tensor.name = names.named(&layer.name);
            }
            unprinted.taken.insert(tensor.name.clone());
        }
    }

    /// Whether a layer needs a `let` of its own where the net is printed: its name
    /// is one, or its parameters are shared.
    fn is_in_let(&self, index: usize) -> bool {
        let Some(LayerName::Applied { identity, .. }) = self.namings.layers.get(index) else {
            return false;
        };
        let (Some(identity), Some(layer)) =
            (self.instances.identity(*identity), self.layers.get(index))
        else {
            return false;
        };
        let keeps = !layer.parameters.is_empty() || !layer.buffers.is_empty();
        let binding = identity.binding.as_ref();
        let named = binding.is_some_and(|binding| !binding.of_tensor);
        (named && identity.owner == NET) || (keeps && identity.applications > 1)
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
