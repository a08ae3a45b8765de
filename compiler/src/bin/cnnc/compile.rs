//! `cnnc FILE`: a network to StableHLO or a compiled program.

mod request;

use std::path::PathBuf;
use std::time::Instant;

use cnnc::driver::{self, Backend, Unit};
use cnnc::iree::Target;
use cnnc::network;
use cnnc_grammar::Sources;

use super::certify;
use super::common::backend::{BackendArgs, target};
use super::common::input::{self, Input};
use super::common::net::{ChoiceArgs, failure};
use super::common::output::{self, Destination};
use super::common::{Console, Failure};
use request::{Emit, Request, What};

/// Compile a network (the default verb)
///
/// The extension of OUT says what is written: .mlir is the portable StableHLO module, or the tuned
/// one with --target; .vmfb is the compiled program. Without OUT the module goes to stdout.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Examples:\n  cnnc model.net -o step.mlir\n  \
                   cnnc model.net --emit=forward,gradients=grad.mlir --batch 32",
    override_usage = "cnnc [compile] <FILE> [-o OUT] [OPTIONS]"
)]
pub struct Args {
    /// The network file, or - for stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    choice: ChoiceArgs,
    /// Where to write, or - for stdout
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// What to write: ast, network, init, forward, loss, gradients, pullback, step, evaluate
    /// (several functions make one module), module (all functions), tuned, vmfb
    #[arg(long, value_name = "KIND[=PATH]", value_delimiter = ',')]
    emit: Vec<Emit>,
    /// Tune, and compile, for this target; cpu by default
    #[arg(long, value_name = "TARGET", value_parser = target())]
    target: Option<Target>,
    /// Examples per batch; the file's by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=1 << 24))]
    batch: Option<i64>,
    /// Print the place in the network file behind each operation
    #[arg(long)]
    locations: bool,
    /// First prove that the gradients are right and the tuning changes nothing; see `cnnc certify`
    #[arg(long)]
    certify: bool,
    #[command(flatten)]
    backend: BackendArgs,
}

pub fn run(args: Args, console: &Console) -> Result<(), Failure> {
    let tuned = args.target.is_some();
    let requests = request::resolve(args.emit.clone(), args.output.clone(), tuned)?;
    for request in &requests {
        request.destination.probe()?;
    }
    let input = input::read(&args.file)?;
    let mut work = Work {
        args: &args,
        input: &input,
        console,
        unit: None,
        backend: None,
    };
    let mut outputs = Vec::new();
    for Request { what, destination } in requests {
        let start = Instant::now();
        let bytes = work.make(&what)?;
        if let Destination::File(path) = &destination {
            let seconds = start.elapsed().as_secs_f64();
            let size = bytes.len();
            console.detail(&format!("{}: {size} bytes, {seconds:.3} s", path.display()));
        }
        outputs.push((destination, bytes));
    }
    if args.certify {
        work.certify()?;
    }
    output::write(&outputs)
}

/// What is made on the way to the outputs, each at most once.
struct Work<'a> {
    args: &'a Args,
    input: &'a Input,
    console: &'a Console,
    unit: Option<Unit>,
    backend: Option<Backend>,
}

impl Work<'_> {
    /// Proves what was made, before it is written.
    fn certify(&self) -> Result<(), Failure> {
        let (Some(unit), Some(backend)) = (&self.unit, &self.backend) else {
            return Err(Failure::usage("--certify: no module is asked for"));
        };
        let batch = self.args.batch.unwrap_or(unit.network.train.batch);
        certify::before_writing(unit, backend, batch, self.console)
    }

    fn make(&mut self, what: &What) -> Result<Vec<u8>, Failure> {
        if *what == What::Ast {
            let Input { name, text } = self.input;
            let ast = driver::parse(name, text)
                .map_err(|error| failure(&error, &Sources::new(name, text), self.console))?;
            return Ok(cnnc_grammar::ast::dump(&ast).into_bytes());
        }
        if self.unit.is_none() {
            self.unit = Some(self.args.choice.build(self.input, self.console)?);
        }
        if what.needs_iree() && self.backend.is_none() {
            let target = self.args.target.unwrap_or_default();
            let mut backend = self.args.backend.load(target, self.console)?;
            if self.args.locations {
                backend.iree.print_locations(target).map_err(Failure::new)?;
            }
            self.backend = Some(backend);
        }
        let (Some(unit), console) = (&self.unit, self.console) else {
            return Ok(Vec::new());
        };
        let batch = self.args.batch.unwrap_or(unit.network.train.batch);
        let made = match (what, &self.backend) {
            (What::Portable(functions), Some(backend)) => unit
                .portable(batch, functions)
                .and_then(|module| backend.pretty(&module))
                .map(String::into_bytes),
            (What::Tuned(functions), Some(backend)) => backend
                .tuned(unit, batch, functions)
                .and_then(|module| backend.pretty(&module))
                .map(String::into_bytes),
            (What::Vmfb(functions), Some(backend)) => backend
                .tuned(unit, batch, functions)
                .and_then(|module| backend.program(&module)),
            _ => Ok(network::print(&unit.network).into_bytes()),
        };
        made.map_err(|error| failure(&error, &unit.sources, console))
    }
}
