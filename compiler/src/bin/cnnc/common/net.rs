//! The network file of a verb.

use std::path::PathBuf;

use clap::Args;
use cnnc::driver::{self, Unit};
use cnnc::network::Options;
use cnnc_grammar::Sources;

use super::console::Console;
use super::failure::Failure;
use super::input::{self, Input};

/// Options that say which network.
#[derive(Debug, Clone, Args)]
pub struct NetArgs {
    /// The network file, or - for stdin
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub choice: ChoiceArgs,
}

/// Options that change what a file says.
#[derive(Debug, Clone, Args)]
pub struct ChoiceArgs {
    /// The net of the file, as NAME or 'NAME(KEY=VALUE)'; the last one by default
    #[arg(long, value_name = "NAME")]
    pub net: Option<String>,
    /// Override a setting, such as train.optimizer.lr=0.01, or a hyper-parameter of the net
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
    pub set: Vec<(String, String)>,
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            Ok((key.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("expected KEY=VALUE".to_owned()),
    }
}

impl NetArgs {
    /// Reads the file and builds the network.
    pub fn load(&self, console: &Console) -> Result<Unit, Failure> {
        let input = input::read(&self.file)?;
        self.choice.build(&input, console)
    }
}

impl ChoiceArgs {
    /// Builds the network of a text.
    pub fn build(&self, input: &Input, console: &Console) -> Result<Unit, Failure> {
        let options = Options {
            net: self.net.clone(),
            overrides: self.set.clone(),
        };
        driver::read_with(&input.name, &input.text, &options, &input::imported).map_err(|error| {
            let sources = Sources::new(&input.name, &input.text);
            failure(&error, &sources, console)
        })
    }
}

/// An error of the pipeline, shown in the texts where it has a place there.
pub fn failure(error: &driver::Error, sources: &Sources, console: &Console) -> Failure {
    match error.rendered(sources, console.color()) {
        Some(text) => Failure::rendered(text),
        None => Failure::new(error),
    }
}
