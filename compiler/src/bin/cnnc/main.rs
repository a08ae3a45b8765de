//! The `cnnc` command: one file per verb.

mod bench;
mod certify;
mod cli;
mod common;
mod compile;
mod doctor;
mod eval;
mod explain;
mod fmt;
mod predict;
mod probe;
mod summary;
mod train;
mod tune;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Verb};
use common::{Console, Failure};

fn main() -> ExitCode {
    common::failure::report_panics();
    // Before anything large is allocated: a training step allocates the same blocks each time.
    let _ = cnnc_runtime::memory::tune_allocator();
    let _ = cnnc_runtime::threads::wake_without_preempting();
    let arguments = match cli::arguments(std::env::args_os()) {
        Ok(arguments) => arguments,
        Err(failure) => return failure.report(&Console::default()),
    };
    let cli = Cli::parse_from(arguments);
    let console = Console::new(&cli.console);
    match run(cli.verb, &console) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(&console),
    }
}

fn run(verb: Verb, console: &Console) -> Result<(), Failure> {
    match verb {
        Verb::Compile(args) => compile::run(args, console),
        Verb::Certify(args) => certify::run(&args, console),
        Verb::Train(args) => train::run(&args, console),
        Verb::Eval(args) => eval::run(&args, console),
        Verb::Predict(args) => predict::run(&args, console),
        Verb::Probe(args) => probe::run(&args, console),
        Verb::Summary(args) => summary::run(&args, console),
        Verb::Fmt(args) => fmt::run(&args, console),
        Verb::Doctor(args) => doctor::run(&args, console),
        Verb::Explain(args) => explain::run(&args),
        Verb::Bench(args) => bench::run(&args, console),
        Verb::Tune(args) => tune::run(&args, console),
    }
}
