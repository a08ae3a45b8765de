//! Which layer is which: uses of blocks, and the places in them that make layers.
//!
//! A shared block is expanded again at each use. What its text makes then is
//! what it made before: a site, which is a place in the text and the rounds of
//! the `repeat`s around it, has one identity in one instance.

use super::apply::Shared;
use super::graph::ParameterId;
use cnnc_grammar::Span;
use std::collections::BTreeMap;

/// Index of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct InstanceId(pub usize);

/// Index of an identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct IdentityId(pub usize);

/// The net, or a block that is used: one level of names.
#[derive(Default)]
pub(super) struct Instance {
    /// Who it is to the instance around it; None for the net.
    pub identity: Option<IdentityId>,
    layers: BTreeMap<Site, IdentityId>,
    parameters: BTreeMap<Site, ParameterId>,
}

/// A place in the text, and in which rounds of the `repeat`s around it.
pub(super) type Site = (Span, Vec<u32>);

/// A layer or used block, however often it is applied.
pub(super) struct Identity {
    /// Where its name is made.
    pub owner: InstanceId,
    /// The op or block, which names it where no `let` does.
    pub what: String,
    /// Its `let`.
    pub binding: Option<Binding>,
    /// When it was applied first, among all.
    pub first: Option<usize>,
    /// How often it has been applied.
    pub applications: usize,
    /// The level of names inside it, for blocks and named chains.
    pub inside: Option<InstanceId>,
    /// What a layer keeps for its next application.
    pub shared: Option<Shared>,
}

/// The name of a `let` or `param`.
#[derive(Clone, Debug)]
pub(super) struct Binding {
    pub name: String,
    /// Whether it is made in a `repeat`, so that a number goes with it.
    pub numbered: bool,
    /// Whether it is that of the tensor, too: a name with points.
    pub of_tensor: bool,
}

/// All instances and identities.
pub(super) struct Instances {
    pub all: Vec<Instance>,
    pub identities: Vec<Identity>,
    applications: usize,
}

/// The instance of the net.
pub(super) const NET: InstanceId = InstanceId(0);

impl Instances {
    pub fn new() -> Self {
        Self {
            all: vec![Instance::default()],
            identities: Vec::new(),
            applications: 0,
        }
    }

    pub fn identity(&self, id: IdentityId) -> Option<&Identity> {
        self.identities.get(id.0)
    }

    pub fn identity_mut(&mut self, id: IdentityId) -> Option<&mut Identity> {
        self.identities.get_mut(id.0)
    }

    /// The identity at a site of `owner`, which is new where there is none.
    pub fn at(&mut self, owner: InstanceId, site: Site, what: &str) -> IdentityId {
        let new = IdentityId(self.identities.len());
        if let Some(instance) = self.all.get_mut(owner.0) {
            let known = *instance.layers.entry(site).or_insert(new);
            if known != new {
                return known;
            }
        }
        self.identities.push(Identity {
            owner,
            what: what.to_string(),
            binding: None,
            first: None,
            applications: 0,
            inside: None,
            shared: None,
        });
        new
    }

    /// The level of names inside `id`, which is new where there is none.
    pub fn inside(&mut self, id: IdentityId) -> InstanceId {
        let new = InstanceId(self.all.len());
        let Some(identity) = self.identities.get_mut(id.0) else {
            return NET;
        };
        let inside = *identity.inside.get_or_insert(new);
        if inside == new {
            self.all.push(Instance {
                identity: Some(id),
                ..Instance::default()
            });
        }
        inside
    }

    /// Notes an application of `id`, and gives the number of those before it.
    pub fn apply(&mut self, id: IdentityId) -> usize {
        let now = self.applications;
        self.applications += 1;
        match self.identities.get_mut(id.0) {
            Some(identity) => {
                identity.first.get_or_insert(now);
                identity.applications += 1;
                identity.applications - 1
            }
            None => 0,
        }
    }

    /// The parameter that a site of `owner` has made.
    pub fn parameter(&self, owner: InstanceId, site: &Site) -> Option<ParameterId> {
        self.all.get(owner.0)?.parameters.get(site).copied()
    }

    /// Notes the parameter that a site of `owner` makes.
    pub fn add_parameter(&mut self, owner: InstanceId, site: Site, id: ParameterId) {
        if let Some(instance) = self.all.get_mut(owner.0) {
            instance.parameters.insert(site, id);
        }
    }
}
