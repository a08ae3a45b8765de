//! What a user may choose of the tuning.
//! Test binaries share it; each uses a part.
#![allow(dead_code)]

use cnnc::iree::Target;
use cnnc::stablehlo::Module;
use cnnc::tune::{self, OPTIONAL, Options, Parts};

/// Every pass that may be left out alone, none of them, that with batches in parts, and all of them. `--no-winograd`
/// is one of the first.
pub fn all() -> Vec<Options> {
    let without = |names: &[&str]| Options {
        without: names.iter().map(|&name| name.to_owned()).collect(),
        ..Options::default()
    };
    let in_parts = Options {
        parts: Parts::Always,
        ..Options::default()
    };
    let mut all = vec![without(&[]), in_parts];
    all.extend(OPTIONAL.iter().map(|&name| without(&[name])));
    all.push(without(OPTIONAL));
    assert!(all.contains(&Options::default().directly()));
    all
}

/// How messages call it.
pub fn name(options: &Options) -> String {
    match options.without.len() {
        0 if options.parts == Parts::Always => "batches in parts".to_owned(),
        0 => "every pass".to_owned(),
        _ => format!("without {}", options.without.join(", ")),
    }
}

/// None and all of them.
pub fn extremes() -> Vec<Options> {
    let mut all = all();
    all.drain(1..all.len() - 1);
    all
}

/// The modules that choices make of one, each once: equal ones are equal programs.
pub fn distinct(module: &Module, target: Target, choices: &[Options]) -> Vec<(String, Module)> {
    let mut distinct: Vec<(String, Module)> = Vec::new();
    for options in choices {
        let name = name(options);
        let tuned = tune::tune_with(module, target, options);
        let tuned = tuned.unwrap_or_else(|error| panic!("{name}: {error}"));
        if distinct.iter().all(|(_, known)| *known != tuned) {
            distinct.push((name, tuned));
        }
    }
    distinct
}
