//! The functions of a module by name, and who is called.

use std::collections::{BTreeMap, HashMap, HashSet};

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, RegionLike};

use super::{location, string, text_of};
use crate::stablehlo::Result;
use crate::stablehlo::error::Error;

/// The most instructions of a module with all calls replaced: functions that
/// call each other twice double at every step.
const MOST_INSTRUCTIONS: usize = 1 << 20;
/// How deep calls may lie in each other.
pub(super) const MOST_CALLS: usize = 256;

/// What a call can name.
pub(super) struct Library<'c, 'a> {
    functions: BTreeMap<String, Entry<'c, 'a>>,
    called: HashSet<String>,
}

struct Entry<'c, 'a> {
    operation: OperationRef<'c, 'a>,
    /// Operations in it, without calls.
    size: usize,
    /// Whom it calls, as often as it does.
    calls: Vec<String>,
}

impl<'c, 'a> Library<'c, 'a> {
    /// The functions from `first` on.
    pub fn new(first: Option<OperationRef<'c, 'a>>) -> Self {
        let mut library = Library {
            functions: BTreeMap::new(),
            called: HashSet::new(),
        };
        let mut next = first;
        while let Some(operation) = next {
            next = operation.next_in_block();
            let entry = Entry::new(operation);
            library.called.extend(entry.calls.iter().cloned());
            if let Some(name) = symbol(operation) {
                library.functions.insert(name, entry);
            }
        }
        library
    }

    /// Refuses a module whose functions have too many instructions with all
    /// calls replaced.
    pub fn check_sizes(&self) -> Result<()> {
        let mut sizes = HashMap::new();
        let mut total = 0usize;
        for (name, entry) in &self.functions {
            if !self.is_inlined(entry.operation) {
                total = total.saturating_add(self.size(name, 0, &mut sizes));
            }
            if total > MOST_INSTRUCTIONS {
                return Err(Error::Syntax {
                    message: format!("calls make more than {MOST_INSTRUCTIONS} instructions"),
                    location: location(entry.operation.location()),
                });
            }
        }
        Ok(())
    }

    /// Instructions of a function with all calls replaced; those of calls that
    /// lie too deep, which are refused where they are read, are left out.
    fn size<'l>(
        &'l self,
        name: &'l str,
        depth: usize,
        sizes: &mut HashMap<&'l str, usize>,
    ) -> usize {
        if let Some(&size) = sizes.get(name) {
            return size;
        }
        let Some(entry) = self.functions.get(name).filter(|_| depth < MOST_CALLS) else {
            return 0;
        };
        let calls = entry.calls.iter();
        let size = calls.fold(entry.size, |size, callee| {
            size.saturating_add(self.size(callee, depth + 1, sizes))
        });
        sizes.insert(name, size);
        size
    }

    /// The function called `name`.
    pub fn get(&self, name: &str) -> Option<OperationRef<'c, 'a>> {
        self.functions.get(name).map(|entry| entry.operation)
    }

    /// Whether calls have taken in all that a function is for: it is private,
    /// and called.
    pub fn is_inlined(&self, operation: OperationRef<'c, 'a>) -> bool {
        let visibility = operation.attribute("sym_visibility").ok().and_then(string);
        visibility.as_deref() == Some("private")
            && symbol(operation).is_some_and(|name| self.called.contains(&name))
    }
}

impl<'c, 'a> Entry<'c, 'a> {
    fn new(operation: OperationRef<'c, 'a>) -> Self {
        let mut entry = Entry {
            operation,
            size: 0,
            calls: Vec::new(),
        };
        let below = |operation: OperationRef<'c, 'a>| -> Vec<OperationRef<'c, 'a>> {
            let blocks = operation
                .regions()
                .filter_map(|region| region.first_block());
            blocks.filter_map(|block| block.first_operation()).collect()
        };
        // Every operation inside, with its neighbours after it.
        let mut pending: Vec<OperationRef<'c, 'a>> = below(operation);
        while let Some(operation) = pending.pop() {
            pending.extend(operation.next_in_block());
            pending.extend(below(operation));
            match text_of(operation.name()).as_str() {
                "func.call" | "stablehlo.composite" => entry.calls.extend(callee(operation)),
                _ => entry.size += 1,
            }
        }
        entry
    }
}

fn symbol(operation: OperationRef<'_, '_>) -> Option<String> {
    operation.attribute("sym_name").ok().and_then(string)
}

/// The name that a call names. A composite operation is a call, too, of the
/// function that says what it computes.
pub(super) fn callee(operation: OperationRef<'_, '_>) -> Option<String> {
    let attribute = |name| {
        let attribute = operation.attribute(name);
        attribute.or_else(|_| operation.inherent_attribute(name))
    };
    let attribute = attribute("callee").or_else(|_| attribute("decomposition"));
    let text = attribute.ok()?.to_string();
    let name = text.strip_prefix('@')?;
    let unquoted = name
        .strip_prefix('"')
        .and_then(|name| name.strip_suffix('"'));
    Some(unquoted.unwrap_or(name).to_owned())
}
