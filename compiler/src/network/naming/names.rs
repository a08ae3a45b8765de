//! Free names.

use crate::network::instance::Binding;
use crate::network::ops;
use std::collections::{BTreeMap, BTreeSet};

/// Names that are there, and the next number for each that is taken.
#[derive(Default)]
pub(super) struct Names {
    pub taken: BTreeSet<String>,
    counts: BTreeMap<String, usize>,
}

impl Names {
    /// `name`, or `name_1`, `name_2`, ...
    pub fn named(&mut self, name: &str) -> String {
        match self.taken.insert(name.to_string()) {
            true => name.to_string(),
            false => self.beside(name),
        }
    }

    /// `name_1`, `name_2`, ...
    pub fn beside(&mut self, name: &str) -> String {
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
    pub fn numbered(&mut self, name: &str) -> String {
        let count = self.counts.entry(name.to_string()).or_default();
        loop {
            *count += 1;
            let free = format!("{name}{count}");
            if ops::find(&free).is_none() && self.taken.insert(free.clone()) {
                return free;
            }
        }
    }

    pub fn bound(&mut self, binding: &Binding) -> String {
        match binding.numbered {
            true => self.numbered(&binding.name),
            false => self.named(&binding.name),
        }
    }

    /// A name with points stands below others, which it takes.
    pub fn take_heads(&mut self, name: &str) {
        for (place, _) in name.match_indices('.') {
            self.taken.extend(name.get(..place).map(str::to_string));
        }
    }
}
