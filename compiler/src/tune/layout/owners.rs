//! Which parameter an argument or result is stored as.

use std::collections::BTreeMap;

use crate::autodiff::GRADIENT_SUFFIX;

/// Parameters by the names of what is stored as they are: they themselves, and
/// what an optimizer remembers of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Owners(BTreeMap<String, String>);

impl Owners {
    /// The parameter that an argument or result of this name is stored as; a
    /// gradient is stored as what it is the gradient of.
    pub fn of(&self, name: Option<&str>) -> Option<&str> {
        let name = name?;
        let base = name.strip_suffix(GRADIENT_SUFFIX).unwrap_or(name);
        self.0.get(base).map(String::as_str)
    }
}

/// From names to their parameters.
impl FromIterator<(String, String)> for Owners {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(pairs: I) -> Self {
        Owners(pairs.into_iter().collect())
    }
}

/// From parameters alone.
impl FromIterator<String> for Owners {
    fn from_iter<I: IntoIterator<Item = String>>(names: I) -> Self {
        names.into_iter().map(|name| (name.clone(), name)).collect()
    }
}
