//! `cnnc bench-step`: milliseconds per training step, on request.

use std::io::BufRead;
use std::time::Instant;

use cnnc_runtime::manifest::Manifest;
use serde_json::json;

use super::common::console::{print, print_json};
use super::common::engine::EngineArgs;
use super::common::net::NetArgs;
use super::common::{Console, Failure};

/// Batches that take turns, so that none stays in a cache.
const BATCHES: u64 = 8;
/// Of this many pixels one is not black, as in MNIST.
const SPARSITY: u64 = 5;

/// Time training steps
///
/// For each line on stdin, runs K training steps on random examples and answers with the
/// milliseconds per step: the batch to the device, the step, the loss back. Ends with stdin.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Examples:\n  echo | cnnc bench-step model.net --steps 20\n  \
                   yes | head -n 5 | cnnc bench-step model.net --steps 20 --json"
)]
pub struct Args {
    #[command(flatten)]
    net: NetArgs,
    /// Steps per line
    #[arg(long, value_name = "K", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    steps: u32,
    /// Answer with JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

pub fn run(args: &Args, console: &Console) -> Result<(), Failure> {
    let unit = args.net.load(console)?;
    let lr = unit.network.train.optimizer.lr();
    let engine = args.engine.open(console)?;
    let functions = ["init", "train_step"];
    let program = engine.program(&unit, unit.network.train.batch, &functions)?;
    let mut state = program
        .init(unit.network.train.seed)
        .map_err(Failure::new)?;
    let batches: Vec<Batch> = (0..BATCHES)
        .map(|i| Batch::random(program.manifest(), i))
        .collect();
    let mut turns = batches.iter().cycle();
    for line in std::io::stdin().lock().lines() {
        line.map_err(|error| Failure::new(format!("cannot read stdin: {error}")))?;
        let mut loss = 0.0;
        let start = Instant::now();
        for batch in turns.by_ref().take(args.steps as usize) {
            let output =
                program.train_step(&mut state, &batch.image, &batch.label, lr as f32, true);
            loss = output.map_err(Failure::new)?.loss;
        }
        let ms = start.elapsed().as_secs_f64() * 1e3 / f64::from(args.steps);
        if !loss.is_finite() {
            return Err(Failure::new(format!(
                "the loss is {loss}; its steps are no measure"
            )));
        }
        match args.json {
            true => print_json(&json!({"ms_per_step": ms, "loss": loss}))?,
            false => print(format!("{ms:.3} ms per step, loss {loss:.4}\n").as_bytes())?,
        }
    }
    Ok(())
}

struct Batch {
    image: Vec<f32>,
    label: Vec<i32>,
}

impl Batch {
    /// The same for the same seed.
    fn random(manifest: &Manifest, seed: u64) -> Self {
        let mut state = seed << 32;
        let mut draw = move || {
            state += 1;
            hash(state)
        };
        let pixels = manifest.batch * manifest.image_elements();
        let pixel = |bits: u64| match bits % SPARSITY {
            0 => (bits >> 56) as f32 / 255.0,
            _ => 0.0,
        };
        let classes = manifest.classes.max(1) as u64;
        Batch {
            image: (0..pixels).map(|_| pixel(draw())).collect(),
            label: (0..manifest.batch * manifest.labels_per_example())
                .map(|_| (draw() % classes) as i32)
                .collect(),
        }
    }
}

/// The finaliser of SplitMix64.
fn hash(value: u64) -> u64 {
    let mut z = value.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
