//! How a verb ends badly: what is told, and the exit code.

use std::fmt::Display;
use std::process::ExitCode;

use super::console::Console;

/// Errors of input or of the run.
const ERROR: u8 = 1;
/// Errors of usage, as clap's.
const USAGE: u8 = 2;

/// A failure of a verb.
#[derive(Debug)]
pub struct Failure {
    code: u8,
    body: Body,
}

#[derive(Debug)]
enum Body {
    /// Everything was told already.
    Silent,
    /// Text as it is, such as rendered diagnostics.
    Rendered(String),
    /// A message, what to do about it.
    Plain { message: String, hints: Vec<String> },
}

impl Failure {
    /// An error of input or of the run.
    pub fn new(message: impl Display) -> Self {
        Failure {
            code: ERROR,
            body: Body::Plain {
                message: message.to_string(),
                hints: Vec::new(),
            },
        }
    }

    /// A command line that asks for what cannot be.
    pub fn usage(message: impl Display) -> Self {
        Failure {
            code: USAGE,
            ..Failure::new(message)
        }
    }

    /// Diagnostics that are rendered already.
    pub fn rendered(text: String) -> Self {
        Failure {
            code: ERROR,
            body: Body::Rendered(text),
        }
    }

    /// An exit code alone.
    pub fn silent(code: u8) -> Self {
        Failure {
            code,
            body: Body::Silent,
        }
    }

    /// Adds what to do.
    pub fn hint(mut self, hint: impl Display) -> Self {
        if let Body::Plain { hints, .. } = &mut self.body {
            hints.push(hint.to_string());
        }
        self
    }

    /// Tells it on stderr.
    pub fn report(&self, console: &Console) -> ExitCode {
        match &self.body {
            Body::Silent => {}
            Body::Rendered(text) => console.error_text(text),
            Body::Plain { message, hints } => console.error(message, hints),
        }
        ExitCode::from(self.code)
    }
}

/// Makes a panic tell that it is no fault of the user. The exit code is 101.
pub fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic
            .location()
            .map_or_else(String::new, |place| format!(" at {place}"));
        let what = panic.payload();
        let text = what
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| what.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        let version = env!("CARGO_PKG_VERSION");
        Console::default().error_text(&format!(
            "internal error{place}: {text}\nThis is a fault of cnnc {version}. \
             Please report it with the command and the network file.\n"
        ));
    }));
}
