//! The dispatches of a step by time, with the layers that they belong to.

use cnnc::driver::Unit;
use cnnc::iree::{Call, matched};
use cnnc_runtime::profile::{Dispatch, Step};

use super::{FUNCTIONS, failure};
use crate::common::engine::Engine;
use crate::common::{Console, Failure};

/// Dispatches of one function for the same layers.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// IREE's name.
    pub function: String,
    /// Names of layers, those of the operation that it is built around first; none for the loss
    /// and what counts steps.
    pub layers: Vec<String>,
    /// Per step.
    pub calls: f64,
    /// Milliseconds per step in which it ran; where several ran at once, its part of them.
    pub ms: f64,
    /// Threads that worked on it, on average, where it is known.
    pub threads: Option<f64>,
}

/// A step by dispatch.
#[derive(Debug, Clone, PartialEq)]
pub struct Dispatches {
    /// The longest first.
    pub rows: Vec<Row>,
    /// Milliseconds per step while the records were kept.
    pub ms: f64,
}

impl Dispatches {
    /// Milliseconds per step in which no dispatch ran.
    pub fn outside(&self) -> f64 {
        self.ms - self.rows.iter().map(|row| row.ms).sum::<f64>()
    }
}

/// The dispatches of the step in the order of the program. `unit` is placed by layer.
pub fn calls(
    engine: &Engine<'_>,
    unit: &Unit,
    batch: i64,
    console: &Console,
) -> Result<Vec<Call>, Failure> {
    let backend = engine.backend();
    let module = backend
        .tuned(unit, batch, &FUNCTIONS)
        .map_err(|error| failure(&error, &unit.sources, console))?;
    let mut iree = backend.iree.clone();
    iree.print_locations(backend.flags.target)
        .map_err(Failure::new)?;
    backend.calls(&module, "train_step").map_err(Failure::new)
}

/// The first dispatch recorded that is none of these calls: its layers are not known.
pub fn unknown<'a>(steps: &'a [Step], calls: &[Call]) -> Option<&'a str> {
    let mut recorded = steps.iter().flat_map(|step| &step.dispatches);
    let known = |name: &str| calls.iter().any(|call| call.function == name);
    let odd = recorded.find(|dispatch| !known(&dispatch.function))?;
    Some(&odd.function)
}

/// Adds up what was recorded of a step that makes these calls.
pub fn table(steps: &[Step], calls: &[Call]) -> Dispatches {
    let count = steps.len().max(1) as f64;
    let mut rows: Vec<(Row, f64, f64)> = Vec::new();
    for step in steps {
        let dispatches = &step.dispatches;
        let names: Vec<&str> = dispatches.iter().map(|d| d.function.as_str()).collect();
        let layers = matched(&names, calls);
        for ((dispatch, layers), part) in dispatches.iter().zip(layers).zip(parts(dispatches)) {
            let same = |row: &Row| row.function == dispatch.function && row.layers == layers;
            let place = rows
                .iter()
                .position(|(row, ..)| same(row))
                .unwrap_or(rows.len());
            if place == rows.len() {
                let row = Row {
                    function: dispatch.function.clone(),
                    layers,
                    calls: 0.0,
                    ms: 0.0,
                    threads: None,
                };
                rows.push((row, 0.0, 0.0));
            }
            if let Some((row, span, busy)) = rows.get_mut(place) {
                row.calls += 1.0;
                row.ms += part;
                *span += (dispatch.end - dispatch.start) as f64;
                *busy += dispatch.busy as f64;
            }
        }
    }
    let per_step = |(row, span, busy): (Row, f64, f64)| Row {
        calls: row.calls / count,
        ms: row.ms / count / 1e6,
        threads: (busy > 0.0 && span > 0.0).then(|| busy / span),
        ..row
    };
    let mut rows: Vec<Row> = rows.into_iter().map(per_step).collect();
    rows.sort_by(|a, b| b.ms.total_cmp(&a.ms));
    let wall: f64 = steps.iter().map(|step| step.wall.as_secs_f64()).sum();
    Dispatches {
        rows,
        ms: wall * 1e3 / count,
    }
}

/// The nanoseconds of each dispatch. A moment in which several run is divided among them, so that
/// the sum is the time in which any did.
fn parts(dispatches: &[Dispatch]) -> Vec<f64> {
    let mut moments: Vec<i64> = dispatches.iter().flat_map(|d| [d.start, d.end]).collect();
    moments.sort_unstable();
    moments.dedup();
    let mut parts = vec![0.0; dispatches.len()];
    for (&from, &to) in moments.iter().zip(moments.iter().skip(1)) {
        let runs = |dispatch: &Dispatch| dispatch.start <= from && to <= dispatch.end;
        let running = dispatches.iter().filter(|dispatch| runs(dispatch)).count();
        for (part, dispatch) in parts.iter_mut().zip(dispatches) {
            if runs(dispatch) {
                *part += (to - from) as f64 / running as f64;
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn dispatch(function: &str, start: i64, end: i64, busy: i64) -> Dispatch {
        Dispatch {
            function: function.to_owned(),
            start,
            end,
            busy,
        }
    }

    #[test]
    fn time_is_divided_among_those_that_run() {
        let dispatches = [
            dispatch("a", 0, 100, 0),
            dispatch("b", 60, 120, 0),
            dispatch("c", 200, 200, 0),
            dispatch("d", 130, 150, 0),
        ];
        assert_eq!(parts(&dispatches), [80.0, 40.0, 0.0, 20.0]);
        assert!(parts(&[]).is_empty());
    }

    #[test]
    fn rows_are_per_step_and_sorted() {
        let ms = 1_000_000;
        let step = |wall| Step {
            wall: Duration::from_millis(wall),
            dispatches: vec![
                dispatch("f", 0, 2 * ms, 3 * ms),
                dispatch("g", 2 * ms, 7 * ms, 10 * ms),
                dispatch("f", 7 * ms, 8 * ms, 0),
            ],
        };
        let call = |(function, layer): (&str, &str)| Call {
            function: function.to_owned(),
            files: vec![layer.to_owned()],
        };
        let calls = [("f", "conv1"), ("g", "relu1"), ("f", "conv2")].map(call);
        assert_eq!(unknown(&[step(9)], &calls), None);
        assert_eq!(unknown(&[step(9)], &calls[..1]), Some("g"));
        let found = table(&[step(9), step(11)], &calls);
        let rows: Vec<_> = found
            .rows
            .iter()
            .map(|row| {
                (
                    row.function.as_str(),
                    &*row.layers[0],
                    row.calls,
                    row.ms,
                    row.threads,
                )
            })
            .collect();
        let expected = [
            ("g", "relu1", 1.0, 5.0, Some(2.0)),
            ("f", "conv1", 1.0, 2.0, Some(1.5)),
            ("f", "conv2", 1.0, 1.0, None),
        ];
        assert_eq!(rows, expected);
        assert!((found.ms - 10.0).abs() < 1e-9 && (found.outside() - 2.0).abs() < 1e-9);
    }
}
