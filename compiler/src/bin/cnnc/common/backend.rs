//! IREE's compiler, as the command line asks for it.

use clap::Args;
use cnnc::driver::Backend;
use cnnc::iree::{Cache, Flags, Target};

use super::console::Console;
use super::cpu;
use super::failure::Failure;
use super::library;
use super::places;

/// Options that say what is compiled for.
#[derive(Debug, Clone, Args)]
pub struct BackendArgs {
    /// Compile for this CPU, by LLVM's name; `host` is this machine's
    #[arg(long, value_name = "NAME", default_value = "host")]
    pub cpu: String,
    /// Compile anew, and keep nothing
    #[arg(long)]
    pub no_cache: bool,
}

impl BackendArgs {
    /// Loads the library.
    pub fn load(&self, console: &Console) -> Result<Backend, Failure> {
        cpu::check(&self.cpu)?;
        let iree = library::find()?;
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
