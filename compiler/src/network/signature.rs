//! What an op, loss, optimizer or initialiser can be told.

use super::graph::Initializer;
use cnnc_grammar::Span;

/// A name with its options.
pub(super) struct Signature {
    pub name: &'static str,
    /// Positional ones first.
    pub options: &'static [OptionSpec],
}

/// One option.
pub(super) struct OptionSpec {
    pub name: &'static str,
    pub kind: Kind,
    /// None where it must be given.
    pub default: Option<Default>,
    /// Whether it may be given without its name.
    pub positional: bool,
}

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Integer {
        least: i64,
    },
    /// One integer for both axes, or `(height, width)`.
    Pair {
        least: i64,
    },
    /// One to [`Extents::MOST`] integers; without a name, all that stand there.
    Extents,
    Padding,
    Float(Range),
    Bool,
    Initializer,
    /// One of these words.
    Word(&'static [&'static str]),
    /// Two numbers of at least 0 and below 1.
    Betas,
}

/// Which floats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Range {
    Any,
    Positive,
    NotNegative,
    /// From 0 to 1.
    Probability,
    /// At least 0 and below 1.
    Fraction,
}

/// What an option is where it is not given.
#[derive(Clone, Copy, Debug)]
pub(super) enum Default {
    Value(Setting),
    /// What another, earlier option is.
    As(&'static str),
}

/// The value of an option.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Setting {
    Integer(i64),
    Pair([i64; 2]),
    Extents(Extents),
    Padding(Padding),
    Float(f64),
    Bool(bool),
    Initializer(Initializer),
    Word(&'static str),
    Betas([f64; 2]),
}

/// A shape without the batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extents {
    extents: [i64; Extents::MOST],
    count: usize,
}

impl Extents {
    /// No tensor has more, the batch apart.
    pub const MOST: usize = 3;

    /// None for no extents, or too many.
    pub fn new(extents: &[i64]) -> Option<Self> {
        let mut all = [1; Self::MOST];
        if extents.is_empty() {
            return None;
        }
        all.get_mut(..extents.len())?.copy_from_slice(extents);
        Some(Self {
            extents: all,
            count: extents.len(),
        })
    }

    pub fn as_slice(&self) -> &[i64] {
        self.extents.get(..self.count).unwrap_or(&[])
    }
}

/// Padding as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Padding {
    Same,
    Valid,
    /// `[[top, bottom], [left, right]]`
    Explicit([[i64; 2]; 2]),
}

/// Words that stand for themselves.
pub(super) const PADDING_WORDS: &[&str] = &["same", "valid"];

impl Signature {
    pub fn option(&self, name: &str) -> Option<&'static OptionSpec> {
        self.options.iter().find(|option| option.name == name)
    }
}

impl OptionSpec {
    pub const fn required(name: &'static str, kind: Kind) -> Self {
        Self {
            name,
            kind,
            default: None,
            positional: false,
        }
    }

    pub const fn with_default(name: &'static str, kind: Kind, default: Setting) -> Self {
        Self {
            default: Some(Default::Value(default)),
            ..Self::required(name, kind)
        }
    }

    pub const fn like(name: &'static str, kind: Kind, other: &'static str) -> Self {
        Self {
            default: Some(Default::As(other)),
            ..Self::required(name, kind)
        }
    }

    pub const fn positional(self) -> Self {
        Self {
            positional: true,
            ..self
        }
    }
}

/// The values of all options of one call, by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Bound {
    pub entries: Vec<Entry>,
}

/// The value of one option.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub name: &'static str,
    pub setting: Setting,
    /// Where it is given; None where it has its default.
    pub span: Option<Span>,
}

// A rule asks only for options of its own signature, in their own kind; the
// fallbacks are never seen.
impl Bound {
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// The first option that `other` has another value of.
    pub fn differing(&self, other: &Self) -> Option<&'static str> {
        self.entries
            .iter()
            .find(|entry| other.entry(entry.name).map(|e| e.setting) != Some(entry.setting))
            .map(|entry| entry.name)
    }

    fn setting(&self, name: &str) -> Option<Setting> {
        let setting = self.entry(name).map(|entry| entry.setting);
        debug_assert!(setting.is_some(), "no option `{name}`");
        setting
    }

    pub fn span(&self, name: &str) -> Option<Span> {
        self.entry(name).and_then(|entry| entry.span)
    }

    pub fn integer(&self, name: &str) -> i64 {
        match self.setting(name) {
            Some(Setting::Integer(value)) => value,
            _ => 1,
        }
    }

    pub fn pair(&self, name: &str) -> [i64; 2] {
        match self.setting(name) {
            Some(Setting::Pair(pair)) => pair,
            _ => [1, 1],
        }
    }

    pub fn extents(&self, name: &str) -> Vec<i64> {
        match self.setting(name) {
            Some(Setting::Extents(extents)) => extents.as_slice().to_vec(),
            _ => vec![1],
        }
    }

    pub fn padding(&self, name: &str) -> Padding {
        match self.setting(name) {
            Some(Setting::Padding(padding)) => padding,
            _ => Padding::Valid,
        }
    }

    pub fn float(&self, name: &str) -> f64 {
        match self.setting(name) {
            Some(Setting::Float(value)) => value,
            _ => 0.0,
        }
    }

    pub fn betas(&self, name: &str) -> [f64; 2] {
        match self.setting(name) {
            Some(Setting::Betas(betas)) => betas,
            _ => [0.0; 2],
        }
    }

    pub fn bool(&self, name: &str) -> bool {
        matches!(self.setting(name), Some(Setting::Bool(true)))
    }

    pub fn word(&self, name: &str) -> &'static str {
        match self.setting(name) {
            Some(Setting::Word(word)) => word,
            _ => "",
        }
    }

    pub fn initializer(&self, name: &str) -> Initializer {
        match self.setting(name) {
            Some(Setting::Initializer(initializer)) => initializer,
            _ => Initializer::Zeros,
        }
    }
}
