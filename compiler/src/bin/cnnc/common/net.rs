//! The network file of a verb.

use std::path::PathBuf;

use clap::Args;
use cnnc::driver::{self, Text, Unit};
use cnnc::network::Options;
use cnnc_grammar::diagnostics::render;

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
    /// The net of the file; the last one by default
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
        driver::read(&input.name, &input.text, &options)
            .map_err(|error| failure(&error, Text::new(&input.name, &input.text), console))
    }
}

/// An error of the pipeline, shown in the text where it has a place there.
pub fn failure(error: &driver::Error, text: Text<'_>, console: &Console) -> Failure {
    match error.diagnostics(&text) {
        Some(list) => Failure::rendered(render(&list, text.file, text.text, console.color())),
        None => Failure::new(error),
    }
}
