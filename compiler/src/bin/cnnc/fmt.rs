//! `cnnc fmt`: the canonical form of network files.

use std::path::{Path, PathBuf};

use cnnc_grammar::diagnostics::render;
use cnnc_grammar::format;

use super::common::console::print;
use super::common::input::{self, is_dash};
use super::common::output::{self, Destination};
use super::common::{Console, Failure};

/// Put network files into canonical form
///
/// Files are rewritten in place; stdin is written to stdout. A file with an error is left alone.
#[derive(Debug, clap::Args)]
#[command(before_help = "Examples:\n  cnnc fmt examples/*.net\n  cnnc fmt --check model.net")]
pub struct Args {
    /// Network files, or - for stdin
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Change nothing; name the files that would change, and exit with 1 if there are any
    #[arg(long)]
    check: bool,
}

pub fn run(args: &Args, console: &Console) -> Result<(), Failure> {
    let mut failed = false;
    for path in &args.files {
        match format_one(path, args.check, console) {
            Ok(fine) => failed |= !fine,
            Err(failure) => {
                failed = true;
                failure.report(console);
            }
        }
    }
    match failed {
        true => Err(Failure::silent(1)),
        false => Ok(()),
    }
}

/// Whether the file was, or now is, in canonical form.
fn format_one(path: &Path, check: bool, console: &Console) -> Result<bool, Failure> {
    let input = input::read(path)?;
    let formatted = format(&input.text).map_err(|list| {
        Failure::rendered(render(&list, &input.name, &input.text, console.color()))
    })?;
    let same = formatted == input.text;
    if check {
        if !same {
            print(format!("{}\n", input.name).as_bytes())?;
        }
        return Ok(same);
    }
    if is_dash(path) {
        print(formatted.as_bytes())?;
    } else if !same {
        let destination = Destination::File(path.to_owned());
        output::write(&[(destination, formatted.into_bytes())])?;
        console.detail(&format!("{}: formatted", input.name));
    }
    Ok(true)
}
