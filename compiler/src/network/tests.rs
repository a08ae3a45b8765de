//! Tests of the whole stage; small pieces have theirs beside them.

mod bad_input;
mod blocks;
mod errors;
mod expansion_errors;
mod explanations;
mod graphs;
mod imports;
mod op_errors;
mod ops;
mod overrides;
mod params;
mod printing;
mod random;
mod random_blocks;
mod reference;
mod shapes;
mod zoo;

use super::{Files, Network, Options, SourceErrors, build};
use cnnc_grammar::{Diagnostic, diagnostics};

/// The network of `source`, or its errors.
fn network(source: &str, options: &Options) -> Result<Network, Vec<Diagnostic>> {
    with_files(source, &[], options).map_err(|errors| errors.diagnostics)
}

/// The network of `source`, which may import `others`.
fn with_files(
    source: &str,
    others: &[(&str, &str)],
    options: &Options,
) -> Result<Network, SourceErrors> {
    let files = Files::load("model.net", source, &|path| {
        let found = others.iter().find(|(name, _)| *name == path);
        let found = found.map(|(_, text)| text.to_string());
        found.ok_or_else(|| "No such file or directory (os error 2)".to_string())
    })?;
    build(&files, options).map_err(|diagnostics| SourceErrors {
        sources: files.sources.clone(),
        diagnostics,
    })
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
