//! Verified text: generic to pretty form, and back.

use std::io::Write;
use std::process::{Command, Stdio};

use eerie::compiler::MemBufferOutput;

use super::diagnostics::Message;
use super::{Error, Iree};
use crate::stablehlo::Location;

/// The tool that prints generic form, beside the library in its package.
const IREE_OPT: &str = "iree-opt";

impl Iree {
    /// Parses and verifies a StableHLO module in either form, runs `passes`
    /// (an MLIR pipeline such as `builtin.module(cse)`; none if empty), and
    /// prints it in pretty form.
    ///
    /// # Errors
    /// [`Error::Refused`] with IREE's diagnostics.
    pub fn pretty(&self, text: &str, passes: &str) -> Result<String, Error> {
        let mut session = self.compiler.create_session();
        session.set_flags(vec!["--iree-input-type=stablehlo".to_owned()])?;
        let source = session.create_source_from_buf(text.as_bytes())?;
        let mut invocation = session.create_invocation();
        invocation.parse_source(source)?.set_verify_ir(true);
        if !passes.is_empty() {
            invocation.run_pass_pipeline(passes)?;
        }
        let mut output = MemBufferOutput::new(&self.compiler)?;
        invocation.output_ir(&mut output)?;
        let bytes = output.map_memory()?;
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    /// Rewrites a module into generic form, which melior can read, by the
    /// `iree-opt` of the same package.
    ///
    /// # Errors
    /// [`Error::Tool`] if it cannot be run, [`Error::Refused`] if it refuses
    /// the module.
    pub fn generic(&self, text: &str) -> Result<String, Error> {
        let tool = self.library().with_file_name(IREE_OPT);
        let failed = |source| Error::Tool {
            tool: tool.display().to_string(),
            source,
        };
        let mut child = Command::new(&tool)
            .args(["-", "--mlir-print-op-generic", "--mlir-print-debuginfo"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let input = child.stdin.take();
        let output = std::thread::scope(|scope| {
            let writer = scope.spawn(move || match input {
                // A tool that stops reading reports why on its own.
                Some(mut pipe) => pipe.write_all(text.as_bytes()).is_ok(),
                None => false,
            });
            let output = child.wait_with_output();
            let _ = writer.join();
            output
        })
        .map_err(failed)?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(Error::Refused {
            messages: stderr
                .lines()
                .filter_map(|line| line.split_once(": error: "))
                .map(|(place, text)| Message {
                    location: standard_input(place),
                    text: text.to_owned(),
                })
                .collect(),
        })
    }
}

/// `<stdin>:line:column` as a location.
fn standard_input(place: &str) -> Location {
    let mut numbers = place.rsplit(':').map(str::parse);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(column)), Some(Ok(line))) => Location::new("<input>", line, column),
        _ => Location::UNKNOWN,
    }
}
