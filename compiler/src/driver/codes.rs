//! The errors behind the front end: `E06xx` (derivatives) and `E09xx` (faults
//! of this compiler).

use cnnc_grammar::diagnostics::{self, Code};

use crate::network;

const NO_EXAMPLE: &str = "# No file is known that has this error.";

/// An operation without a derivative.
pub const NO_RULE: Code = Code {
    name: "E0601",
    title: "no derivative",
    meaning: "A layer on the way from a parameter to the loss uses an operation for which the \
              compiler has no derivative rule, or the loss is no scalar.",
    why: "A gradient that leaves the layer out would train another network than the one written.",
    example: NO_EXAMPLE,
    instead: "# Train without the layer, or ask for `--emit=forward`, which needs no derivative.",
};

/// This compiler built something that breaks its own rules.
pub const FAULT: Code = Code {
    name: "E0901",
    title: "a fault of cnnc",
    meaning: "The network is right as far as cnnc can tell, yet a pass of the compiler refused \
              what an earlier one built from the marked layer.",
    why: "Going on would compile something else than the network. Please report the file.",
    example: NO_EXAMPLE,
    instead: "# Until it is mended: write the marked layer in another way.",
};

/// IREE does not take what this compiler built.
pub const REFUSED: Code = Code {
    name: "E0902",
    title: "IREE refuses the module",
    meaning: "IREE's compiler does not accept what cnnc built from the marked layer, or cannot \
              compile it for the chosen target. `cnnc-opt` can show the module at every stage.",
    why: "Without IREE there is no program to run. Please report the file.",
    example: NO_EXAMPLE,
    instead: "# Until it is mended: write the marked layer in another way.",
};

/// All codes of this file.
pub const ALL: &[Code] = &[NO_RULE, FAULT, REFUSED];

/// Every code of the compiler, in order.
pub fn every_code() -> impl Iterator<Item = &'static Code> {
    network::codes::all().chain(ALL)
}

/// The text of `cnnc explain CODE` in Markdown, whatever the case of the
/// letter; `None` for an unknown code.
pub fn explain(code: &str) -> Option<String> {
    network::codes::explain(code).or_else(|| diagnostics::find(code, ALL).map(Code::explanation))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_explained() {
        let names: Vec<&str> = every_code().map(|code| code.name).collect();
        let mut unique = names.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), names.len());
        for name in names {
            let text = explain(&name.to_lowercase()).unwrap();
            assert!(text.starts_with(&format!("# {name}: ")), "{text}");
        }
        assert_eq!(explain("E0000"), None);
    }
}
