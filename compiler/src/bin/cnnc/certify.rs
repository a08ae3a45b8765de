//! `cnnc certify`: the emitted gradient is the derivative, checked on the text.

mod execution;
mod point;
mod report;
mod text;

use std::path::PathBuf;
use std::thread::available_parallelism;

use cnnc::certify::audit::{self, Audit};
use cnnc::certify::point::{Draw, draw};
use cnnc::certify::tuning::{self, Comparison};
use cnnc::certify::twins::Structure;
use cnnc::certify::{self, Random, Subject, Values};
use cnnc::driver::{Backend, Unit};
use cnnc::iree::Target;
use cnnc::lower::LOSS;
use cnnc::reference::Tensor;
use cnnc::tune::Parts;

use super::common::backend::target;
use super::common::engine::EngineArgs;
use super::common::net::{NetArgs, failure};
use super::common::{Console, Failure};
use super::eval::Half;
use report::Report;

/// Examples of a random data point.
const RANDOM_EXAMPLES: usize = 2;
/// Examples of a data set.
const EXAMPLES: usize = 4;

/// Prove that the emitted gradient is the derivative
///
/// Reads the module back from its text and interprets it over a prime field, led by real values,
/// so that equality is exact: see docs/certificates.md. Without --data the values are random.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Examples:\n  cnnc certify model.net --data mnist --examples 4\n  \
                   cnnc certify model.net --module step.mlir --tuning --execute"
)]
pub struct Args {
    #[command(flatten)]
    net: NetArgs,
    /// A folder with IDX or CIFAR-10 files, or mnist, fashion-mnist or cifar-10, for real images
    #[arg(long, value_name = "DIR", conflicts_with = "random")]
    data: Option<PathBuf>,
    /// Random images (the default)
    #[arg(long)]
    random: bool,
    /// How many examples; with --module its batch
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    examples: Option<u32>,
    /// The first example of the data set, counted from 0
    #[arg(long, value_name = "I", default_value_t = 0, requires = "data")]
    first: usize,
    /// Which half of the data
    #[arg(long, value_name = "HALF", value_enum, default_value_t = Half::Test)]
    split: Half,
    /// The parameters, as `cnnc train` wrote them; random ones by default
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Certify this module instead of the one that FILE compiles to
    #[arg(long, value_name = "MLIR")]
    module: Option<PathBuf>,
    /// Certify the module tuned for this target
    #[arg(long, value_name = "TARGET", value_parser = target(), conflicts_with = "module")]
    target: Option<Target>,
    /// Also show that the tuned module computes what the portable one does
    #[arg(long)]
    tuning: bool,
    /// Also compile the tuned module, run it on the device, and compare its integers bit for bit
    #[arg(long)]
    execute: bool,
    /// Random points and directions that each gradient is checked at
    #[arg(long, value_name = "K", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    directions: u32,
    /// What the random numbers come from
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

pub fn run(args: &Args, console: &Console) -> Result<(), Failure> {
    let unit = args.net.load(console)?;
    let backend = args.engine.backend.load(args.target()?, console)?;
    let report = Work {
        args,
        unit: &unit,
        backend: &in_parts(&backend),
        console,
    }
    .report()?;
    report.print(args.json)?;
    match report.failures() {
        0 => Ok(()),
        1 => Err(Failure::new("1 statement does not hold")),
        count => Err(Failure::new(format!("{count} statements do not hold"))),
    }
}

/// The same, with batches divided as large ones are, however few examples there are.
fn in_parts(backend: &Backend) -> Backend {
    let mut backend = backend.clone();
    backend.tuning.parts = Parts::Always;
    backend
}

impl Args {
    /// What is tuned for: the device's target, but where no program runs any.
    fn target(&self) -> Result<Target, Failure> {
        let (device, own) = self.engine.device()?;
        match self.target {
            Some(target) if self.execute && target != own => {
                let (target, own) = (target.name(), own.name());
                let message =
                    format!("--execute: the device `{device}` runs {own} programs, not {target}");
                Err(Failure::usage(message))
            }
            target => Ok(target.unwrap_or(own)),
        }
    }
}

/// What the parts of a report are made from.
struct Work<'a> {
    args: &'a Args,
    unit: &'a Unit,
    backend: &'a Backend,
    console: &'a Console,
}

impl Work<'_> {
    fn report(&self) -> Result<Report, Failure> {
        let args = self.args;
        let given = match &args.module {
            Some(path) => Some(text::read(path, self.backend)?),
            None => None,
        };
        let batch = match &given {
            Some(module) => text::batch(module).ok_or_else(|| {
                Failure::new("the module is not one of cnnc: its `cnnc.manifest` has no batch")
            })?,
            None => i64::from(args.examples.unwrap_or(match args.data {
                Some(_) => EXAMPLES as u32,
                None => RANDOM_EXAMPLES as u32,
            })),
        };
        let portable = self.subject(batch, false)?;
        let (source, subject) = match (given, &args.module) {
            (Some(mut module), Some(path)) => {
                certify::borrow_locations(&mut module, portable.module());
                let subject = Subject::new(module).map_err(Failure::new)?;
                (path.display().to_string(), subject)
            }
            _ if args.target.is_some() => ("tuned module".to_owned(), self.subject(batch, true)?),
            _ => ("portable module".to_owned(), portable.clone()),
        };
        let values = point::values(args, self.unit, &subject)?;
        let options = certify::Options {
            directions: args.directions as usize,
            seed: args.seed,
            joint: false,
            threads: threads(),
        };
        let certificate = certify::certify(&subject, &values, &options).map_err(Failure::new)?;
        let network = tuning::Options {
            functions: vec!["forward", "loss"],
            statement: "computes what the network file says",
            ties: args.target.is_none() || self.backend.tuning.is_direct(),
            ..self.tuning_options()
        };
        let network = tuning::compare(&portable, &subject, &network).map_err(Failure::new)?;
        let audit = self.audit(&portable, &values)?;
        let mut tuning = None;
        let direct = match args.tuning || args.execute {
            true => Some(directly(self.unit, self.backend, batch, self.console)?),
            false => None,
        };
        if let (true, Some(direct)) = (args.tuning, &direct) {
            let tuned = self.subject(batch, true)?;
            tuning = Some(compare_tuned(&portable, direct, &tuned, args.seed)?);
        }
        let mut execution = Vec::new();
        if let (true, Some(direct)) = (args.execute, &direct) {
            execution = execution::compare(args, self.backend, &portable, direct, self.console)?;
        }
        Ok(Report {
            net: self.unit.network.name.clone(),
            source,
            batch,
            certificate,
            network,
            audit,
            tuning,
            execution,
        })
    }

    /// Whether the data point has a derivative.
    fn audit(&self, portable: &Subject, values: &Values<f64>) -> Result<Audit, Failure> {
        let network = &self.unit.network;
        let image = network
            .inputs
            .first()
            .and_then(|input| values.get(&input.name));
        let pixels = image.map(Tensor::as_numbers).unwrap_or_default();
        let pixels: Vec<f32> = pixels.iter().map(|&p| p as f32).collect();
        let structure = Structure::of(network, &pixels);
        let options = audit::Options {
            seed: self.args.seed,
            structure: Some(&structure),
            ..audit::Options::new(portable.parameters().len())
        };
        let loss = portable.written(LOSS).map_err(Failure::new)?;
        let arguments = portable.arguments(loss, values).map_err(Failure::new)?;
        audit::audit(loss, &arguments, &options).map_err(Failure::new)
    }

    fn subject(&self, batch: i64, tuned: bool) -> Result<Subject, Failure> {
        subject(self.unit, self.backend, (batch, tuned), self.console)
    }

    fn tuning_options(&self) -> tuning::Options {
        tuning::Options {
            seed: self.args.seed,
            threads: threads(),
            ..tuning::Options::default()
        }
    }
}

/// What `cnnc FILE --certify` checks before it writes: gradients and tuning of
/// the modules for batches of `batch` examples, at random values.
pub fn before_writing(
    unit: &Unit,
    backend: &Backend,
    batch: i64,
    console: &Console,
) -> Result<(), Failure> {
    console.status(&format!("certifying the modules for {batch} examples"));
    let backend = &in_parts(backend);
    let portable = subject(unit, backend, (batch, false), console)?;
    let options = certify::Options {
        directions: 1,
        joint: true,
        threads: threads(),
        ..certify::Options::default()
    };
    let drawn = draw(
        &portable,
        &[LOSS],
        Draw::Real,
        &mut Random::new(options.seed),
    );
    let values = drawn.map_err(Failure::new)?;
    let certificate = certify::certify(&portable, &values, &options).map_err(Failure::new)?;
    let direct = directly(unit, backend, batch, console)?;
    let tuned = subject(unit, backend, (batch, true), console)?;
    let checks = compare_tuned(&portable, &direct, &tuned, 0)?.checks;
    let wrong = checks.iter().filter(|check| !check.verdict.holds());
    let wrong = wrong.map(|check| format!("@{}: {}", check.function, check.verdict));
    let failures: Vec<String> = certificate.failures().into_iter().chain(wrong).collect();
    if failures.is_empty() {
        console.status(&format!(
            "certified: {} gradients are exact, {} functions are tuned exactly",
            certificate.gradients.len(),
            checks.len()
        ));
        return Ok(());
    }
    Err(Failure::new(format!(
        "the certificate does not hold, and nothing is written: {}",
        failures.join("; ")
    )))
}

/// Tuned against portable: everything but Winograd's form with ties and all
/// (`direct`), and that where nothing ties.
fn compare_tuned(
    portable: &Subject,
    direct: &Subject,
    tuned: &Subject,
    seed: u64,
) -> Result<Comparison, Failure> {
    let options = tuning::Options {
        seed,
        threads: threads(),
        ..tuning::Options::default()
    };
    let mut found = tuning::compare(portable, direct, &options).map_err(Failure::new)?;
    if tuned.module() == direct.module() {
        return Ok(found);
    }
    let options = tuning::Options {
        statement: "tuned with Winograd equals portable",
        ties: false,
        ..options
    };
    let winograd = tuning::compare(portable, tuned, &options).map_err(Failure::new)?;
    found.checks.extend(winograd.checks);
    if winograd.confidence.probability > found.confidence.probability {
        found.confidence = winograd.confidence;
    }
    Ok(found)
}

/// The tuned module without Winograd's form, which is of no integers and tells
/// equal cells apart by rounding.
fn directly(
    unit: &Unit,
    backend: &Backend,
    batch: i64,
    console: &Console,
) -> Result<Subject, Failure> {
    let backend = Backend {
        tuning: backend.tuning.directly(),
        ..backend.clone()
    };
    subject(unit, &backend, (batch, true), console)
}

/// The module of the network file for so many examples, portable or tuned,
/// through the text that is written.
fn subject(
    unit: &Unit,
    backend: &Backend,
    (batch, tuned): (i64, bool),
    console: &Console,
) -> Result<Subject, Failure> {
    let made = match tuned {
        false => unit.portable(batch, &[]),
        true => backend.tuned(unit, batch, &[]),
    };
    let read = made.and_then(|own| Ok((backend.pretty(&own)?, own)));
    let (text, own) = read.map_err(|e| failure(&e, &unit.sources, console))?;
    let mut module = text::parse("<output>", &text, backend)?;
    certify::borrow_locations(&mut module, &own);
    Subject::new(module).map_err(Failure::new)
}

/// Cores of this machine.
pub fn threads() -> usize {
    available_parallelism().map_or(1, usize::from)
}
