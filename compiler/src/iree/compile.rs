//! StableHLO to a `.vmfb`.

use super::{Error, Iree};

/// What to compile for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Target {
    /// IREE's `llvm-cpu`.
    #[default]
    Cpu,
}

impl Target {
    /// Its name on the command line and in the manifest.
    pub fn name(self) -> &'static str {
        match self {
            Target::Cpu => "cpu",
        }
    }
}

/// How to compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flags {
    /// The kind of device.
    pub target: Target,
    /// LLVM's name of the CPU, or `host`.
    pub cpu: String,
    /// Further flags for IREE, in its own spelling.
    pub extra: Vec<String>,
}

impl Default for Flags {
    fn default() -> Self {
        Flags {
            target: Target::Cpu,
            cpu: "host".to_owned(),
            extra: Vec::new(),
        }
    }
}

impl Flags {
    /// The command line for IREE.
    pub fn arguments(&self) -> Vec<String> {
        let Target::Cpu = self.target;
        let mut arguments: Vec<String> = [
            "--iree-input-type=stablehlo",
            "--iree-hal-target-device=local",
            "--iree-hal-local-target-device-backends=llvm-cpu",
        ]
        .map(str::to_owned)
        .to_vec();
        arguments.push(format!("--iree-llvmcpu-target-cpu={}", self.cpu));
        arguments.extend(self.extra.iter().cloned());
        arguments
    }
}

impl Iree {
    /// Compiles a module in either textual form.
    ///
    /// May be called from several threads.
    ///
    /// # Errors
    /// [`Error::Refused`] with IREE's diagnostics.
    pub fn compile(&self, text: &str, flags: &Flags) -> Result<Vec<u8>, Error> {
        Ok(self.compiler.compile_str(text, flags.arguments())?)
    }
}
