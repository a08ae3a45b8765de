//! From a file to the network of one of its nets.

use super::codes::{names, shapes, train};
use super::expander::{Definition, Expander};
use super::graph::{Network, TensorId, TrainConfig};
use super::overrides::Overrides;
use super::size::{MOST_OF_ALL, MOST_OF_ONE, product};
use super::value::show_shape;
use cnnc_grammar::ast::{self, File, Item};
use cnnc_grammar::{Diagnostic, Span};

/// What the caller chooses.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The net; the last one of the file where it is None.
    pub net: Option<String>,
    /// Keys and values of `--set`, such as `("train.optimizer.lr", "0.01")`, or a
    /// hyper-parameter of the net. Of equal keys the last holds.
    pub overrides: Vec<(String, String)>,
}

/// The network of the chosen net of `file`.
///
/// # Errors
/// All independent errors of the net, the `train` section and the overrides, in
/// order of place. What follows from a refused layer is not reported.
pub fn build(file: &File, options: &Options) -> Result<Network, Vec<Diagnostic>> {
    let mut expander = Expander::default();
    expander.note_definitions(file);
    let overrides = Overrides::read(&options.overrides, file.span.end, &mut expander.errors);
    expander.refuse_imports(file);
    let net = expander.choose_net(file, options.net.as_deref());
    let section = expander.train_section(file);
    // The train section is read first, while no name is in sight.
    let section = expander.train(section, &overrides);
    let mut output = None;
    if let Some(net) = net {
        expander.check_keys(net, &overrides);
        expander.refuse_unsupported(&net.body);
        expander.hypers(&net.hypers, &overrides.hypers);
        expander.look_ahead(&net.hypers, &net.body);
        output = expander.body(&net.body);
        expander.report_unused(&net.body);
        if let (Some(output), Some(section)) = (output, &section) {
            expander.check_output(output, &section.config);
            expander.check_totals(net.name.span, &section.config);
        }
        if let Some((normalize, place)) = section
            .as_ref()
            .and_then(|section| section.config.normalize.as_ref().zip(section.normalize))
        {
            expander.check_normalize(normalize, place);
        }
    }
    match (net, output, section) {
        (Some(net), Some(output), Some(section)) if expander.errors.is_empty() => Ok(Network {
            name: net.name.text.clone(),
            inputs: expander.inputs,
            parameters: expander.parameters,
            buffers: expander.buffers,
            tensors: expander.tensors,
            layers: expander.layers,
            output,
            train: section.config,
        }),
        _ => {
            let mut errors = overrides.without_virtual_places(expander.errors);
            errors.sort_by_key(|error| error.span().map(|span| span.start));
            Err(errors)
        }
    }
}

impl Expander {
    fn note_definitions(&mut self, file: &File) {
        for item in &file.items {
            let (definition, kind) = match item {
                Item::Block(block) => (block, Definition::Block(block.name.span)),
                Item::Net(net) => (net, Definition::Net(net.name.span)),
                Item::Import(_) | Item::Train(_) => continue,
            };
            let name = &definition.name;
            if super::ops::find(&name.text).is_some() {
                self.report(Diagnostic::new(
                    names::DUPLICATE_NAME,
                    format!("`{}` is an op already", name.text),
                    name.span,
                    "take another name",
                ));
                continue;
            }
            let before = self.definitions.insert(name.text.clone(), kind);
            if let Some(Definition::Block(first) | Definition::Net(first)) = before {
                self.report(
                    Diagnostic::new(
                        names::DUPLICATE_NAME,
                        format!("`{}` is defined twice", name.text),
                        name.span,
                        "defined again",
                    )
                    .with_place(first, "defined first"),
                );
            }
        }
    }

    fn choose_net<'a>(
        &mut self,
        file: &'a File,
        wanted: Option<&str>,
    ) -> Option<&'a ast::Definition> {
        let nets: Vec<&ast::Definition> = file
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Net(net) => Some(net),
                _ => None,
            })
            .collect();
        let Some(last) = nets.last() else {
            self.report(
                Diagnostic::new(
                    names::NO_NET,
                    "no layers: the file has no `net`",
                    Span::new(file.span.end, file.span.end),
                    "expected `net name { ... }`",
                )
                .with_hint(
                    "the shortest net is `net a { input image: f32[N, 1, 28, 28]; image |> flatten |> dense(10) }`",
                ),
            );
            return None;
        };
        let Some(wanted) = wanted else {
            return Some(last);
        };
        let found = nets.iter().find(|net| net.name.text == wanted);
        if found.is_none() {
            let known: Vec<&str> = nets.iter().map(|net| net.name.text.as_str()).collect();
            let error = Diagnostic::without_place(
                names::NO_SUCH_NET,
                format!("the file has no net `{wanted}`"),
            )
            .with_nearest(wanted, known.iter().copied())
            .with_note(format!("its nets are `{}`", known.join("`, `")));
            self.report(error);
        }
        found.copied()
    }

    fn train_section<'a>(&mut self, file: &'a File) -> Option<&'a ast::Train> {
        let mut sections = file.items.iter().filter_map(|item| match item {
            Item::Train(train) => Some(train),
            _ => None,
        });
        let first = sections.next();
        for again in sections {
            let start = again.span.start;
            let word = |start| Span::new(start, start + "train".len());
            let error = Diagnostic::new(
                train::SET_TWICE,
                "the file has two `train` sections",
                word(start),
                "again",
            );
            self.report(match first {
                Some(first) => error.with_place(word(first.span.start), "first"),
                None => error,
            });
        }
        first
    }

    fn check_keys(&mut self, net: &ast::Definition, overrides: &Overrides) {
        for (key, value) in &overrides.hypers {
            let known: Vec<&str> = net
                .hypers
                .iter()
                .map(|hyper| hyper.name.text.as_str())
                .collect();
            if known.contains(&key.as_str()) {
                continue;
            }
            let error = Diagnostic::new(
                train::UNKNOWN_KEY,
                format!("`{}` has no hyper-parameter `{key}`", net.name.text),
                value.span,
                "",
            )
            .with_nearest(key, known.iter().copied());
            self.report(if known.is_empty() {
                error.with_note(format!("`{}` has no hyper-parameters", net.name.text))
            } else {
                error.with_note(format!("it has `{}`", known.join("`, `")))
            });
        }
    }

    fn check_output(&mut self, output: TensorId, config: &TrainConfig) {
        let Some(tensor) = self.tensor(output) else {
            return;
        };
        let image = self
            .inputs
            .first()
            .and_then(|input| self.tensor(input.tensor));
        let pixels = image.and_then(|image| image.shape.get(1..)).unwrap_or(&[]);
        let each_pixel = tensor.shape.len() == 3 && tensor.shape.get(1..) == Some(pixels);
        if tensor.shape.len() == 1 || each_pixel {
            return;
        }
        let needs = match pixels {
            [height, width] => format!(" or f32[N, classes, {height}, {width}]"),
            _ => String::new(),
        };
        let error = Diagnostic::new(
            shapes::OUTPUT_RANK,
            format!(
                "`{}` cannot compare {} with labels",
                config.loss.name(),
                show_shape(&tensor.shape)
            ),
            tensor.span,
            format!("needs f32[N, classes]{needs}"),
        )
        .with_hint("end with `|> flatten |> dense(classes)`");
        self.report(error);
    }

    /// The limits of a whole batch and of the whole net.
    fn check_totals(&mut self, place: Span, config: &TrainConfig) {
        let batch = config.batch;
        let mut sum = Some(0_i64);
        let mut large = None;
        for tensor in &self.tensors {
            let size = product(tensor.shape.iter().copied().chain([batch]));
            if size.is_none_or(|size| size > MOST_OF_ONE) && large.is_none() {
                large = Some(tensor);
            }
            sum = sum.zip(size).and_then(|(sum, size)| sum.checked_add(size));
        }
        if let Some(tensor) = large {
            let error = Diagnostic::new(
                shapes::TOO_LARGE,
                format!("a batch of {batch} is too large for this tensor"),
                tensor.span,
                format!("{} with N = {batch}", show_shape(&tensor.shape)),
            )
            .with_hint("choose a smaller `batch`")
            .with_note(format!("the limit is {MOST_OF_ONE} numbers"));
            self.report(error);
            return;
        }
        for parameter in &self.parameters {
            let size = product(parameter.shape.iter().copied());
            sum = sum.zip(size).and_then(|(sum, size)| sum.checked_add(size));
        }
        let work = self
            .layers
            .iter()
            .try_fold(0_i64, |sum, layer| sum.checked_add(layer.multiply_adds));
        if work.is_none() || sum.is_none_or(|sum| sum > MOST_OF_ALL) {
            self.report(
                Diagnostic::new(
                    shapes::TOO_LARGE,
                    "this net is too large",
                    place,
                    format!("with a batch of {batch}"),
                )
                .with_note(format!(
                    "its parameters and tensors may have {MOST_OF_ALL} numbers together"
                )),
            );
        }
    }
}
