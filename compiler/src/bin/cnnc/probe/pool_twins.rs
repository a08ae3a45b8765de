//! `cnnc probe pool-twins`: the ties in the max-pools.

use std::path::PathBuf;

use cnnc::certify::twins::{Pool, Reader, Reading, Scene, Twins, picture};
use cnnc_runtime::data::Dataset;

use super::activations::{Activations, Seen};
use super::found::Found;
use super::recheck::Recheck;
use crate::common::console::{print, print_json};
use crate::common::engine::EngineArgs;
use crate::common::net::NetArgs;
use crate::common::output::{self, Destination};
use crate::common::{Console, Failure, data};
use crate::eval::Half;

/// Images whose ties are looked at again in exact arithmetic; each takes a second or so.
const MOST_RECHECKS: usize = 32;

/// Ties in max-pools: between twins, which do no harm, or otherwise
///
/// A window is dead (nothing above 0 behind a relu), has one maximum, is tied between twins (cells
/// that are the same function of the parameters, as their patches of the image are equal), or is
/// tied otherwise. Values tie where they are equal as f32; twins are told by the image alone. Ties
/// of the last kind are looked at again in exact arithmetic, where rounding cannot have made them.
/// Without a checkpoint the parameters are drawn, biases between -0.1 and 0.1.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Examples:\n  cnnc probe pool-twins model.net --data mnist --checkpoint a.safetensors\n  \
                   cnnc probe pool-twins model.net --data mnist --limit 1 --index 7 --picture 7.svg"
)]
pub struct Args {
    #[command(flatten)]
    net: NetArgs,
    /// A folder with IDX or CIFAR-10 files, or mnist, fashion-mnist or cifar-10
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Which half of the data
    #[arg(long, value_name = "HALF", value_enum, default_value_t = Half::Test)]
    split: Half,
    /// The parameters, as `cnnc train` wrote them
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Seed of the parameters where there is no checkpoint; the file's by default
    #[arg(long, value_name = "N", conflicts_with = "checkpoint")]
    seed: Option<u64>,
    /// Look at the first N images only
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// Draw the windows of one image as SVG, or - for stdout
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// The image to draw, counted from 0
    #[arg(long, value_name = "I", requires = "picture", default_value_t = 0)]
    index: usize,
    /// The max-pool to draw, counted from 0
    #[arg(long, value_name = "K", requires = "picture", default_value_t = 0)]
    pool: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// With --json: every image, too
    #[arg(long, requires = "json")]
    each: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

pub fn run(args: &Args, console: &Console) -> Result<(), Failure> {
    let unit = args.net.load(console)?;
    let mut probe = Probe::new(Twins::new(&unit.network))?;
    let destination = destination(args, &probe.pools)?;
    let dataset = data::load(&args.data, args.split.split(), &unit.network)?;
    if args.picture.is_some() && args.index >= dataset.len() {
        let (index, count) = (args.index, dataset.len());
        let message = format!("there is no image {index}: the data set has {count}");
        return Err(Failure::usage(message));
    }
    let engine = args.engine.open(console)?;
    let (file, seed) = (args.checkpoint.as_deref(), args.seed);
    let seed = seed.unwrap_or(unit.network.train.seed);
    let activations = Activations::new(&engine, &unit, &probe.pools, file, seed)?;
    let limit = args.limit.map_or(usize::MAX, |limit| {
        usize::try_from(limit).unwrap_or(usize::MAX)
    });
    let indices: Vec<usize> = (0..dataset.len().min(limit)).collect();
    let mut found = Found::new(&probe.pools);
    activations.each(&dataset, &indices, |seen| {
        let readings = probe.read(&seen)?;
        found.add(&dataset, seen.index, &readings, args.each);
        Ok(())
    })?;
    let ties: Vec<usize> = found.otherwise().take(MOST_RECHECKS).collect();
    if !ties.is_empty() {
        let recheck = Recheck::new(&unit, &activations.snapshot)?;
        activations.each(&dataset, &ties, |seen| {
            found.rechecked.push(recheck.image(seen.index, seen.image)?);
            Ok(())
        })?;
    }
    if let Some(destination) = destination {
        let title = format!("{}, image {}", unit.network.name, args.index);
        let svg = draw(args, &title, &activations, &mut probe, &dataset)?;
        output::write(&[(destination, svg.into_bytes())])?;
    }
    let places: Vec<String> = activations
        .locations
        .iter()
        .map(ToString::to_string)
        .collect();
    if args.json {
        return print_json(&found.json(&probe.pools, &places));
    }
    print(found.text(&probe.pools, &places).as_bytes())
}

/// The picture of the image that `args` choose.
fn draw(
    args: &Args,
    title: &str,
    activations: &Activations,
    probe: &mut Probe<'_>,
    dataset: &Dataset,
) -> Result<String, Failure> {
    let label = dataset.label(args.index).unwrap_or(0);
    let title = format!("{title} of {}, labelled {label}", half(args.split));
    let scene = Scene {
        title: &title,
        shape: dataset.image_shape(),
        image: dataset.image(args.index).unwrap_or(&[]),
    };
    let mut svg = String::new();
    activations.each(dataset, &[args.index], |seen| {
        let readings = probe.read(&seen)?;
        let chosen = (probe.pools.get(args.pool), readings.get(args.pool));
        if let (Some(pool), Some(reading)) = chosen {
            svg = picture(pool, reading, &scene);
        }
        Ok(())
    })?;
    Ok(svg)
}

fn half(half: Half) -> &'static str {
    match half {
        Half::Train => "the training half",
        Half::Test => "the test half",
    }
}

/// Where the picture goes, if there is to be one.
fn destination(args: &Args, pools: &[Pool]) -> Result<Option<Destination>, Failure> {
    let Some(path) = &args.picture else {
        return Ok(None);
    };
    if args.pool >= pools.len() {
        let (pool, count) = (args.pool, pools.len());
        let message = format!("there is no max_pool {pool}: the network has {count}");
        return Err(Failure::usage(message));
    }
    if path.extension().is_some_and(|extension| extension != "svg") {
        let message = format!("`{}`: pictures are SVG", path.display());
        let svg = path.with_extension("svg");
        return Err(Failure::usage(message).hint(format!("--picture {}", svg.display())));
    }
    let destination = Destination::new(path.clone());
    destination.probe()?;
    Ok(Some(destination))
}

/// Reads the windows of image after image.
struct Probe<'n> {
    twins: Twins<'n>,
    pools: Vec<Pool>,
}

impl<'n> Probe<'n> {
    fn new(twins: Twins<'n>) -> Result<Self, Failure> {
        let pools = twins.pools().to_vec();
        match pools.is_empty() {
            true => Err(Failure::new("the network has no max_pool")),
            false => Ok(Probe { twins, pools }),
        }
    }

    fn read(&mut self, seen: &Seen<'_>) -> Result<Vec<Reading>, Failure> {
        let classes = self.twins.classes(seen.image);
        let mut cells = seen.cells;
        let mut readings = Vec::with_capacity(self.pools.len());
        for (pool, classes) in self.pools.iter().zip(classes) {
            let (own, rest) = cells.split_at(pool.cells().min(cells.len()));
            cells = rest;
            let Some(classes) = classes else {
                let message = format!("`{}` does not slide over an image", pool.name);
                return Err(Failure::new(message));
            };
            readings.push(Reader::new(pool).read(&classes, own));
        }
        Ok(readings)
    }
}
