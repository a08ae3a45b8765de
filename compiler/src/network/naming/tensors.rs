//! Names of tensors.

use super::LayerName;
use super::names::Names;
use super::paths::Paths;
use crate::network::expander::Expander;
use crate::network::instance::NET;

impl Expander<'_> {
    /// A tensor has the name of its `input` or `let`, else that of its layer; where
    /// that is taken, with a number.
    pub(super) fn name_tensors(&mut self, hypers: &[&str], paths: &Paths) {
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
}
