//! What can be asked for with `--emit`.

/// A stage of the pipeline that can be written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The syntax tree.
    Ast,
    /// The network with every name resolved, as a `.net` text.
    Network,
    /// Portable StableHLO of some functions, one of
    /// [`FUNCTIONS`](crate::program::FUNCTIONS).
    Function(&'static str),
    /// Portable StableHLO of all functions.
    Module,
    /// StableHLO of all functions, tuned for the target.
    Tuned,
    /// The compiled program.
    Vmfb,
}

/// Names on the command line, in the order of the pipeline.
const NAMES: [(&str, Kind); 12] = [
    ("ast", Kind::Ast),
    ("network", Kind::Network),
    ("init", Kind::Function("init")),
    ("forward", Kind::Function("forward")),
    ("loss", Kind::Function("loss")),
    ("gradients", Kind::Function("gradients")),
    ("pullback", Kind::Function("pullback")),
    ("step", Kind::Function("train_step")),
    ("evaluate", Kind::Function("evaluate")),
    ("module", Kind::Module),
    ("tuned", Kind::Tuned),
    ("vmfb", Kind::Vmfb),
];

impl Kind {
    /// Every name, in the order of the pipeline.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, _)| *name)
    }

    /// The kind called `name`.
    pub fn parse(name: &str) -> Option<Self> {
        NAMES
            .iter()
            .find(|(n, _)| *n == name)
            .map(|(_, kind)| *kind)
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        NAMES
            .iter()
            .find(|(_, kind)| *kind == self)
            .map_or("", |(name, _)| name)
    }

    /// What a file of this extension holds.
    pub fn of_extension(extension: &str, tuned: bool) -> Option<Self> {
        match (extension, tuned) {
            ("mlir", false) => Some(Kind::Module),
            ("mlir", true) => Some(Kind::Tuned),
            ("vmfb", _) => Some(Kind::Vmfb),
            _ => None,
        }
    }

    /// Whether it is bytes that no terminal should get.
    pub fn is_binary(self) -> bool {
        self == Kind::Vmfb
    }

    /// Whether it is an MLIR module, so that several of its kind can share one.
    pub fn function(self) -> Option<&'static str> {
        match self {
            Kind::Function(name) => Some(name),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::FUNCTIONS;

    #[test]
    fn every_function_of_the_abi_has_a_name() {
        let kinds: Vec<&str> = NAMES
            .iter()
            .filter_map(|(_, kind)| kind.function())
            .collect();
        assert_eq!(kinds, FUNCTIONS);
    }

    #[test]
    fn names_are_read_back() {
        for name in Kind::names() {
            assert_eq!(Kind::parse(name).map(Kind::name), Some(name));
        }
        assert_eq!(Kind::parse("train_step"), None);
    }
}
