//! `cnnc tune`: which forms and which flags are fastest on this machine.

mod forms;
mod race;
mod report;
mod step;

use self::report::Report;
use super::common::console::{print, print_json};
use super::common::costs;
use super::common::engine::EngineArgs;
use super::common::net::NetArgs;
use super::common::{Console, Failure};

/// Find the fastest forms for this machine
///
/// Times the forms that each convolution of the training step can take, alternating, and then
/// the whole step: as it is by rule, in the forms found, and with flags of IREE's compiler. What
/// makes the step faster is kept in the user's cache, where the other verbs find it; tables of
/// several networks add up. Nothing else should run meanwhile.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Examples:\n  cnnc tune model.net\n  cnnc tune model.net --batch 64 --dry-run"
)]
pub struct Args {
    #[command(flatten)]
    net: NetArgs,
    /// Examples per step; the file's by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=1 << 24))]
    batch: Option<i64>,
    /// Rounds of each comparison, of which the median counts
    #[arg(long, value_name = "R", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Try this flag of IREE's compiler, too; several flags with blanks between them are tried as one
    #[arg(long = "try", value_name = "FLAGS", allow_hyphen_values = true)]
    flags: Vec<String>,
    /// Measure, and keep nothing
    #[arg(long)]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

pub fn run(args: &Args, console: &Console) -> Result<(), Failure> {
    let (device, _) = args.engine.device()?;
    if !device.is_cpu() {
        return Err(Failure::usage(format!(
            "--device={device}: there are no forms to choose from; those of the CPU have some"
        )));
    }
    if args.engine.threads.is_some() && !args.dry_run {
        return Err(Failure::usage(
            "--threads: what is kept are times of all cores; --dry-run measures others",
        ));
    }
    let unit = args.net.load(console)?;
    let batch = args.batch.unwrap_or(unit.network.train.batch);
    let engine = args.engine.open(console)?;
    let mut backend = engine.backend().clone();
    let known = std::mem::take(&mut backend.tuning.costs);
    let mut measured = known.clone();
    let choices = forms::measure(
        &unit,
        batch,
        &engine,
        &backend,
        args.rounds,
        console,
        &mut measured,
    )?;
    let steps = step::measure(&unit, batch, &engine, &backend, args, console, &measured)?;
    let kept = match (args.dry_run, steps.helps()) {
        (true, _) => None,
        (false, true) => {
            steps.keep(&mut measured);
            Some(measured)
        }
        // What an earlier run found for these choices would be used, and does not help.
        (false, false) => {
            let mut less = known;
            let mut changed = steps.keep(&mut less);
            for choice in &choices {
                changed |= less.remove(&choice.key);
            }
            changed.then_some(less)
        }
    };
    let path = kept.as_ref().map(costs::store).transpose()?;
    let report = Report {
        net: &unit.network.name,
        batch,
        choices,
        steps,
        path,
    };
    match args.json {
        true => print_json(&report.json()),
        false => print(report.text().as_bytes()),
    }
}
