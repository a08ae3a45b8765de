//! Every pass by name, for running one alone.

mod gradient;

pub use gradient::{Gradient, GradientError};

use crate::iree::Target;
use crate::simplify;
use crate::stablehlo::{Function, Module, Result};
use crate::tune::{self, Pass, Run};

const GENERAL: &[Pass] = &[
    Pass {
        name: "autodiff",
        about: "Adds to each function `@f` its gradient `@f_grad`",
        run: Run::Plain(|module| Gradient::default().run(module)),
    },
    Pass {
        name: "simplify",
        about: "Rewrites that hold exactly, then merge-equal and drop-unused",
        run: Run::Plain(|module| each(module, simplify::simplify)),
    },
    Pass {
        name: "merge-equal",
        about: "Keeps the first of equal instructions",
        run: Run::Plain(|module| each(module, |f| Ok(simplify::merge_equal(f)))),
    },
    Pass {
        name: "drop-unused",
        about: "Drops instructions whose results nobody uses",
        run: Run::Plain(|module| each(module, |f| Ok(simplify::drop_unused(f)))),
    },
    Pass {
        name: "tune",
        about: "All passes of the tuning for CPUs, in order",
        run: Run::Plain(|module| tune::tune(module, Target::Cpu)),
    },
    Pass {
        name: "tune-vulkan",
        about: "All passes of the tuning for Vulkan",
        run: Run::Plain(|module| tune::tune(module, Target::Vulkan)),
    },
    Pass {
        name: "tune-cuda",
        about: "All passes of the tuning for CUDA",
        run: Run::Plain(|module| tune::tune(module, Target::Cuda)),
    },
    Pass {
        name: "tune-rocm",
        about: "All passes of the tuning for ROCm",
        run: Run::Plain(|module| tune::tune(module, Target::Rocm)),
    },
    Pass {
        name: "tune-metal",
        about: "All passes of the tuning for Metal",
        run: Run::Plain(|module| tune::tune(module, Target::Metal)),
    },
];

/// Every pass: the general ones, then the others of each target's tuning in
/// its order.
pub fn all() -> Vec<Pass> {
    let mut passes = GENERAL.to_vec();
    for pass in Target::ALL.into_iter().flat_map(tune::passes) {
        if passes.iter().all(|known| known.name != pass.name) {
            passes.push(*pass);
        }
    }
    passes
}

/// The pass called `name`.
pub fn find(name: &str) -> Option<Pass> {
    all().into_iter().find(|pass| pass.name == name)
}

fn each(module: &Module, run: impl Fn(&Function) -> Result<Function>) -> Result<Module> {
    let functions: Result<Vec<Function>> = module.functions.iter().map(run).collect();
    Ok(Module {
        functions: functions?,
        ..module.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::Options;

    #[test]
    fn every_target_has_a_tuning() {
        for target in Target::ALL {
            let name = match target {
                Target::Cpu => "tune".to_owned(),
                other => format!("tune-{}", other.name()),
            };
            let tuned = find(&name)
                .unwrap()
                .run(&Module::default(), &Options::default())
                .unwrap();
            assert_eq!(tuned, tune::tune(&Module::default(), target).unwrap());
        }
    }

    #[test]
    fn names_are_unique_and_found() {
        let passes = all();
        for pass in &passes {
            let alike = passes
                .iter()
                .filter(|other| other.name == pass.name)
                .count();
            assert_eq!(alike, 1, "{}", pass.name);
            assert!(find(pass.name).is_some());
        }
        assert!(find("no-such-pass").is_none());
    }
}
