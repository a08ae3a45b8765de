//! Tests of the whole stage; small pieces have theirs beside them.

mod errors;
mod explanations;
mod graphs;
mod overrides;
mod printing;
mod random;
mod shapes;

use super::{Network, Options, build};
use cnnc_grammar::{Diagnostic, diagnostics, parse};

/// The network of `source`, or its errors.
fn network(source: &str, options: &Options) -> Result<Network, Vec<Diagnostic>> {
    parse(source).and_then(|file| build(&file, options))
}

/// The network of a source without errors.
fn good(source: &str) -> Network {
    match network(source, &Options::default()) {
        Ok(network) => network,
        Err(errors) => panic!("{source}\n{}", rendered(source, &errors)),
    }
}

/// The codes of a source with errors, in order of place.
fn codes(source: &str) -> Vec<&'static str> {
    match network(source, &Options::default()) {
        Ok(network) => panic!("no error in\n{source}\nwhich gives {network:?}"),
        Err(errors) => errors.iter().map(|error| error.code.name).collect(),
    }
}

fn rendered(source: &str, errors: &[Diagnostic]) -> String {
    diagnostics::render(errors, "model.net", source, false)
}

/// A net on `f32[N, SHAPE]` called `x` that ends in `flatten |> dense(10)`.
fn net(shape: &str, body: &str) -> String {
    format!("net a {{\n    input x: f32[N, {shape}];\n    {body} |> flatten |> dense(10)\n}}\n")
}

/// The output shape of the first layer of a net on an image.
fn first_shape(shape: &str, op: &str) -> Vec<i64> {
    let network = good(&net(shape, &format!("x |> {op}")));
    network.tensor(network.layers[0].output).shape.clone()
}
