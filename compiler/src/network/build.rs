//! From files to the network of one of their nets.

use super::block::inputs;
use super::check::check;
use super::codes::{names, options, shapes, train};
use super::definitions::Definitions;
use super::expander::Expander;
use super::files::Files;
use super::graph::{Network, TensorId, TrainConfig};
use super::overrides::Overrides;
use super::size::{MOST_OF_ALL, MOST_OF_ONE, product};
use super::value::show_shape;
use cnnc_grammar::ast::{self, Call, Expr, File, Item};
use cnnc_grammar::{Diagnostic, Span};
use std::collections::BTreeMap;

/// What the caller chooses.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The net, perhaps with hyper-parameters as in `resnet18(classes=10)`; the
    /// last one of the file where it is None.
    pub net: Option<String>,
    /// Keys and values of `--set`, such as `("train.optimizer.lr", "0.01")`, or a
    /// hyper-parameter of the net. Of equal keys the last holds.
    pub overrides: Vec<(String, String)>,
}

/// The network of the chosen net of the first of `files`.
///
/// # Errors
/// All independent errors of names in all files, of the net, the `train` section
/// and the overrides, in order of place. What follows from a refused layer is not
/// reported.
pub fn build(files: &Files, options: &Options) -> Result<Network, Vec<Diagnostic>> {
    let mut errors = files.errors.clone();
    let mut definitions = Definitions::collect(files, &mut errors);
    check(&mut definitions, &mut errors);
    let mut overrides = Overrides::read(
        options.net.as_deref(),
        &options.overrides,
        files.sources.end(),
        &mut errors,
    );
    let mut expander = Expander::new(definitions, errors);
    let built = files
        .root()
        .and_then(|file| expander.network(file, &mut overrides));
    match built {
        Some(network) if expander.errors.is_empty() => Ok(network),
        _ => {
            let mut errors = overrides.without_virtual_places(expander.errors);
            errors.sort_by_key(|error| error.span().map(|span| span.start));
            if errors.is_empty() {
                // A refusal without an error would be a fault of this stage.
                errors.push(Diagnostic::without_place(
                    names::NO_RESULT,
                    "internal error: the net was refused without a reason",
                ));
            }
            Err(errors)
        }
    }
}

impl Expander<'_> {
    fn network(&mut self, file: &File, overrides: &mut Overrides) -> Option<Network> {
        let net = self.choose_net(file, overrides.net.as_ref());
        let section = self.train_section(file);
        // The train section is read first, while no name is in sight.
        let section = self.train(section, overrides);
        let net = net?;
        let call = overrides.net.take();
        self.given_with_net(net, call.as_ref(), &mut overrides.hypers);
        self.check_keys(net, overrides);
        self.hypers(&net.hypers, &overrides.hypers);
        // This has been reported, and would lead to further errors.
        inputs(&net.body).next()?;
        let hypers: Vec<&str> = net
            .hypers
            .iter()
            .map(|hyper| hyper.name.text.as_str())
            .collect();
        let output = self.body(&net.body);
        if let (Some(output), Some(section)) = (output, &section) {
            self.check_output(output, &section.config);
            self.check_statistics(&section.config);
            self.check_totals(net.name.span, &section.config);
        }
        if let Some((normalize, place)) = section
            .as_ref()
            .and_then(|section| section.config.normalize.as_ref().zip(section.normalize))
        {
            self.check_normalize(normalize, place);
        }
        let (output, train) = (output?, section?.config);
        if self.faults > 0 {
            return None;
        }
        self.name_all(&hypers);
        Some(Network {
            name: net.name.text.clone(),
            inputs: std::mem::take(&mut self.inputs),
            parameters: std::mem::take(&mut self.parameters),
            buffers: std::mem::take(&mut self.buffers),
            tensors: std::mem::take(&mut self.tensors),
            layers: std::mem::take(&mut self.layers),
            output,
            train,
        })
    }

    /// The hyper-parameters that `--net 'name(...)'` gives, where `--set` does not.
    fn given_with_net(
        &mut self,
        net: &ast::Definition,
        call: Option<&Call>,
        given: &mut BTreeMap<String, Expr>,
    ) {
        let mut with_net: BTreeMap<String, Expr> = BTreeMap::new();
        let mut names = net.hypers.iter().map(|hyper| hyper.name.text.clone());
        for argument in call.map_or(&[][..], |call| &call.arguments) {
            let name = match &argument.name {
                Some(name) => Some(name.text.clone()),
                None => names.next(),
            };
            let Some(name) = name else {
                let count = net.hypers.len();
                self.report(Diagnostic::new(
                    options::ARGUMENT_COUNT,
                    format!("`{}` has {count} hyper-parameters", net.name.text),
                    argument.span,
                    "one too many",
                ));
                continue;
            };
            if with_net.contains_key(&name) {
                self.report(Diagnostic::new(
                    options::TWICE,
                    format!("`{name}` of `{}` is given twice", net.name.text),
                    argument.span,
                    "given again",
                ));
                continue;
            }
            with_net.insert(name, argument.value.clone());
        }
        for (name, value) in with_net {
            given.entry(name).or_insert(value);
        }
    }

    fn choose_net<'f>(
        &mut self,
        file: &'f File,
        wanted: Option<&Call>,
    ) -> Option<&'f ast::Definition> {
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
        let wanted = wanted.callee.text.as_str();
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
