//! What was found, for people and for programs.

use std::fmt::Write;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::forms::Choice;
use super::step::Variants;

/// Everything that was measured.
pub struct Report<'a> {
    pub net: &'a str,
    pub batch: i64,
    pub choices: Vec<Choice>,
    pub steps: Variants,
    /// Where it is kept, if it is.
    pub path: Option<PathBuf>,
}

impl Report<'_> {
    pub fn json(&self) -> Value {
        let choice = |choice: &Choice| {
            let times = choice.times.iter();
            let times = times.map(|&(form, time)| (form.name().to_owned(), json!(time.map(ms))));
            json!({
                "key": choice.key,
                "by_rule": choice.times.first().map(|(form, _)| form.name()),
                "fastest": choice.best().map(|(form, _)| form.name()),
                "ms": times.collect::<serde_json::Map<_, _>>(),
            })
        };
        let steps = self.steps.all.iter();
        let steps = steps.map(|v| json!({"variant": v.name, "ms": v.seconds.map(ms)}));
        json!({
            "net": self.net, "batch": self.batch,
            "choices": self.choices.iter().map(choice).collect::<Vec<_>>(),
            "steps": steps.collect::<Vec<_>>(),
            "best": self.steps.all.get(self.steps.best).map(|v| &v.name),
            "failed": self.steps.failed,
            "kept": self.path,
        })
    }

    pub fn text(&self) -> String {
        let mut text = format!("{}, batch {}\n", self.net, self.batch);
        let width = self.choices.iter().map(|c| c.key.len()).max().unwrap_or(0);
        for choice in &self.choices {
            let _ = write!(text, "\n  {:width$} ", choice.key);
            let best = choice.best().map(|(form, _)| form);
            for &(form, time) in &choice.times {
                let mark = if Some(form) == best { "*" } else { "" };
                let time = time.map_or("-".to_owned(), |time| format!("{:.3} ms", ms(time)));
                let _ = write!(text, "  {}{mark} {time}", form.name());
            }
        }
        let _ = writeln!(text, "{}", if self.choices.is_empty() { "" } else { "\n" });
        let first = self
            .steps
            .all
            .first()
            .and_then(|v| v.seconds)
            .unwrap_or(f64::NAN);
        for (index, variant) in self.steps.all.iter().enumerate() {
            let mark = if index == self.steps.best { "*" } else { " " };
            let time = match variant.seconds {
                Some(time) => format!("{:9.3} ms {:6.3}", ms(time), time / first),
                None => format!("{:>9} ms {:>6}", "-", "-"),
            };
            let _ = writeln!(text, "{mark} {time}  {}", variant.name);
        }
        for flag in &self.steps.failed {
            let _ = writeln!(text, "  {:>9} ms {:>6}  {flag}: not possible", "-", "-");
        }
        let _ = match (&self.path, self.steps.helps()) {
            (Some(path), true) => writeln!(text, "\nkept in {}", path.display()),
            (Some(path), false) => writeln!(
                text,
                "\nnothing is faster than the rules' choice; what was known is taken out of {}",
                path.display()
            ),
            (None, true) => writeln!(text, "\nnot kept: --dry-run"),
            (None, false) => writeln!(text, "\nnothing is faster than the rules' choice"),
        };
        text
    }
}

fn ms(seconds: f64) -> f64 {
    seconds * 1e3
}
