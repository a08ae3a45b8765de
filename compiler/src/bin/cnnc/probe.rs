//! `cnnc probe`: questions about a network and a data set.

mod activations;
mod found;
mod pool_twins;
mod recheck;

use clap::Subcommand;

use super::common::{Console, Failure};

/// Find out when a network has a derivative
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Examples:\n  cnnc probe pool-twins model.net --data mnist --checkpoint a.safetensors\n  \
                   cnnc probe pool-twins model.net --data mnist --limit 1 --index 7 --picture 7.svg"
)]
pub struct Args {
    #[command(subcommand)]
    question: Question,
}

#[derive(Debug, Subcommand)]
enum Question {
    PoolTwins(pool_twins::Args),
}

pub fn run(args: &Args, console: &Console) -> Result<(), Failure> {
    match &args.question {
        Question::PoolTwins(args) => pool_twins::run(args, console),
    }
}
