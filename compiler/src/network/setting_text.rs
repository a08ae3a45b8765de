//! An op with its options as it would be written.

use super::graph::Initializer;
use super::signature::{Bound, Default, OptionSpec, Padding, Setting, Signature};

/// The op with the options that are not the defaults: `conv(32, kernel=3)`.
pub(super) fn call_text(signature: &Signature, bound: &Bound) -> String {
    let mut options: Vec<String> = Vec::new();
    let mut skipped = false;
    for option in signature.options {
        let Some(entry) = bound.entry(option.name) else {
            continue;
        };
        if is_default(option, entry.setting, bound) {
            skipped = true;
            continue;
        }
        let text = setting_text(entry.setting);
        options.push(if option.positional && !skipped {
            text
        } else {
            format!("{}={text}", option.name)
        });
    }
    match options.as_slice() {
        [] => signature.name.to_string(),
        options => format!("{}({})", signature.name, options.join(", ")),
    }
}

fn is_default(option: &OptionSpec, setting: Setting, bound: &Bound) -> bool {
    let default = match option.default {
        None => return false,
        Some(Default::Value(default)) => Some(default),
        Some(Default::As(other)) => bound.entry(other).map(|entry| entry.setting),
    };
    default.map(plain) == Some(plain(setting))
}

/// The setting, `valid` for a padding of zeros.
fn plain(setting: Setting) -> Setting {
    match setting {
        Setting::Padding(Padding::Explicit([[0, 0], [0, 0]])) => Setting::Padding(Padding::Valid),
        setting => setting,
    }
}

/// A setting as it would be written.
pub(super) fn setting_text(setting: Setting) -> String {
    match plain(setting) {
        Setting::Integer(value) => value.to_string(),
        Setting::Pair(pair) => pair_text(pair),
        Setting::Extents(extents) => {
            let texts: Vec<String> = extents.as_slice().iter().map(i64::to_string).collect();
            texts.join(", ")
        }
        Setting::Padding(padding) => padding_text(padding),
        Setting::Float(value) => format!("{value:?}"),
        Setting::Bool(value) => value.to_string(),
        Setting::Word(word) => word.to_string(),
        Setting::Initializer(init) => initializer_text(init),
        Setting::Betas([first, second]) => format!("({first:?}, {second:?})"),
    }
}

fn pair_text([height, width]: [i64; 2]) -> String {
    if height == width {
        height.to_string()
    } else {
        format!("({height}, {width})")
    }
}

fn padding_text(padding: Padding) -> String {
    match padding {
        Padding::Same => "same".to_string(),
        Padding::Valid => "valid".to_string(),
        Padding::Explicit([[top, bottom], [left, right]]) if top == bottom && left == right => {
            pair_text([top, left])
        }
        Padding::Explicit([[top, bottom], [left, right]]) => {
            format!("(({top}, {bottom}), ({left}, {right}))")
        }
    }
}

/// An initialiser as it would be written.
pub(super) fn initializer_text(init: Initializer) -> String {
    match init {
        Initializer::Zeros => "zeros".to_string(),
        Initializer::Ones => "ones".to_string(),
        Initializer::Constant(value) => format!("constant({value:?})"),
        Initializer::Normal { std } => format!("normal({std:?})"),
        Initializer::Uniform { bound } => format!("uniform({bound:?})"),
        Initializer::HeNormal => "he_normal".to_string(),
        Initializer::HeUniform => "he_uniform".to_string(),
        Initializer::GlorotNormal => "glorot_normal".to_string(),
        Initializer::GlorotUniform => "glorot_uniform".to_string(),
        Initializer::LecunNormal => "lecun_normal".to_string(),
    }
}
