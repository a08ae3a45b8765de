//! Tuning for IREE: the same functions in the forms that IREE compiles
//! correctly and fast. One pass per file, each runnable alone.
//!
//! What goes to IREE must be tuned: its `select_and_scatter` gives ties to the
//! last maximal cell and does not lower overlapping windows, and its grouped
//! convolutions ignore window reversal.

pub mod aligned_slice;
mod barrier;
pub mod batch_parts;
mod choice;
pub mod explicit_convolution;
pub mod explicit_window;
mod gpu;
pub mod grouped_convolution;
pub mod known_sum;
pub mod layout;
pub mod merged_index;
pub mod negated_sum;
pub mod pool_backward;
pub mod pool_forward;
pub mod relu_mask;
pub mod settled_reduction;
pub mod single_channel;
pub mod strided_input_gradient;
pub mod two_stage_sum;
pub mod weight_gradient;
pub mod winograd;

mod taps;

#[cfg(test)]
mod tests;

pub use crate::iree::Target;
pub use batch_parts::Parts;
pub use choice::{Costs, Form, Question, questions};

use crate::manifest;
use crate::simplify::{self, Rewrite};
use crate::stablehlo::{Error, Location, Module, Result};

/// What a pass does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Run {
    /// Always the same.
    Plain(fn(&Module) -> Result<Module>),
    /// What the options leave, or what they choose.
    With(fn(&Module, &Options) -> Result<Module>),
}

/// A named pass over modules.
#[derive(Debug, Clone, Copy)]
pub struct Pass {
    /// What `cnnc-opt --pass=NAME` calls it.
    pub name: &'static str,
    /// What it does, on one line.
    pub about: &'static str,
    pub(crate) run: Run,
}

impl Pass {
    /// Runs it.
    ///
    /// # Errors
    /// Where the pass refuses the module.
    pub fn run(&self, module: &Module, options: &Options) -> Result<Module> {
        match self.run {
            Run::Plain(run) => run(module),
            Run::With(run) => run(module, options),
        }
    }
}

/// The passes for a target, in order.
pub fn passes(target: Target) -> &'static [Pass] {
    match target {
        Target::Cpu => CPU,
        Target::Vulkan | Target::Metal => gpu::spirv(),
        Target::Cuda => gpu::cuda(),
        Target::Rocm => gpu::rocm(),
    }
}

const CPU: &[Pass] = &[
    Pass {
        name: "known-sum",
        about: "Sums that follow from others: norms read their input once less",
        run: Run::Plain(known_sum::run),
    },
    Pass {
        name: "batch-parts",
        about: "Convolutional stages in parts of the batch, which stay in the cache",
        run: Run::With(batch_parts::run),
    },
    Pass {
        name: "layout",
        about: "NHWC x HWIO convolutions, parameters stored as their users want them",
        run: Run::Plain(assign_layouts),
    },
    Pass {
        name: "strided-input-gradient",
        about: "Input gradients of strided convolutions as dot products of each pixel",
        run: Run::Plain(strided_input_gradient::run),
    },
    Pass {
        name: EXPLICIT_CONVOLUTION,
        about: "No window reversal, negative padding, spare cells or batch groups",
        run: Run::With(explicit_convolution::run),
    },
    Pass {
        name: WINOGRAD,
        about: "3x3 convolutions and their weight gradients in Winograd's form",
        run: Run::With(winograd::run),
    },
    Pass {
        name: WEIGHT_GRADIENT,
        about: "Weight gradients as batched dot products",
        run: Run::With(weight_gradient::run),
    },
    Pass {
        name: "single-channel",
        about: "Convolutions of one input channel as sums of products",
        run: Run::With(single_channel::run),
    },
    Pass {
        name: "pool-backward",
        about: "`select_and_scatter` by the index of each window's first maximum",
        run: Run::Plain(pool_backward::run),
    },
    Pass {
        name: "pool-forward",
        about: "Max-pools as maxima of strided slices",
        run: Run::Plain(pool_forward::run),
    },
    Pass {
        name: "explicit-window",
        about: "Windowed reductions without spare cells or negative padding",
        run: Run::Plain(explicit_window::run),
    },
    Pass {
        name: "relu-mask",
        about: "The relu mask from the relu's output",
        run: Run::Plain(relu_mask::run),
    },
    Pass {
        name: "two-stage-sum",
        about: "Sums over batch and space in two stages",
        run: Run::Plain(two_stage_sum::run),
    },
    Pass {
        name: "simplify",
        about: "Rewrites that hold exactly, then merge-equal and drop-unused",
        run: Run::Plain(simplify_module),
    },
];

/// Passes that make programs fast and not right, so that they may be left out.
pub const OPTIONAL: &[&str] = &[
    "known-sum",
    "batch-parts",
    "layout",
    "strided-input-gradient",
    WINOGRAD,
    WEIGHT_GRADIENT,
    "single-channel",
    "pool-forward",
    "relu-mask",
    "two-stage-sum",
    "simplify",
];

const EXPLICIT_CONVOLUTION: &str = "explicit-convolution";
const WINOGRAD: &str = "winograd";
const WEIGHT_GRADIENT: &str = "weight-gradient";

/// What a tuning does without, and what it knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Names of [`OPTIONAL`] passes.
    pub without: Vec<String>,
    /// What was measured on the machine that the program is for.
    pub costs: Costs,
    /// When batches are divided.
    pub parts: Parts,
}

impl Options {
    /// These, and no form of Winograd's, which rounds more.
    #[must_use]
    pub fn directly(&self) -> Self {
        let mut options = self.clone();
        if !options.is_direct() {
            options.without.push(WINOGRAD.to_owned());
        }
        options
    }

    /// Whether they leave out Winograd's form.
    pub fn is_direct(&self) -> bool {
        !self.keep(WINOGRAD)
    }

    fn keep(&self, pass: &str) -> bool {
        !self.without.iter().any(|name| name == pass)
    }

    /// The passes that remain.
    fn passes(&self, target: Target) -> Result<Vec<Pass>> {
        if let Some(name) = self
            .without
            .iter()
            .find(|name| !OPTIONAL.contains(&name.as_str()))
        {
            return Err(Error::Pass {
                pass: "tune",
                message: format!(
                    "cannot do without `{name}`; there may be left out: {}",
                    OPTIONAL.join(", ")
                ),
                location: Location::default(),
            });
        }
        let passes = passes(target).iter().filter(|pass| self.keep(pass.name));
        Ok(passes.copied().collect())
    }

    /// Of the forms of `site` that are left, and that `fits` accepts, the one
    /// to take.
    fn choose(&self, site: &choice::Site, fits: fn(Form) -> bool) -> Option<Form> {
        let left = |form: Form| fits(form) && (self.keep(WINOGRAD) || !form.is_winograd());
        let forms: Vec<Form> = site
            .forms
            .iter()
            .copied()
            .filter(|&form| left(form))
            .collect();
        self.costs.fastest(&site.key, &forms)
    }
}

/// The module in the forms for `target`; its manifest says for which target,
/// and how parameters are stored.
///
/// # Errors
/// If a pass builds something ill-typed, which would be its fault.
pub fn tune(module: &Module, target: Target) -> Result<Module> {
    tune_with(module, target, &Options::default())
}

/// As [`tune`], without some passes.
///
/// # Errors
/// As [`tune`], and for a pass that is not [`OPTIONAL`].
pub fn tune_with(module: &Module, target: Target, options: &Options) -> Result<Module> {
    let mut module = run_all(&options.passes(target)?, module, options)?;
    manifest::set_target(&mut module, target.name());
    Ok(module)
}

fn run_all(passes: &[Pass], module: &Module, options: &Options) -> Result<Module> {
    let mut module = module.clone();
    for pass in passes {
        module = pass.run(&module, options)?;
    }
    Ok(module)
}

/// [`layout::run`] for the parameters of the manifest, recording the result
/// there.
fn assign_layouts(module: &Module) -> Result<Module> {
    let owners = manifest::owners(module);
    let (mut module, layouts) = layout::run(module, &owners)?;
    manifest::record_layouts(&mut module, &layouts);
    simplify_module(&module)
}

/// [`simplify::simplify`] on every function.
///
/// # Errors
/// As there.
pub fn simplify_module(module: &Module) -> Result<Module> {
    let mut result = module.clone();
    for function in &mut result.functions {
        *function = simplify::simplify(function)?;
    }
    Ok(result)
}

/// Applies rewrites to every function until none fires.
fn rewrite_module(module: &Module, rewrites: &[Rewrite]) -> Result<Module> {
    let mut result = module.clone();
    for function in &mut result.functions {
        *function = simplify::merge_equal(&simplify::rewrite(function, rewrites)?);
    }
    Ok(result)
}
