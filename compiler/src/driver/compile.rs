//! The stages, one call each.

use std::convert::Infallible;

use cnnc_grammar::ast::File;
use cnnc_grammar::{Sources, Span};
use sha2::{Digest, Sha256};

use super::error::Error;
use super::reflection::embed;
use crate::iree::{Cache, Call, Flags, Iree, Target};
use crate::lower::Source;
use crate::network::{self, Files, Network, Resolve, SourceErrors};
use crate::program;
use crate::stablehlo::{Function, Location, Module, mlir};
use crate::tune;

/// A network file, read and found right.
#[derive(Debug, Clone)]
pub struct Unit {
    /// Its text and those of the files it imports, with their names.
    pub sources: Sources,
    /// The chosen net.
    pub network: Network,
    source: Source,
}

/// The syntax tree of the `text` of `file`.
///
/// # Errors
/// [`Error::Source`].
pub fn parse(file: &str, text: &str) -> Result<File, Error> {
    cnnc_grammar::parse(text).map_err(|diagnostics| {
        Error::Source(SourceErrors {
            sources: Sources::new(file, text),
            diagnostics,
        })
    })
}

/// The network that `options` choose from the text of `file`, which imports nothing.
///
/// # Errors
/// [`Error::Source`] with every independent error of the text.
pub fn read(file: &str, text: &str, options: &network::Options) -> Result<Unit, Error> {
    unit(Files::alone(file, text), options)
}

/// As [`read`], with imports: `resolve` gives the text of a file.
///
/// # Errors
/// [`Error::Source`] with every independent error of the texts.
pub fn read_with(
    file: &str,
    text: &str,
    options: &network::Options,
    resolve: &Resolve,
) -> Result<Unit, Error> {
    unit(Files::load(file, text, resolve), options)
}

fn unit(files: Result<Files, SourceErrors>, options: &network::Options) -> Result<Unit, Error> {
    let files = files.map_err(Error::Source)?;
    let built = network::build(&files, options);
    let sources = files.sources;
    match built {
        Ok(network) => Ok(Unit {
            source: Source::of(&sources),
            sources,
            network,
        }),
        Err(diagnostics) => Err(Error::Source(SourceErrors {
            sources,
            diagnostics,
        })),
    }
}

impl Unit {
    /// Portable StableHLO of `functions` for batches of `batch` examples.
    ///
    /// # Errors
    /// [`Error::Stablehlo`] if a layer has no derivative.
    pub fn portable(&self, batch: i64, functions: &[&str]) -> Result<Module, Error> {
        Ok(program::portable(
            &self.network,
            batch,
            functions,
            &self.source,
        )?)
    }

    /// The same network, each of whose operations says for a place the layer that it belongs to:
    /// the layer's name is the file. The places of the text cannot tell apart what a block makes
    /// where it is used twice.
    pub fn placed_by_layer(&self) -> Unit {
        let mut network = self.network.clone();
        let mut sources = Sources::new("", "");
        for layer in network.layers.iter_mut().rev() {
            let start = sources.add(&*layer.name, ".");
            layer.span = Span::new(start, start + 1);
            // In the end they are at the first layer that uses them.
            for parameter in &layer.parameters {
                network.parameters[parameter.0].span = layer.span;
            }
            for buffer in &layer.buffers {
                network.buffers[buffer.0].span = layer.span;
            }
        }
        Unit {
            source: Source::of(&sources),
            sources,
            network,
        }
    }

    /// The same in the forms that IREE compiles best for `target`.
    ///
    /// # Errors
    /// As [`Unit::portable`].
    pub fn tuned(&self, batch: i64, functions: &[&str], target: Target) -> Result<Module, Error> {
        Ok(tune::tune(&self.portable(batch, functions)?, target)?)
    }
}

/// A hash of the module's training step, wherever it stands in a text; `None` where it has none.
///
/// # Errors
/// If MLIR refuses the module, which would be a fault of this compiler.
pub fn fingerprint(module: &Module) -> Result<Option<String>, Error> {
    let Ok(step) = module.function("train_step") else {
        return Ok(None);
    };
    let alone = Module {
        functions: vec![nowhere(step)],
        ..Module::default()
    };
    let digest = Sha256::digest(mlir::print(&alone)?);
    Ok(Some(digest.iter().map(|b| format!("{b:02x}")).collect()))
}

/// Without locations, at any depth.
fn nowhere(function: &Function) -> Function {
    let Ok(mut function) = function.map_regions::<Infallible>(|region| Ok(nowhere(region)));
    for instruction in &mut function.body {
        instruction.location = Location::UNKNOWN;
    }
    function
}

/// IREE's compiler, ready to work for one target.
#[derive(Debug, Clone)]
pub struct Backend {
    /// The library.
    pub iree: Iree,
    /// Where compiled programs are kept, if anywhere.
    pub cache: Option<Cache>,
    /// What to compile for.
    pub flags: Flags,
    /// LLVM's name of the CPU that programs for it record; `flags.cpu`, but
    /// for `host`.
    pub cpu: String,
    /// What the tuning may do.
    pub tuning: tune::Options,
}

impl Backend {
    /// A network's module, tuned for what this compiles for.
    ///
    /// # Errors
    /// As [`Unit::portable`].
    pub fn tuned(&self, unit: &Unit, batch: i64, functions: &[&str]) -> Result<Module, Error> {
        self.tune(&unit.portable(batch, functions)?)
    }

    /// The module in the forms that IREE compiles best for this target.
    ///
    /// # Errors
    /// As [`tune::tune`].
    pub fn tune(&self, module: &Module) -> Result<Module, Error> {
        Ok(tune::tune_with(module, self.flags.target, &self.tuning)?)
    }

    /// What a program runs on, if on one kind of processor only.
    fn processor(&self) -> Option<&str> {
        let target = self.flags.target;
        match target {
            Target::Cpu => Some(&self.cpu),
            _ => self.flags.gpu.as_deref().or(target.default_gpu()),
        }
    }

    /// A verified module in pretty form.
    ///
    /// # Errors
    /// [`Error::Iree`] if IREE refuses it.
    pub fn pretty(&self, module: &Module) -> Result<String, Error> {
        let mut text = self.iree.pretty(&mlir::print(module)?, "")?;
        if !text.ends_with('\n') {
            text.push('\n');
        }
        Ok(text)
    }

    /// The dispatches of a function of a tuned module, as [`Backend::program`] compiles it, with
    /// the files of their places. [`Iree::print_locations`] must have been called.
    ///
    /// # Errors
    /// [`Error::Iree`] if IREE refuses it.
    pub fn calls(&self, tuned: &Module, function: &str) -> Result<Vec<Call>, Error> {
        let text = self.text(tuned)?;
        Ok(self.iree.calls(&text, &self.flags_for(tuned)?, function)?)
    }

    fn text(&self, tuned: &Module) -> Result<String, Error> {
        let module = embed(tuned, self.flags.target, self.processor());
        Ok(mlir::print(&module)?)
    }

    /// A tuned module as a program that carries its manifest.
    ///
    /// # Errors
    /// [`Error::Iree`] if IREE refuses it.
    pub fn program(&self, tuned: &Module) -> Result<Vec<u8>, Error> {
        let text = self.text(tuned)?;
        let flags = self.flags_for(tuned)?;
        Ok(match &self.cache {
            Some(cache) => cache.compile(&self.iree, &text, &flags)?,
            None => self.iree.compile(&text, &flags)?,
        })
    }

    /// The flags, and those that were found to make this training step faster.
    fn flags_for(&self, tuned: &Module) -> Result<Flags, Error> {
        let mut flags = self.flags.clone();
        if self.tuning.costs.has_flags()
            && let Some(fingerprint) = fingerprint(tuned)?
        {
            let known = self.tuning.costs.flags(&fingerprint);
            flags.extra.extend(known.iter().cloned());
        }
        Ok(flags)
    }
}
