//! The command line.

use std::ffi::OsString;
use std::path::Path;

use clap::{CommandFactory, Parser, Subcommand};
use cnnc_grammar::diagnostics::nearest;

use super::common::Failure;
use super::common::console::ConsoleArgs;
use super::{
    bench, certify, compile, doctor, eval, explain, fmt, predict, probe, summary, train, tune,
};

/// The verb that is meant where none is named.
const DEFAULT_VERB: &str = "compile";

/// Compiles convolutional networks to tuned training steps, and trains them.
///
/// Without a verb, `cnnc FILE` compiles FILE.
#[derive(Debug, Parser)]
#[command(
    version,
    before_help = "Examples:\n  cnnc model.net -o step.mlir\n  cnnc train model.net --data mnist",
    override_usage = "cnnc FILE [-o OUT] [OPTIONS]\n       cnnc VERB [OPTIONS]",
    subcommand_value_name = "VERB",
    subcommand_help_heading = "Verbs",
    disable_help_subcommand = true
)]
pub struct Cli {
    #[command(subcommand)]
    pub verb: Verb,
    #[command(flatten)]
    pub console: ConsoleArgs,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Verb {
    Compile(compile::Args),
    Certify(certify::Args),
    Train(train::Args),
    Eval(eval::Args),
    Predict(predict::Args),
    Probe(probe::Args),
    Bench(bench::Args),
    Tune(tune::Args),
    Summary(summary::Args),
    Fmt(fmt::Args),
    Doctor(doctor::Args),
    Explain(explain::Args),
}

/// The command line with the default verb put in where none is named.
pub fn arguments(given: impl IntoIterator<Item = OsString>) -> Result<Vec<OsString>, Failure> {
    let mut arguments: Vec<OsString> = given.into_iter().collect();
    let Some(place) = first_word(&arguments) else {
        return Ok(arguments);
    };
    let word = arguments
        .get(place)
        .map(|word| word.to_string_lossy().into_owned());
    let word = word.unwrap_or_default();
    let command = Cli::command();
    let verbs: Vec<&str> = command
        .get_subcommands()
        .map(clap::Command::get_name)
        .collect();
    if verbs.contains(&word.as_str()) {
        return Ok(arguments);
    }
    if looks_like_a_verb(&word) && !Path::new(&word).exists() {
        let failure = Failure::usage(format!("`{word}` is neither a verb nor a file"));
        return Err(match nearest(&word, verbs) {
            Some(near) => failure.hint(format!("did you mean `cnnc {near}`?")),
            None => failure.hint("`cnnc --help` lists the verbs; `cnnc FILE` compiles a file"),
        });
    }
    arguments.insert(place, DEFAULT_VERB.into());
    Ok(arguments)
}

/// The first argument that is no option of the console; `None` where there is
/// none, or where help or the version is asked for.
fn first_word(arguments: &[OsString]) -> Option<usize> {
    let mut value_follows = false;
    for (place, argument) in arguments.iter().enumerate().skip(1) {
        let text = argument.to_string_lossy();
        if value_follows {
            value_follows = false;
            continue;
        }
        match text.as_ref() {
            "-h" | "--help" | "-V" | "--version" => return None,
            "--color" => value_follows = true,
            "-q" | "--quiet" | "--verbose" => {}
            text if text.starts_with("--color=") => {}
            text if text.starts_with("-v") && text.bytes().skip(1).all(|b| b == b'v') => {}
            _ => return Some(place),
        }
    }
    None
}

fn looks_like_a_verb(word: &str) -> bool {
    !word.is_empty()
        && word.chars().all(|c| c.is_ascii_lowercase() || c == '-')
        && word.starts_with(|c: char| c != '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let given = text.split(' ').map(OsString::from);
        let words = arguments(given).expect("a verb or a file");
        words
            .into_iter()
            .map(|word| word.into_string().expect("UTF-8"))
            .collect()
    }

    #[test]
    fn the_command_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_file_is_compiled() {
        assert_eq!(
            words("cnnc a.net -o b"),
            ["cnnc", "compile", "a.net", "-o", "b"]
        );
        assert_eq!(words("cnnc -q a.net"), ["cnnc", "-q", "compile", "a.net"]);
        assert_eq!(
            words("cnnc --color never -vv - -o b"),
            ["cnnc", "--color", "never", "-vv", "compile", "-", "-o", "b"]
        );
        assert_eq!(
            words("cnnc -o b a.net"),
            ["cnnc", "compile", "-o", "b", "a.net"]
        );
    }

    #[test]
    fn verbs_and_help_stay() {
        for text in [
            "cnnc",
            "cnnc --help",
            "cnnc -V",
            "cnnc train a.net",
            "cnnc -q fmt a.net",
        ] {
            assert_eq!(words(text).join(" "), text);
        }
    }

    #[test]
    fn a_misspelt_verb_is_no_file() {
        assert!(arguments(["cnnc", "trian", "a.net"].map(OsString::from)).is_err());
        assert_eq!(words("cnnc ./trian"), ["cnnc", "compile", "./trian"]);
    }
}
