//! `cnnc predict`: class probabilities of one image.

use std::path::PathBuf;

use cnnc_runtime::checkpoint;
use cnnc_runtime::predict::{ImageOptions, Prediction, load_image, predict, predict_example};
use cnnc_runtime::state::State;
use serde_json::json;

use super::common::console::{print, print_json};
use super::common::engine::EngineArgs;
use super::common::net::NetArgs;
use super::common::{Console, Failure, data};
use super::eval::Half;

/// Classify an image
///
/// The image is a PNG, JPEG or PNM file, or an example of a data set. A file is stretched to the
/// size that the network takes, and becomes grey where the network has one channel. Networks
/// trained on MNIST expect white digits on black.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Examples:\n  cnnc predict model.net --checkpoint a.safetensors digit.png --invert\n  \
                   cnnc predict model.net --checkpoint a.safetensors --data mnist --index 7"
)]
pub struct Args {
    #[command(flatten)]
    net: NetArgs,
    /// The image file
    #[arg(
        value_name = "IMAGE",
        required_unless_present = "data",
        conflicts_with = "data"
    )]
    image: Option<PathBuf>,
    /// The parameters, as `cnnc train` wrote them
    #[arg(long, value_name = "FILE")]
    checkpoint: PathBuf,
    /// A folder with IDX or CIFAR-10 files, or mnist, fashion-mnist or cifar-10
    #[arg(long, value_name = "DIR", requires = "index")]
    data: Option<PathBuf>,
    /// The example of the data set, counted from 0
    #[arg(long, value_name = "I", requires = "data")]
    index: Option<usize>,
    /// Which half of the data
    #[arg(long, value_name = "HALF", value_enum, default_value_t = Half::Test)]
    split: Half,
    /// Turn black to white in the image file, for dark ink on paper
    #[arg(long, conflicts_with = "data")]
    invert: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

pub fn run(args: &Args, console: &Console) -> Result<(), Failure> {
    let unit = args.net.load(console)?;
    let pixels = data::pixels(&unit.network)?;
    let dataset = match &args.data {
        Some(folder) => Some(data::load(folder, args.split.split(), &unit.network)?),
        None => None,
    };
    let engine = args.engine.open(console)?;
    let program = engine.program(&unit, 1, &["forward"])?;
    let manifest = program.manifest();
    let found = checkpoint::load_for_evaluation(&args.checkpoint, manifest);
    let snapshot = found.map_err(Failure::new)?.snapshot;
    let state = State::upload(engine.runtime(), manifest, &snapshot).map_err(Failure::new)?;
    let state = state.averaged(manifest);
    let index = args.index.unwrap_or(0);
    let (prediction, label) = match (&dataset, &args.image) {
        (Some(dataset), _) => {
            let prediction = predict_example(&program, &state, dataset, index, &pixels);
            (prediction, dataset.label(index))
        }
        (None, Some(file)) => {
            let options = ImageOptions {
                invert: args.invert,
            };
            let image = load_image(file, manifest.image_shape(), options).map_err(Failure::new)?;
            (predict(&program, &state, &image, &pixels), None)
        }
        (None, None) => return Err(Failure::usage("an image file or --data is needed")),
    };
    let prediction = prediction.map_err(Failure::new)?;
    if args.json {
        return print_json(&json!({
            "class": prediction.class, "probabilities": prediction.probabilities, "label": label,
        }));
    }
    print(table(&prediction, label).as_bytes())
}

/// The classes, most probable first.
fn table(prediction: &Prediction, label: Option<u8>) -> String {
    let mut classes: Vec<(usize, f64)> = prediction
        .probabilities
        .iter()
        .copied()
        .enumerate()
        .collect();
    classes.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let mut text = String::from("class  probability\n");
    for (class, probability) in classes {
        let mark = if label.map(usize::from) == Some(class) {
            "  label"
        } else {
            ""
        };
        text.push_str(&format!("{class:>5}  {probability:>11.6}{mark}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_probable_class_comes_first() {
        let prediction = Prediction {
            class: 1,
            probabilities: vec![0.25, 0.5, 0.25],
        };
        let expected = "class  probability\n    1     0.500000\n    0     0.250000\n    \
                        2     0.250000  label\n";
        assert_eq!(table(&prediction, Some(2)), expected);
    }
}
