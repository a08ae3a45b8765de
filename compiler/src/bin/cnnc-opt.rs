//! The `cnnc-opt` command: passes on StableHLO texts, for looking at one alone
//! and for testing it. Options are spelt as those of `mlir-opt` where it has
//! the same.

// Both commands share these; each leaves some of them unused.
#[allow(dead_code)]
#[path = "cnnc/common/console.rs"]
mod console;
#[allow(dead_code)]
#[path = "cnnc/common/failure.rs"]
mod failure;
#[allow(dead_code)]
#[path = "cnnc/common/input.rs"]
mod input;
#[allow(dead_code)]
#[path = "cnnc/common/library.rs"]
mod library;
#[allow(dead_code)]
#[path = "cnnc/common/output.rs"]
mod output;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use cnnc::iree::{Error as IreeError, Iree};
use cnnc::passes::{self, Gradient};
use cnnc::stablehlo::{self, Location, Module, mlir};
use cnnc::tune::{Options, Pass};
use cnnc_grammar::diagnostics::nearest;

use console::{Console, ConsoleArgs};
use failure::Failure;
use output::Destination;

/// The line between two modules of a file.
const SEPARATOR: &str = "// -----";
const AUTODIFF: &str = "autodiff";

/// Run passes on StableHLO modules
#[derive(Debug, Parser)]
#[command(
    name = "cnnc-opt",
    version,
    before_help = "Examples:\n  cnnc-opt --grad=wrt:0,1 --pass=simplify f.mlir\n  \
                   cnnc model.net | cnnc-opt - --pass=tune --print-after-all -o tuned.mlir"
)]
struct Args {
    /// A module in generic or pretty form, or - for stdin
    #[arg(value_name = "FILE", required_unless_present = "list_passes")]
    file: Option<PathBuf>,
    /// Run these passes in this order
    #[arg(long = "pass", value_name = "NAME", value_delimiter = ',', value_parser = pass)]
    passes: Vec<Pass>,
    /// Differentiate @FUNC (every function by default) by these arguments: autodiff with options.
    /// It runs where --pass names autodiff, else first
    #[arg(long, value_name = "wrt:0,1[;of=FUNC]")]
    grad: Option<Gradient>,
    /// Where to write, or - for stdout
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    output: PathBuf,
    /// The form to print
    #[arg(long, value_enum, value_name = "FORM", default_value_t = Form::Pretty)]
    emit: Form,
    /// Treat each part between lines `// -----` as a module of its own
    #[arg(long)]
    split_input_file: bool,
    /// Print the module to stderr after each pass
    #[arg(long)]
    print_after_all: bool,
    /// List the passes
    #[arg(long)]
    list_passes: bool,
    #[command(flatten)]
    console: ConsoleArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// As IREE prints it
    Pretty,
    /// Every operation in quotes, with locations
    Generic,
}

fn pass(name: &str) -> Result<Pass, String> {
    passes::find(name).ok_or_else(|| {
        let all = passes::all();
        match nearest(name, all.iter().map(|pass| pass.name)) {
            Some(near) => format!("no such pass; did you mean `{near}`?"),
            None => "no such pass; --list-passes lists them".to_owned(),
        }
    })
}

fn main() -> ExitCode {
    failure::report_panics();
    let args = Args::parse();
    let console = Console::new(&args.console);
    match run(&args, &console) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(&console),
    }
}

fn run(args: &Args, console: &Console) -> Result<(), Failure> {
    let Some(file) = args.file.as_ref().filter(|_| !args.list_passes) else {
        let all = passes::all();
        let lines = all
            .iter()
            .map(|pass| format!("{:<24} {}\n", pass.name, pass.about));
        return console::print(lines.collect::<String>().as_bytes());
    };
    let destination = Destination::new(args.output.clone());
    destination.probe()?;
    let input = input::read(file)?;
    let mut tool = Tool {
        args,
        console,
        file: input.name,
        iree: None,
    };
    let mut texts = Vec::new();
    for part in parts(&input.text, args.split_input_file) {
        texts.push(tool.process(&part)?);
    }
    let text = texts.join(&format!("{SEPARATOR}\n"));
    output::write(&[(destination, text.into_bytes())])
}

/// The modules of a file. Blank lines keep the lines of later ones in place.
fn parts(text: &str, split: bool) -> Vec<String> {
    if !split {
        return vec![text.to_owned()];
    }
    let mut parts = vec![String::new()];
    for (number, line) in text.lines().enumerate() {
        if line.trim_end() == SEPARATOR {
            parts.push("\n".repeat(number + 1));
        } else if let Some(part) = parts.last_mut() {
            part.push_str(line);
            part.push('\n');
        }
    }
    parts
}

struct Tool<'a> {
    args: &'a Args,
    console: &'a Console,
    file: String,
    iree: Option<Iree>,
}

impl Tool<'_> {
    fn process(&mut self, text: &str) -> Result<String, Failure> {
        let mut module = self.read(text)?;
        let named = self.args.passes.iter().any(|pass| pass.name == AUTODIFF);
        if let Some(gradient) = self.args.grad.as_ref().filter(|_| !named) {
            module = gradient
                .run(&module)
                .map_err(|error| self.refused(&error))?;
            self.show(AUTODIFF, &module)?;
        }
        for pass in &self.args.passes {
            let result = match &self.args.grad {
                Some(gradient) if pass.name == AUTODIFF => gradient.run(&module),
                _ => pass.run(&module, &Options::default()),
            };
            module = result.map_err(|error| self.refused(&error))?;
            self.show(pass.name, &module)?;
        }
        self.print(&module)
    }

    /// Reads the generic form, or the pretty one with IREE's help.
    fn read(&mut self, text: &str) -> Result<Module, Failure> {
        let text = match mlir::is_generic(text) {
            true => text.to_owned(),
            false => {
                let generic = self.iree()?.generic(text);
                generic.map_err(|error| self.of_iree(error))?
            }
        };
        mlir::parse(&text).map_err(|error| self.refused(&error))
    }

    fn show(&mut self, pass: &str, module: &Module) -> Result<(), Failure> {
        if self.args.print_after_all {
            let text = self.print(module)?;
            self.console
                .error_text(&format!("// ----- after {pass} ----- //\n{text}"));
        }
        Ok(())
    }

    fn print(&mut self, module: &Module) -> Result<String, Failure> {
        let generic = mlir::print(module).map_err(|error| self.refused(&error))?;
        if self.args.emit == Form::Generic {
            return Ok(with_line_end(generic));
        }
        let pretty = self.iree()?.pretty(&generic, "");
        pretty
            .map(with_line_end)
            .map_err(|error| self.of_iree(error))
    }

    fn iree(&mut self) -> Result<Iree, Failure> {
        match &self.iree {
            Some(iree) => Ok(iree.clone()),
            None => Ok(self.iree.insert(library::find()?).clone()),
        }
    }

    fn refused(&self, error: &stablehlo::Error) -> Failure {
        let text = error.to_string();
        match error.location() {
            Some(location) => {
                let prefix = format!("{location}: ");
                Failure::rendered(self.line(location, text.strip_prefix(&prefix).unwrap_or(&text)))
            }
            None => Failure::new(text),
        }
    }

    fn of_iree(&self, error: IreeError) -> Failure {
        match error {
            IreeError::Refused { messages } => {
                let lines: Vec<String> = messages
                    .iter()
                    .map(|m| self.line(&m.location, &m.text))
                    .collect();
                match lines.is_empty() {
                    true => Failure::new("IREE refuses the module without saying why"),
                    false => Failure::rendered(lines.concat()),
                }
            }
            other => Failure::new(other),
        }
    }

    /// `file:line:column: error: text`, as MLIR's tools print it.
    fn line(&self, location: &Location, text: &str) -> String {
        match &location.place {
            // What the two parsers call a text without a file.
            Some((file, line, column)) if ["<input>", "<stdin>", "-"].contains(&&**file) => {
                format!("{}:{line}:{column}: error: {text}\n", self.file)
            }
            Some((file, line, column)) => format!("{file}:{line}:{column}: error: {text}\n"),
            None => format!("{}: error: {text}\n", self.file),
        }
    }
}

fn with_line_end(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_is_well_formed() {
        Args::command().debug_assert();
    }

    #[test]
    fn parts_keep_their_lines() {
        assert_eq!(parts("a\n// -----\nb\nc\n", true), ["a\n", "\n\nb\nc\n"]);
        assert_eq!(parts("a\n// -----\nb\n", false), ["a\n// -----\nb\n"]);
    }
}
