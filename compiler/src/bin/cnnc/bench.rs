//! `cnnc bench`: how long a training step takes, and what it spends the time on.

mod layers;
mod peak;
mod report;
mod steps;

use std::io::BufRead;

use cnnc::driver::Unit;
use cnnc::stablehlo::multiply_adds;
use cnnc_runtime::{memory, profile};
use serde_json::json;

use self::peak::Peak;
use self::report::Measured;
pub use self::steps::Steps;
use super::common::console::{print, print_json};
use super::common::engine::{Engine, EngineArgs};
use super::common::net::{NetArgs, failure};
use super::common::{Console, Failure};

/// What a training step needs.
const FUNCTIONS: [&str; 2] = ["init", "train_step"];

/// Time training steps
///
/// Compiles the training step and runs it on examples made up for it: the batch to the device,
/// the step, the loss back. A product of large matrices takes turns with it: its speed is the
/// sgemm peak that the step is compared with. With --profile, the dispatches by time, each with
/// the layers of the network that it belongs to.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Examples:\n  cnnc bench model.net --batch 64\n  cnnc bench model.net --profile --json"
)]
pub struct Args {
    #[command(flatten)]
    net: NetArgs,
    /// Examples per step; the file's by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=1 << 24))]
    batch: Option<i64>,
    /// Steps per round
    #[arg(long, value_name = "K", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    steps: u32,
    /// Rounds, of which the median counts; one more comes before them to warm up
    #[arg(long, value_name = "R", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rounds: u32,
    /// Show the dispatches of a step, on the CPU
    #[arg(long)]
    profile: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Answer each line on stdin with a round in JSON: the protocol of bench/
    #[arg(long, hide = true, conflicts_with_all = ["profile", "rounds"])]
    serve: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

pub fn run(args: &Args, console: &Console) -> Result<(), Failure> {
    let unit = args.net.load(console)?;
    let batch = args.batch.unwrap_or(unit.network.train.batch);
    let engine = args.engine.open(console)?;
    if args.profile && !engine.runtime().name().is_cpu() {
        let device = engine.runtime().name();
        return Err(Failure::usage(format!(
            "--profile: device `{device}` keeps no records; those of the CPU do"
        )));
    }
    if args.serve {
        return serve(args, &unit, batch, &engine, console);
    }
    console.status(&format!("compiling {}", unit.network.name));
    // Where the layers are asked for, what is measured and what is profiled is one program.
    let placed = match args.profile {
        true => unit.placed_by_layer(),
        false => unit.clone(),
    };
    let vmfb = engine.compile(&placed, batch, &FUNCTIONS, &[])?;
    let calls = match args.profile {
        true => Some(layers::calls(&engine, &placed, batch, console)?),
        false => None,
    };
    let peak = Peak::compile(&engine)?;
    // What compiling took is no part of the step's.
    let telling = memory::forget_peak();
    let program = engine.load(&vmfb)?;
    let mut steps = Steps::new(&unit, &program)?;
    steps.round(args.steps)?;
    let memory = memory::peak().filter(|_| telling);
    let mut peak = peak.load(&engine)?;
    let mut rounds = Vec::new();
    for round in 1..=args.rounds {
        console.detail(&format!("round {round} of {}", args.rounds));
        rounds.push(steps.round(args.steps)?.ms);
        peak.run()?;
    }
    let dispatches = match calls {
        Some(calls) => {
            let recorded = profile::train_steps(
                engine.runtime(),
                engine.threads(),
                &vmfb,
                steps.examples(),
                steps.learning_rate(),
                args.steps as usize,
            );
            let recorded = recorded.map_err(Failure::new)?;
            if let Some(name) = layers::unknown(&recorded, &calls) {
                console.warn(&format!(
                    "IREE's text of the program does not call `{name}`; its layers are not known"
                ));
            }
            Some(layers::table(&recorded, &calls))
        }
        None => None,
    };
    let measured = Measured {
        net: &unit.network.name,
        batch,
        steps: args.steps,
        device: engine.runtime().name().to_string(),
        cpu: program.manifest().cpu.clone(),
        rounds,
        multiply_adds: operations(&unit, batch, console)?,
        sgemm: peak.flops(),
        memory,
        dispatches,
    };
    match args.json {
        true => print_json(&measured.json()),
        false => print(measured.text().as_bytes()),
    }
}

/// For each line on stdin a round.
fn serve(
    args: &Args,
    unit: &Unit,
    batch: i64,
    engine: &Engine<'_>,
    console: &Console,
) -> Result<(), Failure> {
    let multiply_adds = operations(unit, batch, console)?;
    let program = engine.program(unit, batch, &FUNCTIONS)?;
    let mut steps = Steps::new(unit, &program)?;
    for line in std::io::stdin().lock().lines() {
        line.map_err(|error| Failure::new(format!("cannot read stdin: {error}")))?;
        let round = steps.round(args.steps)?;
        print_json(&json!({
            "ms_per_step": round.ms, "loss": round.loss, "multiply_adds": multiply_adds,
        }))?;
    }
    Ok(())
}

/// Multiply-adds of one step, as the portable module has them: the tuned one may take other ways.
fn operations(unit: &Unit, batch: i64, console: &Console) -> Result<u64, Failure> {
    let module = unit
        .portable(batch, &["train_step"])
        .map_err(|error| failure(&error, &unit.sources, console))?;
    let step = module.function("train_step").map_err(Failure::new)?;
    Ok(multiply_adds(step))
}
