//! `cnnc explain`: what an error code means.

use cnnc::driver;
use cnnc_grammar::diagnostics::nearest;

use super::common::Failure;
use super::common::console::print;

/// Explain an error code
#[derive(Debug, clap::Args)]
#[command(before_help = "Examples:\n  cnnc explain E0302\n  cnnc explain")]
pub struct Args {
    /// The code; all are listed where none is given
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let Some(code) = &args.code else {
        let lines = driver::every_code().map(|code| format!("{}  {}\n", code.name, code.title));
        return print(lines.collect::<String>().as_bytes());
    };
    match driver::explain(code) {
        Some(text) => print(format!("{}\n", text.trim_end()).as_bytes()),
        None => {
            let failure = Failure::new(format!("there is no error code `{code}`"));
            Err(
                match nearest(code, driver::every_code().map(|code| code.name)) {
                    Some(near) => failure.hint(format!("did you mean {near}?")),
                    None => failure.hint("`cnnc explain` lists all codes"),
                },
            )
        }
    }
}
