//! A training as it goes: a bar on a terminal, one line per epoch elsewhere.

use std::io::{self, IsTerminal};

use cnnc_runtime::train::{EpochReport, Observer, StepReport};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::console::Console;

const TEMPLATE: &str = "{prefix} {wide_bar} {pos}/{len} {msg} {eta:>4}";

/// Shows a training on stderr.
pub struct Progress<'a> {
    console: &'a Console,
    bar: Option<ProgressBar>,
}

impl<'a> Progress<'a> {
    /// With a bar where there is a terminal.
    pub fn new(console: &'a Console) -> Self {
        let live = io::stderr().is_terminal() && !console.quiet();
        Progress {
            console,
            bar: live.then(|| {
                let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
                match ProgressStyle::with_template(TEMPLATE) {
                    Ok(style) => bar.with_style(style.progress_chars("=> ")),
                    Err(_) => bar,
                }
            }),
        }
    }

    /// Removes the bar.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Progress<'_> {
    fn epoch_started(&mut self, epoch: u64, epochs: u64, steps: u64) {
        if let Some(bar) = &self.bar {
            bar.reset();
            bar.set_message("");
            bar.set_length(steps);
            bar.set_prefix(format!("epoch {epoch}/{epochs}"));
        }
    }

    fn step(&mut self, report: &StepReport) {
        if let Some(bar) = &self.bar {
            bar.set_position(report.step);
            let accuracy = report.accuracy * 100.0;
            bar.set_message(format!("loss {:.4} acc {accuracy:.2} %", report.mean_loss));
        }
    }

    fn evaluating(&mut self, _epoch: u64) {
        if let Some(bar) = &self.bar {
            bar.set_message("testing");
        }
    }

    fn epoch_finished(&mut self, report: &EpochReport) {
        let line = line(report);
        match &self.bar {
            Some(bar) => bar.println(line),
            None => self.console.status(&line),
        }
    }
}

fn line(report: &EpochReport) -> String {
    let mut line = format!(
        "epoch {}/{}: loss {}, accuracy {:.2} %",
        report.epoch,
        report.epochs,
        loss_text(report.loss),
        report.accuracy * 100.0
    );
    if let Some(test) = &report.test {
        let (loss, accuracy) = (loss_text(test.loss), test.accuracy * 100.0);
        line.push_str(&format!(
            ", test loss {loss}, test accuracy {accuracy:.2} %"
        ));
    }
    line.push_str(&format!(
        ", {:.1} s, {:.2} ms/step",
        report.seconds, report.median_step_ms
    ));
    line
}

/// A loss with four decimals, or in powers of ten where it has run away.
pub fn loss_text(loss: f64) -> String {
    match loss.abs() < 1e5 {
        true => format!("{loss:.4}"),
        false => format!("{loss:.4e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cnnc_runtime::evaluate::Evaluation;

    #[test]
    fn an_epoch_is_one_line() {
        let report = EpochReport {
            epoch: 1,
            epochs: 3,
            steps: 469,
            examples: 60_000,
            lr: 0.1,
            loss: 0.25,
            correct: 55_782,
            accuracy: 0.9297,
            seconds: 20.51,
            median_step_ms: 38.216,
            test: Some(Evaluation {
                examples: 10_000,
                labels: 10_000,
                loss: 0.0712,
                correct: 9790,
                accuracy: 0.979,
            }),
        };
        assert_eq!(
            line(&report),
            "epoch 1/3: loss 0.2500, accuracy 92.97 %, test loss 0.0712, test accuracy 97.90 %, \
             20.5 s, 38.22 ms/step"
        );
    }

    #[test]
    fn losses_for_people() {
        assert_eq!(loss_text(1.25678), "1.2568");
        assert_eq!(loss_text(3.25e30), "3.2500e30");
        assert_eq!(loss_text(f64::NAN), "NaN");
    }
}
