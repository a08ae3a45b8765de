//! The cases of `goldens/layers.json`: ops of the language, each as a net of its
//! own, lowered as every net is.
//!
//! `bench/goldens.py` computes their values and gradients with PyTorch and
//! JAX in f64 and writes what each field means into the file.

use super::ops::{Array, Case, read};
use cnnc::lower::{Mode, Source, forward};
use cnnc::network::{Files, Network, Options, build};
use serde_json::Value as Json;

/// The golden file.
const TEXT: &str = include_str!("../goldens/layers.json");

/// Every case of the file; its arguments are the parameters, the buffers and
/// the image.
pub fn cases() -> Vec<Case> {
    read(TEXT, layer)
}

/// The ops that the cases apply.
pub fn bodies() -> Vec<String> {
    let file: Json = serde_json::from_str(TEXT).expect("JSON");
    let cases = file["cases"].as_array().expect("cases").iter();
    let body = |case: &Json| case["attrs"]["body"].as_str().expect("a body").to_owned();
    cases.map(body).collect()
}

/// The function of a case, and the shapes that its arguments have in the net.
fn layer(op: &str, attrs: &Json, inputs: &mut [Array]) -> cnnc::stablehlo::Function {
    assert_eq!(op, "layer");
    let body = attrs["body"].as_str().expect("a body");
    let mode = match attrs["training"].as_bool() {
        Some(true) => Mode::Training,
        _ => Mode::Evaluation,
    };
    let x = inputs.last_mut().expect("an input");
    let batch = x.shape[0];
    let (image, start) = as_image(&x.shape);
    x.shape = [&[batch], &image[..]].concat();
    let network = network(&format!(
        "net layer {{ input image: f32[N, {}, {}, {}];
         let x = image |> {start};
         {body} |> flatten }}",
        image[0], image[1], image[2]
    ));
    forward(&network, batch, mode, &Source::new("layer.net", "")).expect("lowered")
}

/// The image that holds a value of this shape, and how it is taken out.
fn as_image(shape: &[i64]) -> ([i64; 3], String) {
    match *shape {
        [_, features] => ([features, 1, 1], "flatten".to_owned()),
        [_, tokens, channels] => (
            [tokens, channels, 1],
            format!("reshape({tokens}, {channels})"),
        ),
        [_, channels, height, width] => ([channels, height, width], "identity".to_owned()),
        _ => panic!("no net takes {shape:?}"),
    }
}

/// The network of a text without errors.
pub fn network(text: &str) -> Network {
    let files = Files::alone("layer.net", text);
    let files = files.unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
    let network = build(&files, &Options::default());
    network.unwrap_or_else(|errors| panic!("{text}\n{errors:?}"))
}
