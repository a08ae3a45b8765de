//! IREE's compiler, loaded in-process: it has the real StableHLO dialect, so
//! it verifies and pretty-prints what we build, and compiles it.

mod cache;
mod compile;
mod diagnostics;
mod dispatches;
mod locate;
mod target;
mod text;

pub use cache::Cache;
pub use compile::Flags;
pub use diagnostics::{Message, messages};
pub use dispatches::{Call, matched};
pub use locate::{Located, candidates, locate};
pub use target::{NoTarget, Target};

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use eerie::compiler::{Compiler, CompilerError};

/// The first session of a process registers LLVM's targets, and must do so
/// alone: where two sessions begin together, later compilations end in
/// `createTargetMachine failed` or a segmentation fault.
static FIRST_SESSION: Once = Once::new();

/// LLVM's pass that lowers AMD's buffer instructions overflows the stack on
/// some loops, which ends the process.
const NO_BUFFER_INSTRUCTIONS: &str = "--iree-rocdl-enable-buffer-instructions=false";
/// Whether the process is set up so.
static READY_FOR_ROCM: Mutex<bool> = Mutex::new(false);

fn ready_for_rocm() -> MutexGuard<'static, bool> {
    READY_FOR_ROCM
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

/// The version of IREE that this compiler is made for.
pub const IREE_VERSION: &str = "3.13.0";

/// What can go wrong in IREE's hands.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The library was not found or could not be loaded.
    #[error("IREE's compiler could not be loaded: {reason}")]
    Missing {
        /// What was tried.
        reason: String,
    },
    /// IREE refused the module.
    #[error("IREE refused the module: {}", summary(messages))]
    Refused {
        /// Its diagnostics, with places in the source where it gave them.
        messages: Vec<Message>,
    },
    /// IREE's command line was set up without what ROCm needs.
    #[error(
        "this process cannot compile for rocm: IREE's command line was set up without {NO_BUFFER_INSTRUCTIONS}"
    )]
    SetUp,
    /// A tool of IREE's package could not be run.
    #[error("`{tool}` could not be run: {source}")]
    Tool {
        /// The tool.
        tool: String,
        /// Why.
        source: std::io::Error,
    },
    /// The cache could not be written.
    #[error("cannot write `{path}`: {source}")]
    Cache {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

fn summary(messages: &[Message]) -> String {
    messages.first().map_or_else(
        || "no diagnostics were given".to_owned(),
        ToString::to_string,
    )
}

impl From<CompilerError> for Error {
    fn from(error: CompilerError) -> Self {
        match error {
            CompilerError::CompilerLoadError(error) => Error::Missing {
                reason: error.to_string(),
            },
            error => Error::Refused {
                messages: messages(&error),
            },
        }
    }
}

/// A loaded IREE compiler.
#[derive(Debug, Clone)]
pub struct Iree {
    compiler: Compiler,
}

impl Iree {
    /// Loads the library at `path`.
    ///
    /// # Errors
    /// [`Error::Missing`] if it is not there or is not IREE's compiler.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let compiler = Compiler::with_library(path)?;
        FIRST_SESSION.call_once(|| drop(compiler.create_session()));
        Ok(Iree { compiler })
    }

    /// Finds and loads the library.
    ///
    /// # Errors
    /// [`Error::Missing`], saying where it was looked for.
    pub fn find() -> Result<Self, Error> {
        match locate() {
            Some(found) => Self::load(&found.path),
            None => Err(Error::Missing {
                reason: format!(
                    "no libIREECompiler.so in {}",
                    candidates()
                        .iter()
                        .map(|c| c.origin.clone())
                        .collect::<Vec<_>>()
                        .join(", ")
                ),
            }),
        }
    }

    /// Where the library lies.
    pub fn library(&self) -> &Path {
        self.compiler.library_path()
    }

    /// The revision that the library reports.
    pub fn revision(&self) -> String {
        self.compiler.get_revision().unwrap_or_default()
    }

    /// Makes every text printed from now on carry locations. Once per
    /// process, before anything is printed or compiled for ROCm; where
    /// something will be, `target` says so.
    ///
    /// # Errors
    /// If IREE's command line was set up before.
    pub fn print_locations(&mut self, target: Target) -> Result<(), Error> {
        let mut settings = vec!["--mlir-print-debuginfo"];
        if target == Target::Rocm {
            settings.push(NO_BUFFER_INSTRUCTIONS);
        }
        let mut ready = ready_for_rocm();
        self.set_up(&settings)?;
        *ready |= target == Target::Rocm;
        Ok(())
    }

    /// Sets the process up for programs for AMD's GPUs.
    ///
    /// # Errors
    /// If it was set up otherwise before.
    fn prepare_rocm(&self) -> Result<(), Error> {
        let mut ready = ready_for_rocm();
        *ready = *ready || self.set_up(&[NO_BUFFER_INSTRUCTIONS]).is_ok();
        match *ready {
            true => Ok(()),
            false => Err(Error::SetUp),
        }
    }

    /// Settings of the process: sessions do not take them.
    fn set_up(&self, settings: &[&str]) -> Result<(), CompilerError> {
        let words = ["cnnc"].iter().chain(settings);
        let words = words.map(|&word| word.to_owned()).collect();
        self.compiler.clone().setup_global_cl(words).map(drop)
    }
}
