//! State of a module, as its manifest lists it.

use super::layout::Stored;
use super::subject::{ints, stored};
use crate::stablehlo::mlir::attribute::Attribute;

/// A piece of state.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// Its name.
    pub name: String,
    /// What it is to its owner: `momentum`, `average`, ...
    pub role: String,
    /// Whether every function takes it, and not `@train_step` alone.
    pub of_model: bool,
    /// What it belongs to.
    pub of: Option<String>,
    /// How it is stored, unless canonically.
    pub stored: Option<Stored>,
}

impl Piece {
    /// From an entry of the manifest.
    pub(super) fn of(entry: &Attribute) -> Option<Self> {
        let text = |key: &str| entry.get(key).and_then(Attribute::as_str);
        Some(Piece {
            name: text("name")?.to_owned(),
            role: text("role")?.to_owned(),
            of_model: text("scope")? == "model",
            of: text("of").map(str::to_owned),
            stored: stored(entry, &ints(entry.get("shape")?)?)?,
        })
    }

    /// Whether its numbers are means of squares, and so never below 0.
    pub fn is_of_squares(&self) -> bool {
        let base = match self.role.as_str() {
            "average" => self.of.as_deref().unwrap_or_default(),
            role => role,
        };
        matches!(base, "v" | "square") || base.ends_with("running_var")
    }
}
