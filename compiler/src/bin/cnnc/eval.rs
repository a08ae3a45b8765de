//! `cnnc eval`: loss and accuracy of a checkpoint.

use std::path::PathBuf;

use clap::ValueEnum;
use cnnc_runtime::checkpoint;
use cnnc_runtime::data::Split;
use cnnc_runtime::evaluate::{Evaluation, evaluate};
use cnnc_runtime::state::State;
use serde_json::json;

use super::common::console::{print, print_json};
use super::common::engine::EngineArgs;
use super::common::net::NetArgs;
use super::common::progress::loss_text;
use super::common::{Console, Failure, data};

/// Measure loss and accuracy of a checkpoint
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Examples:\n  cnnc eval model.net --checkpoint runs/model/checkpoint.safetensors \
                   --data mnist\n  cnnc eval model.net --checkpoint a.safetensors --data DIR \
                   --split train --json"
)]
pub struct Args {
    #[command(flatten)]
    net: NetArgs,
    /// The parameters, as `cnnc train` wrote them
    #[arg(long, value_name = "FILE")]
    checkpoint: PathBuf,
    /// A folder with IDX or CIFAR-10 files, or mnist, fashion-mnist or cifar-10
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Which half of the data
    #[arg(long, value_name = "HALF", value_enum, default_value_t = Half::Test)]
    split: Half,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

/// A half of a data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Half {
    /// What is trained on
    Train,
    /// What is tested on
    Test,
}

impl Half {
    /// In the runtime's words.
    pub fn split(self) -> Split {
        match self {
            Half::Train => Split::Train,
            Half::Test => Split::Test,
        }
    }
}

pub fn run(args: &Args, console: &Console) -> Result<(), Failure> {
    let unit = args.net.load(console)?;
    let dataset = data::load(&args.data, args.split.split(), &unit.network)?;
    let pixels = data::pixels(&unit.network)?;
    let engine = args.engine.open(console)?;
    let program = engine.program(&unit, unit.network.train.batch, &["evaluate"])?;
    let manifest = program.manifest();
    let found = checkpoint::load_for_evaluation(&args.checkpoint, manifest);
    let snapshot = found.map_err(Failure::new)?.snapshot;
    let state = State::upload(engine.runtime(), manifest, &snapshot).map_err(Failure::new)?;
    let state = state.averaged(manifest);
    let result = evaluate(&program, &state, &dataset, &pixels).map_err(Failure::new)?;
    match args.json {
        true => print_json(&json!(result)),
        false => print(sentence(&result).as_bytes()),
    }
}

/// The result on a line.
pub fn sentence(result: &Evaluation) -> String {
    let Evaluation {
        labels,
        loss,
        correct,
        accuracy,
        ..
    } = result;
    let (percent, loss) = (accuracy * 100.0, loss_text(*loss));
    format!("accuracy: {percent:.2} % ({correct} of {labels}), loss {loss}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_one_line() {
        let result = Evaluation {
            examples: 10_000,
            labels: 10_000,
            loss: 0.04123,
            correct: 9_877,
            accuracy: 0.9877,
        };
        assert_eq!(
            sentence(&result),
            "accuracy: 98.77 % (9877 of 10000), loss 0.0412\n"
        );
    }
}
