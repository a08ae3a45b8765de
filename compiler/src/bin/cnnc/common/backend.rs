//! IREE's compiler, as the command line asks for it.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use cnnc::driver::Backend;
use cnnc::iree::{Cache, Flags, IREE_VERSION, Target};
use cnnc::tune;

use super::console::Console;
use super::costs;
use super::cpu;
use super::failure::Failure;
use super::library;
use super::places;

/// Options that say what is compiled for.
#[derive(Debug, Clone, Args)]
pub struct BackendArgs {
    /// Compile for this CPU, by LLVM's name; this machine's (`host`) by default
    #[arg(long, value_name = "NAME")]
    pub cpu: Option<String>,
    /// Compile for this kind of GPU, by IREE's name, such as sm_89, gfx942 or rdna3
    #[arg(long, value_name = "NAME")]
    pub gpu: Option<String>,
    /// Compile anew, and keep nothing
    #[arg(long)]
    pub no_cache: bool,
    /// Convolve directly, never in Winograd's form, which rounds more
    #[arg(long)]
    pub no_winograd: bool,
    /// Choose forms by rule, whatever `cnnc tune` has measured
    #[arg(long)]
    pub no_costs: bool,
    /// Leave out this pass of the tuning: to see what it is worth, or whether it is to blame
    #[arg(long, value_name = "PASS", value_parser = PossibleValuesParser::new(tune::OPTIONAL), hide_possible_values = true)]
    pub without_pass: Vec<String>,
}

/// Reads the name of a target.
pub fn target() -> impl TypedValueParser<Value = Target> {
    PossibleValuesParser::new(Target::ALL.map(Target::name)).try_map(|name| name.parse::<Target>())
}

impl BackendArgs {
    /// Loads the library.
    pub fn load(&self, target: Target, console: &Console) -> Result<Backend, Failure> {
        let cpu = self.cpu.as_deref().unwrap_or("host");
        self.check(target)?;
        cpu::check(cpu)?;
        let iree = library::find()?;
        console.detail(&format!("IREE's compiler: {}", iree.library().display()));
        let recorded = cpu::recorded(cpu);
        if target == Target::Cpu {
            console.detail(&format!("programs for the CPU {recorded}"));
        }
        let tuning = tune::Options {
            without: self.without_pass.clone(),
            costs: self.costs(target, console),
            ..tune::Options::default()
        };
        Ok(Backend {
            iree,
            cache: if self.no_cache { None } else { cache(console) },
            flags: Flags {
                target,
                cpu: cpu.to_owned(),
                gpu: self.gpu.clone(),
                extra: Vec::new(),
            },
            cpu: recorded,
            tuning: match self.no_winograd {
                true => tuning.directly(),
                false => tuning,
            },
        })
    }

    /// What was measured here, where it is this machine that is compiled for.
    fn costs(&self, target: Target, console: &Console) -> tune::Costs {
        let here = self.cpu.as_deref().is_none_or(|cpu| cpu == "host");
        match target == Target::Cpu && here && !self.no_costs {
            true => costs::load(console),
            false => tune::Costs::default(),
        }
    }

    /// Refuses processors that are none of the target's; IREE would die of some.
    fn check(&self, target: Target) -> Result<(), Failure> {
        let name = target.name();
        if let (Some(cpu), true) = (&self.cpu, target != Target::Cpu) {
            let message = format!("--cpu={cpu}: programs for {name} run on no CPU");
            return Err(Failure::usage(message));
        }
        let Some(gpu) = self.gpu.as_deref() else {
            return Ok(());
        };
        let known = target.gpus();
        if known.contains(&gpu) {
            return Ok(());
        }
        if known.is_empty() {
            let message = format!("--gpu={gpu}: there is nothing to choose for {name}");
            return Err(Failure::usage(message));
        }
        let failure = Failure::usage(format!("--gpu={gpu}: no such GPU for {name}"));
        let known = known.join(", ");
        Err(failure.hint(format!("IREE {IREE_VERSION} knows {known}")))
    }
}

/// The cache of this user; a folder that cannot be written is done without.
fn cache(console: &Console) -> Option<Cache> {
    let folder = places::cache()?;
    let usable =
        std::fs::create_dir_all(&folder).and_then(|()| tempfile::tempfile_in(&folder).map(|_| ()));
    match usable {
        Ok(()) => Some(Cache::new(
            folder,
            format!("{} {}", cpu::name(), cpu::features()),
        )),
        Err(error) => {
            let folder = folder.display();
            console.warn(&format!(
                "nothing is cached: cannot write to `{folder}`: {error}"
            ));
            None
        }
    }
}
