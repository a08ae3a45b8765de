//! Class probabilities of single images.

use std::path::{Path, PathBuf};

use image::imageops::FilterType;
use image::{DynamicImage, ImageReader};
use serde::Serialize;
use thiserror::Error;

use crate::data::{DataError, Dataset, Pixels};
use crate::program::{Program, ProgramError};
use crate::state::State;

/// What the network says of one image.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Prediction {
    /// The class of the greatest probability; the first one where several are equal.
    pub class: usize,
    /// One probability per class. They add up to 1, but those of several classes by binary
    /// cross-entropy, each of which is true or not for itself, and those of mean squared error,
    /// which are the outputs as they are.
    pub probabilities: Vec<f64>,
}

/// Why an image cannot be classified.
#[derive(Debug, Error)]
pub enum PredictError {
    /// The file cannot be read.
    #[error("{}: {source}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The file is no PNG, JPEG or PNM image, or a damaged one.
    #[error("{}: {source}", file.display())]
    Image {
        /// The file.
        file: PathBuf,
        /// The decoder's error.
        source: image::ImageError,
    },
    /// Images have one channel (grey) or three (red, green, blue).
    #[error("the network takes images of {channels} channels; an image file gives 1 or 3")]
    Channels {
        /// Of the network.
        channels: usize,
    },
    /// There is no such example.
    #[error("example {index}: {} holds {count}, counted from 0", file.display())]
    Index {
        /// As asked for.
        index: usize,
        /// The file of the images.
        file: PathBuf,
        /// Number of examples.
        count: usize,
    },
    /// The network says something of each pixel.
    #[error(
        "the network labels each pixel; images can be classified by a network with one label per image"
    )]
    EachPixel,
    /// The network's output is NaN or infinite.
    #[error("the network's output for class {class} is {value}")]
    NonFinite {
        /// The first such class.
        class: usize,
        /// Its logit.
        value: f32,
    },
    /// The data set does not fit the program.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The program failed.
    #[error(transparent)]
    Program(#[from] ProgramError),
}

/// How an image file becomes the network's input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImageOptions {
    /// Turn black to white. MNIST's digits are white on black; dark ink on paper needs this.
    pub invert: bool,
}

/// Reads a PNG, JPEG or PNM file as bytes in [channels, height, width].
///
/// Colours become grey where the network has one channel. Transparent parts are laid over black.
/// An image of another size is stretched to the network's. Nothing is inverted or centred unless
/// asked for.
///
/// # Errors
/// [`PredictError`] when the file is no image.
pub fn load_image(
    file: &Path,
    [channels, height, width]: [usize; 3],
    options: ImageOptions,
) -> Result<Vec<u8>, PredictError> {
    let io = |source| PredictError::Io {
        file: file.into(),
        source,
    };
    let reader = ImageReader::open(file).map_err(io)?;
    let reader = reader.with_guessed_format().map_err(io)?;
    let image = reader.decode().map_err(|source| match source {
        image::ImageError::IoError(source) => io(source),
        source => PredictError::Image {
            file: file.into(),
            source,
        },
    })?;
    let mut image = over_black(&image);
    let size = |size: usize| u32::try_from(size).unwrap_or(u32::MAX);
    let (width, height) = (size(width), size(height));
    if (image.width(), image.height()) != (width, height) {
        image = image.resize_exact(width, height, FilterType::Triangle);
    }
    if options.invert {
        image.invert();
    }
    match channels {
        1 => Ok(image.to_luma8().into_raw()),
        3 => {
            let interleaved = image.to_rgb8().into_raw();
            let plane = |channel| interleaved.iter().skip(channel).step_by(3).copied();
            Ok((0..3).flat_map(plane).collect())
        }
        channels => Err(PredictError::Channels { channels }),
    }
}

fn over_black(image: &DynamicImage) -> DynamicImage {
    if !image.color().has_alpha() {
        return image.clone();
    }
    let mut image = image.to_rgba8();
    for image::Rgba([red, green, blue, alpha]) in image.pixels_mut() {
        for value in [red, green, blue] {
            // A product of two bytes over 255 is a byte again.
            *value = ((u32::from(*value) * u32::from(*alpha) + 127) / 255) as u8;
        }
        *alpha = u8::MAX;
    }
    image.into()
}

/// Classifies one image, given as bytes in [channels, height, width].
///
/// # Errors
/// [`PredictError`] when the size is wrong, the program fails or its output is not finite.
pub fn predict(
    program: &Program,
    state: &State,
    image: &[u8],
    pixels: &Pixels,
) -> Result<Prediction, PredictError> {
    let manifest = program.manifest();
    let expected = manifest.image_elements();
    if image.len() != expected {
        return Err(PredictError::Program(ProgramError::Argument {
            argument: "image",
            found: image.len(),
            expected,
        }));
    }
    if !manifest.label_shape().is_empty() {
        return Err(PredictError::EachPixel);
    }
    let [channels, ..] = manifest.image_shape();
    let size = expected * manifest.batch;
    let mut values = Vec::with_capacity(size);
    pixels.check(channels)?;
    pixels.extend(&mut values, image, channels);
    values.resize(size, 0.0);
    let mut logits = program.forward(state, &values)?;
    logits.truncate(manifest.logits.iter().skip(1).product());
    prediction(&logits, manifest.loss.as_deref())
}

/// Classifies one example of a data set.
///
/// # Errors
/// As [`predict`], and [`PredictError::Index`] when there is no such example.
pub fn predict_example(
    program: &Program,
    state: &State,
    dataset: &Dataset,
    index: usize,
    pixels: &Pixels,
) -> Result<Prediction, PredictError> {
    let manifest = program.manifest();
    dataset.check(&manifest.needs())?;
    let image = dataset.image(index).ok_or_else(|| PredictError::Index {
        index,
        file: dataset.images_path().into(),
        count: dataset.len(),
    })?;
    predict(program, state, image, pixels)
}

/// From the outputs of one example to probabilities, as the loss understands them.
fn prediction(outputs: &[f32], loss: Option<&str>) -> Result<Prediction, PredictError> {
    if let Some(class) = outputs.iter().position(|output| !output.is_finite()) {
        return Err(PredictError::NonFinite {
            class,
            value: outputs.get(class).copied().unwrap_or(f32::NAN),
        });
    }
    let outputs: Vec<f64> = outputs.iter().map(|&z| f64::from(z)).collect();
    let probabilities = match loss {
        Some("binary_cross_entropy") => {
            both(outputs.iter().map(|z| 1.0 / (1.0 + (-z).exp())).collect())
        }
        Some("mean_squared_error") => both(outputs),
        _ => softmax(&outputs),
    };
    let (mut class, mut greatest) = (0, f64::NEG_INFINITY);
    for (index, &probability) in probabilities.iter().enumerate() {
        if probability > greatest {
            (class, greatest) = (index, probability);
        }
    }
    Ok(Prediction {
        class,
        probabilities,
    })
}

/// The probability of the other class, where there is one number for two.
fn both(probabilities: Vec<f64>) -> Vec<f64> {
    match probabilities.as_slice() {
        [one] => vec![1.0 - one, *one],
        _ => probabilities,
    }
}

fn softmax(logits: &[f64]) -> Vec<f64> {
    let greatest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let exponentials: Vec<f64> = logits.iter().map(|z| (z - greatest).exp()).collect();
    let total: f64 = exponentials.iter().sum();
    exponentials
        .into_iter()
        .map(|value| value / total)
        .collect()
}

#[cfg(test)]
mod tests;
