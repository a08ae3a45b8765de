//! Paths of layers, blocks and declared parameters.

use super::names::Names;
use super::{KeptName, LayerName};
use crate::network::expander::Expander;
use crate::network::instance::{Binding, IdentityId, InstanceId, NET};
use std::collections::{BTreeMap, BTreeSet};

/// Full names of everything that has one.
#[derive(Default)]
pub(super) struct Paths {
    pub instances: BTreeMap<InstanceId, String>,
    pub identities: BTreeMap<IdentityId, String>,
    /// By parameter, for the declared ones.
    pub declared: BTreeMap<usize, String>,
}

impl Expander<'_> {
    /// The paths of everything that is applied, level by level.
    pub(super) fn paths(&self, levels: &mut BTreeMap<InstanceId, Names>) -> Paths {
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
}
