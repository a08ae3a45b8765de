//! stdout for data, stderr for everything else.

use std::io::{self, ErrorKind, IsTerminal, Write};

use clap::{ArgAction, Args, ValueEnum};

use super::failure::Failure;

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Options of every verb.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Messages")]
pub struct ConsoleArgs {
    /// Tell errors only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Tell more
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub verbose: u8,
    /// When to use colours
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    pub color: Color,
}

/// Where messages go, and how many.
#[derive(Debug, Clone, Copy, Default)]
pub struct Console {
    level: i16,
    color: bool,
}

impl Console {
    /// The console that the options ask for.
    pub fn new(args: &ConsoleArgs) -> Self {
        Console {
            level: if args.quiet {
                -1
            } else {
                i16::from(args.verbose)
            },
            color: match args.color {
                Color::Always => true,
                Color::Never => false,
                Color::Auto => io::stderr().is_terminal() && !plain(),
            },
        }
    }

    /// Whether stderr gets ANSI escapes.
    pub fn color(&self) -> bool {
        self.color
    }

    /// Whether only errors are told.
    pub fn quiet(&self) -> bool {
        self.level < 0
    }

    /// Tells what is going on.
    pub fn status(&self, text: &str) {
        self.tell(0, text);
    }

    /// Tells a detail, where `-v` asks for it.
    pub fn detail(&self, text: &str) {
        self.tell(1, text);
    }

    /// Tells of something that may be wrong.
    pub fn warn(&self, text: &str) {
        let text = format!("{} {text}", self.paint("1;33", "warning:"));
        self.tell(0, &text);
    }

    fn tell(&self, level: i16, text: &str) {
        if self.level >= level {
            self.error_text(&format!("{text}\n"));
        }
    }

    /// Tells an error and what to do about it.
    pub fn error(&self, message: &str, hints: &[String]) {
        let mut text = format!("{} {message}\n", self.paint("1;31", "error:"));
        for hint in hints {
            text.push_str(&format!("  {} {hint}\n", self.paint("1;36", "help:")));
        }
        self.error_text(&text);
    }

    /// Writes to stderr. There is nobody to tell where that fails.
    pub fn error_text(&self, text: &str) {
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }

    fn paint(&self, style: &str, text: &str) -> String {
        match self.color {
            true => format!("\u{1b}[{style}m{text}\u{1b}[0m"),
            false => text.to_owned(),
        }
    }
}

/// NO_COLOR counts where it is not empty.
fn plain() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Writes data to stdout. A reader that has seen enough is no error.
pub fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("cannot write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes one JSON value on a line to stdout.
pub fn print_json(value: &serde_json::Value) -> Result<(), Failure> {
    print(format!("{value}\n").as_bytes())
}
