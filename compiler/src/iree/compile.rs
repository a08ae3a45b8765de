//! StableHLO to a `.vmfb`.

use super::{Error, Iree, Target};

/// How to compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flags {
    /// The kind of device.
    pub target: Target,
    /// LLVM's name of the CPU, or `host`; it concerns [`Target::Cpu`] only.
    pub cpu: String,
    /// One of [`Target::gpus`], where it is for one kind of GPU.
    pub gpu: Option<String>,
    /// Further flags for IREE, in its own spelling.
    pub extra: Vec<String>,
}

impl Default for Flags {
    fn default() -> Self {
        Flags {
            target: Target::Cpu,
            cpu: "host".to_owned(),
            gpu: None,
            extra: Vec::new(),
        }
    }
}

impl Flags {
    /// Plain flags for a target.
    pub fn of(target: Target) -> Self {
        Flags {
            target,
            ..Flags::default()
        }
    }

    /// The command line for IREE.
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = vec!["--iree-input-type=stablehlo".to_owned()];
        arguments.extend(self.target.flags(&self.cpu, self.gpu.as_deref()));
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
        if flags.target == Target::Rocm {
            self.prepare_rocm()?;
        }
        Ok(self.compiler.compile_str(text, flags.arguments())?)
    }
}
