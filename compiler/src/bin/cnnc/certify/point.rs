//! The data point of a certificate.

use std::path::Path;

use cnnc::certify::point::{Draw, draw};
use cnnc::certify::{Random, Subject, Values};
use cnnc::driver::{Unit, manifest_json};
use cnnc::iree::Target;
use cnnc::lower::{LABEL, LOSS};
use cnnc::reference::Tensor;
use cnnc_runtime::checkpoint;
use cnnc_runtime::manifest::Manifest;

use super::Args;
use crate::common::{Failure, data};

/// Real values for the arguments of `@loss`: parameters from the checkpoint,
/// images and labels from the data set, whatever is not given at random.
pub fn values(args: &Args, unit: &Unit, subject: &Subject) -> Result<Values<f64>, Failure> {
    let mut random = Random::new(args.seed ^ 0x706f_696e_7400);
    let drawn = draw(subject, &[LOSS], Draw::Real, &mut random);
    let mut values = drawn.map_err(Failure::new)?;
    if let Some(path) = &args.checkpoint {
        parameters(path, subject, &mut values)?;
    }
    if let Some(folder) = &args.data {
        examples(args, folder, unit, &mut values)?;
    }
    Ok(values)
}

fn parameters(path: &Path, subject: &Subject, values: &mut Values<f64>) -> Result<(), Failure> {
    let text = manifest_json(subject.module(), Target::Cpu, None);
    let manifest = Manifest::parse(&text).map_err(Failure::new)?;
    let found = checkpoint::load_for_evaluation(path, &manifest).map_err(Failure::new)?;
    for tensor in &found.snapshot.parameters {
        let numbers = tensor.elements.as_f32().unwrap_or_default();
        if let Some(value) = values.get_mut(&tensor.name) {
            let numbers = numbers.iter().map(|&n| f64::from(n)).collect();
            let given = Tensor::numbers(value.ty().clone(), numbers);
            *value = given.map_err(Failure::new)?;
        }
    }
    Ok(())
}

fn examples(
    args: &Args,
    folder: &Path,
    unit: &Unit,
    values: &mut Values<f64>,
) -> Result<(), Failure> {
    let dataset = data::load(folder, args.split.split(), &unit.network)?;
    let pixels = data::pixels(&unit.network)?;
    let Some(input) = unit.network.inputs.first() else {
        return Err(Failure::new("the network takes no image"));
    };
    let (Some(image), Some(label)) = (values.get(&input.name), values.get(LABEL)) else {
        return Err(Failure::new("the module takes no image or no label"));
    };
    let (image, label) = (image.ty().clone(), label.ty().clone());
    let count = label.shape.first().copied().unwrap_or(0);
    let count = usize::try_from(count).unwrap_or(0);
    let [channels, ..] = dataset.image_shape();
    let (mut floats, mut classes) = (Vec::new(), Vec::new());
    for index in args.first..args.first.saturating_add(count) {
        let (Some(bytes), Some(labels)) = (dataset.image(index), dataset.labels(index)) else {
            let len = dataset.len();
            let message =
                format!("the data set has {len} examples; example {index} is not among them");
            return Err(Failure::new(message));
        };
        pixels.extend(&mut floats, bytes, channels);
        classes.extend(labels.iter().map(|&label| i64::from(label)));
    }
    let numbers = floats.into_iter().map(f64::from).collect();
    let images = Tensor::numbers(image, numbers).map_err(Failure::new)?;
    let labels = Tensor::integers(label, classes).map_err(Failure::new)?;
    values.insert(input.name.clone(), images);
    values.insert(LABEL.to_owned(), labels);
    Ok(())
}
