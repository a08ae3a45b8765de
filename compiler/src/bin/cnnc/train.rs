//! `cnnc train`: a network and a data set to a trained model.

use std::fs;
use std::path::{Path, PathBuf};

use cnnc::driver::Unit;
use cnnc::network;
use cnnc_runtime::checkpoint;
use cnnc_runtime::data::{Augment, Preparation, Split};
use cnnc_runtime::evaluate::{Evaluation, evaluate};
use cnnc_runtime::metrics::{MetricsFile, Record, RunHeader};
use cnnc_runtime::program::Program;
use cnnc_runtime::state::State;
use cnnc_runtime::train::{
    Data, History, Programs, Progress as Done, Schedule, Surroundings, TrainError, TrainOptions,
    train,
};
use serde_json::{Map, json};

use super::common::console::{print, print_json};
use super::common::engine::{Engine, EngineArgs};
use super::common::net::NetArgs;
use super::common::progress::Progress;
use super::common::{Console, Failure, data, interrupt};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Train a network
///
/// Compiles the network, trains it on the training half of the data and tests it on the other
/// half. The folder OUT gets checkpoint.safetensors after each epoch, and a line of metrics.jsonl.
/// Ctrl-C finishes the step, writes the checkpoint and exits with 130.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Examples:\n  cnnc train model.net --data mnist --epochs 3\n  \
                   cnnc train model.net --data DIR --out runs/a --set train.optimizer.lr=0.05"
)]
pub struct Args {
    #[command(flatten)]
    net: NetArgs,
    /// A folder with IDX or CIFAR-10 files, or mnist, fashion-mnist or cifar-10
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Times through the training set; the file's by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    epochs: Option<u64>,
    /// Seed of initial values and order; the file's by default
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Examples per step; the file's by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=1 << 24))]
    batch: Option<i64>,
    /// Folder for the checkpoint and the metrics; runs/NET by default
    #[arg(long, value_name = "OUT")]
    out: Option<PathBuf>,
    /// Go on from this checkpoint, also from inside an epoch
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// End after this many of the epochs, to go on later; the schedule is that of all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    stop_after: Option<u64>,
    /// A line of metrics per step, too
    #[arg(long)]
    log_steps: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

pub fn run(args: &Args, console: &Console) -> Result<(), Failure> {
    let unit = args.net.load(console)?;
    let batch = args.batch.unwrap_or(unit.network.train.batch);
    let data = Data {
        train: data::load(&args.data, Split::Train, &unit.network)?,
        test: Some(data::load(&args.data, Split::Test, &unit.network)?),
    };
    let engine = args.engine.open(console)?;
    let default_out = || Path::new("runs").join(&unit.network.name);
    let out = Output::open(args.out.clone().unwrap_or_else(default_out))?;
    console.status(&format!("compiling {}", unit.network.name));
    let remainder = data.train.len() as i64 % batch;
    let functions: &[&str] = &["init", "train_step", "evaluate"];
    let step = engine.program(&unit, batch, functions)?;
    let ragged = match remainder {
        0 => None,
        rest => Some(engine.program(&unit, rest, &["train_step"])?),
    };
    let mut options = options(args, &unit)?;
    let mut state = start(args, console, &engine, &step, &mut options)?;
    options.preparation.augment = data::augment(&unit.network, options.seed);
    let programs = Programs {
        step: &step,
        ragged: ragged.as_ref(),
        evaluate: &step,
    };
    let history = out.train(args, console, programs, &mut state, &data, &options)?;
    if history.stopped {
        console.status(&format!(
            "stopped; {} is written",
            out.checkpoint().display()
        ));
        return Err(Failure::silent(interrupt::exit_code()));
    }
    let test = match (
        history.epochs.last().and_then(|epoch| epoch.test),
        &data.test,
    ) {
        (None, Some(test)) => {
            let state = state.averaged(step.manifest());
            let pixels = &options.preparation.pixels;
            Some(evaluate(&step, &state, test, pixels).map_err(Failure::new)?)
        }
        (known, _) => known,
    };
    report(args, &out, &history, test.as_ref())
}

fn options(args: &Args, unit: &Unit) -> Result<TrainOptions, Failure> {
    let config = &unit.network.train;
    Ok(TrainOptions {
        epochs: args
            .epochs
            .unwrap_or_else(|| u64::try_from(config.epochs).unwrap_or(1)),
        stop_after: args.stop_after,
        lr: config.optimizer.lr() as f32,
        schedule: schedule(&config.schedule),
        seed: args.seed.unwrap_or(config.seed),
        shuffle: config.shuffle,
        preparation: Preparation {
            pixels: data::pixels(&unit.network)?,
            augment: Augment::default(),
        },
        done: Done::default(),
        log_steps: args.log_steps,
    })
}

fn schedule(schedule: &network::Schedule) -> Schedule {
    match *schedule {
        network::Schedule::Constant => Schedule::Constant,
        network::Schedule::Cosine { warmup, min } => Schedule::Cosine { warmup, min },
        network::Schedule::Step { every, factor } => Schedule::Step {
            every: every.unsigned_abs(),
            factor,
        },
        network::Schedule::Exponential { rate, every } => Schedule::Exponential { rate, every },
    }
}

/// Fresh parameters, or those of the checkpoint to go on from.
fn start(
    args: &Args,
    console: &Console,
    engine: &Engine<'_>,
    step: &Program,
    options: &mut TrainOptions,
) -> Result<State, Failure> {
    let Some(file) = &args.resume else {
        return step.init(options.seed).map_err(Failure::new);
    };
    let found = checkpoint::load(file, step.manifest()).map_err(Failure::new)?;
    if let Some(metadata) = &found.metadata {
        options.done = Done {
            epochs: metadata.epoch,
            steps: metadata.step,
            begun: metadata.begun,
        };
        let (before, now) = (metadata.epochs, options.epochs);
        if options.schedule.has_an_end() && before != 0 && before != now {
            console.warn(&format!(
                "the learning rate went towards the end of {before} epochs and now goes towards that of {now}"
            ));
        }
        options.seed = args.seed.unwrap_or(metadata.seed);
    }
    State::upload(engine.runtime(), step.manifest(), &found.snapshot).map_err(Failure::new)
}

/// The folder that a training writes to.
struct Output {
    folder: PathBuf,
}

impl Output {
    /// Makes the folder, and finds out before the training whether it can be written.
    fn open(folder: PathBuf) -> Result<Self, Failure> {
        fs::create_dir_all(&folder)
            .and_then(|()| tempfile::tempfile_in(&folder).map(|_| ()))
            .map_err(|error| {
                Failure::new(format!("cannot write to `{}`: {error}", folder.display()))
            })?;
        Ok(Output { folder })
    }

    fn checkpoint(&self) -> PathBuf {
        self.folder.join("checkpoint.safetensors")
    }

    fn metrics(&self) -> PathBuf {
        self.folder.join("metrics.jsonl")
    }

    fn train(
        &self,
        args: &Args,
        console: &Console,
        programs: Programs<'_>,
        state: &mut State,
        data: &Data,
        options: &TrainOptions,
    ) -> Result<History, Failure> {
        let mut metrics = MetricsFile::append(&self.metrics()).map_err(Failure::new)?;
        let header = header(args, &programs, data, options);
        metrics.write(Record::Run(&header)).map_err(Failure::new)?;
        let mut progress = Progress::new(console);
        let result = train(
            programs,
            state,
            data,
            options,
            &mut Surroundings {
                checkpoint: Some(&self.checkpoint()),
                metrics: Some(&mut metrics),
                observer: &mut progress,
                stop: Some(interrupt::listen()),
                version: VERSION,
            },
        );
        progress.end();
        result.map_err(|error| {
            let hint = match error {
                TrainError::NonFiniteLoss { .. }
                | TrainError::NonFiniteGradient { .. }
                | TrainError::NonFiniteParameter { .. } => Some(format!(
                    "a lower learning rate may help: --set train.optimizer.lr={}",
                    options.lr / 10.0
                )),
                TrainError::WarmUp { .. } => {
                    Some("a shorter one: --set train.schedule.warmup=0".to_owned())
                }
                _ => None,
            };
            match hint {
                Some(hint) => Failure::new(error).hint(hint),
                None => Failure::new(error),
            }
        })
    }
}

fn header(args: &Args, programs: &Programs<'_>, data: &Data, options: &TrainOptions) -> RunHeader {
    let manifest = programs.step.manifest();
    let more = [
        ("file", json!(args.net.file.display().to_string())),
        ("data", json!(args.data.display().to_string())),
        ("settings", json!(args.net.choice.set)),
        ("shuffle", json!(options.shuffle)),
        ("schedule", json!(options.schedule)),
        ("pixels", json!(options.preparation.pixels)),
        ("augment", json!(options.preparation.augment.changes)),
        (
            "resumed",
            json!(args.resume.as_ref().map(|file| file.display().to_string())),
        ),
        ("cpu", json!(manifest.cpu)),
        ("gpu", json!(manifest.gpu)),
    ];
    RunHeader {
        version: VERSION.to_owned(),
        net: manifest.net.clone(),
        parameters: manifest.parameter_elements(),
        optimizer: manifest
            .optimizer
            .as_ref()
            .map(|optimizer| optimizer.name.clone()),
        lr: options.lr,
        batch: manifest.batch,
        epochs: options.epochs,
        seed: options.seed,
        train_examples: data.train.len(),
        test_examples: data.test.as_ref().map(|test| test.len()),
        device: programs.step.runtime().name().to_string(),
        more: Map::from_iter(more.map(|(key, value)| (key.to_owned(), value))),
    }
}

fn report(
    args: &Args,
    out: &Output,
    history: &History,
    test: Option<&Evaluation>,
) -> Result<(), Failure> {
    let seconds: f64 = history.epochs.iter().map(|epoch| epoch.seconds).sum();
    let mut steps: Vec<f64> = history
        .epochs
        .iter()
        .map(|epoch| epoch.median_step_ms)
        .collect();
    steps.sort_by(f64::total_cmp);
    let median = steps.get(steps.len() / 2).copied();
    let (checkpoint, metrics) = (out.checkpoint(), out.metrics());
    if args.json {
        return print_json(&json!({
            "test": test, "epochs": history.progress.epochs, "steps": history.progress.steps,
            "seconds": seconds, "median_step_ms": median,
            "checkpoint": checkpoint, "metrics": metrics,
        }));
    }
    let mut text = String::new();
    if let Some(test) = test {
        text.push_str(&super::eval::sentence(test));
    }
    if let Some(median) = median {
        let epochs = history.epochs.len();
        let plural = if epochs == 1 { "" } else { "s" };
        text.push_str(&format!(
            "time: {median:.2} ms per step (median), {seconds:.1} s for {epochs} epoch{plural}\n"
        ));
    }
    text.push_str(&format!("checkpoint: {}\n", checkpoint.display()));
    text.push_str(&format!("metrics: {}\n", metrics.display()));
    print(text.as_bytes())
}
