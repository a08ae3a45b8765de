//! IREE's compiler, as the command line asks for it.

use std::env;

use clap::Args;
use cnnc::driver::Backend;
use cnnc::iree::{Cache, Error, Flags, Iree, Target, locate};

use super::console::Console;
use super::cpu;
use super::failure::Failure;
use super::places;

const VARIABLE: &str = "CNNC_IREE";

/// Options that say what is compiled for.
#[derive(Debug, Clone, Args)]
pub struct BackendArgs {
    /// Compile for this CPU, by LLVM's name; host is this machine's
    #[arg(long, value_name = "NAME", default_value = "host")]
    pub cpu: String,
    /// Compile anew, and keep nothing
    #[arg(long)]
    pub no_cache: bool,
}

impl BackendArgs {
    /// Loads the library.
    pub fn load(&self, console: &Console) -> Result<Backend, Failure> {
        let iree = find()?;
        console.detail(&format!("IREE's compiler: {}", iree.library().display()));
        Ok(Backend {
            iree,
            cache: if self.no_cache { None } else { cache(console) },
            flags: Flags {
                target: Target::Cpu,
                cpu: self.cpu.clone(),
                extra: Vec::new(),
            },
            cpu: cpu::recorded(&self.cpu),
        })
    }
}

/// Finds and loads the library. A place that the user names must have it.
pub fn find() -> Result<Iree, Failure> {
    if let Some(place) = env::var_os(VARIABLE) {
        let there = locate().is_some_and(|found| found.origin.ends_with(&format!("({VARIABLE})")));
        if !there {
            let place = place.display();
            return Err(missing(format!("{VARIABLE} is `{place}`, which has no libIREECompiler.so")));
        }
    }
    Iree::find().map_err(|error| match error {
        Error::Missing { reason } => missing(reason),
        other => Failure::new(other),
    })
}

fn missing(reason: String) -> Failure {
    Failure::new(format!("IREE's compiler could not be loaded: {reason}"))
        .hint("`make deps` installs it; `cnnc doctor` tells where it is looked for")
}

/// The cache of this user; a folder that cannot be written is done without.
fn cache(console: &Console) -> Option<Cache> {
    let folder = places::cache()?;
    let usable = std::fs::create_dir_all(&folder)
        .and_then(|()| tempfile::tempfile_in(&folder).map(|_| ()));
    match usable {
        Ok(()) => Some(Cache::new(folder, format!("{} {}", cpu::name(), cpu::features()))),
        Err(error) => {
            let folder = folder.display();
            console.warn(&format!("nothing is cached: cannot write to `{folder}`: {error}"));
            None
        }
    }
}
