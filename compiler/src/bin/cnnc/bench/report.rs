//! What was measured, for people and for programs.

use serde_json::{Value, json};

use super::layers::{Dispatches, Row};

/// Names of layers that a line of the table has room for.
const LAYERS: usize = 3;
/// Dispatches that the table has room for; the others share a line.
const ROWS: usize = 40;

/// Everything that was measured.
pub struct Measured<'a> {
    pub net: &'a str,
    pub batch: i64,
    /// Per round.
    pub steps: u32,
    pub device: String,
    /// What it was compiled for.
    pub cpu: Option<String>,
    /// Milliseconds per step of each round.
    pub rounds: Vec<f64>,
    pub multiply_adds: u64,
    /// Floating-point operations per second of products of large matrices.
    pub sgemm: f64,
    /// Bytes at most in use while stepping.
    pub memory: Option<u64>,
    pub dispatches: Option<Dispatches>,
}

impl Measured<'_> {
    fn ms(&self) -> f64 {
        median(&self.rounds)
    }

    fn images_per_second(&self) -> f64 {
        self.batch as f64 * 1e3 / self.ms()
    }

    /// Floating-point operations per second.
    fn flops(&self) -> f64 {
        2.0 * self.multiply_adds as f64 * 1e3 / self.ms()
    }

    fn share(&self) -> f64 {
        self.flops() / self.sgemm
    }

    fn extremes(&self) -> [f64; 2] {
        [f64::min, f64::max].map(|pick| self.rounds.iter().copied().reduce(pick).unwrap_or(0.0))
    }

    pub fn json(&self) -> Value {
        let [min, max] = self.extremes();
        let mut value = json!({
            "net": self.net, "batch": self.batch, "device": self.device, "cpu": self.cpu,
            "steps_per_round": self.steps, "round_ms": self.rounds,
            "ms_per_step": self.ms(), "min_ms": min, "max_ms": max,
            "images_per_second": self.images_per_second(),
            "multiply_adds": self.multiply_adds,
            "gflop_per_second": self.flops() / 1e9,
            "sgemm_gflop_per_second": self.sgemm / 1e9,
            "share_of_sgemm": self.share(),
            "peak_memory_bytes": self.memory,
        });
        if let (Some(dispatches), Some(entries)) = (&self.dispatches, value.as_object_mut()) {
            let row = |row: &Row| {
                json!({
                    "dispatch": row.function, "layers": row.layers, "calls": row.calls,
                    "ms": row.ms, "share": row.ms / dispatches.ms, "threads": row.threads,
                })
            };
            let rows: Value = dispatches.rows.iter().map(row).collect();
            let profile = json!({
                "ms_per_step": dispatches.ms, "outside_ms": dispatches.outside(),
                "dispatches": rows,
            });
            entries.insert("profile".to_owned(), profile);
        }
        value
    }

    pub fn text(&self) -> String {
        let [min, max] = self.extremes();
        let cpu = self.cpu.as_ref().map(|cpu| format!(", {cpu}"));
        let mut text = format!(
            "{}, batch {}, on {}{}\n",
            self.net,
            self.batch,
            self.device,
            cpu.unwrap_or_default()
        );
        let rounds = self.rounds.len();
        let mut line = |name: &str, value: String| text.push_str(&format!("{name:<8}{value}\n"));
        line(
            "step",
            format!(
                "{:.3} ms (median of {rounds} rounds of {} steps; {min:.3} to {max:.3})",
                self.ms(),
                self.steps
            ),
        );
        line("speed", format!("{:.0} images/s", self.images_per_second()));
        line(
            "work",
            format!(
                "{:.3} GFLOP per step: {:.1} GFLOP/s, {:.1} % of the sgemm peak, {:.1} GFLOP/s",
                2.0 * self.multiply_adds as f64 / 1e9,
                self.flops() / 1e9,
                100.0 * self.share(),
                self.sgemm / 1e9
            ),
        );
        if let Some(memory) = self.memory {
            line("memory", format!("{:.0} MB at most", memory as f64 / 1e6));
        }
        if let Some(dispatches) = &self.dispatches {
            text.push('\n');
            text.push_str(&table(dispatches));
        }
        text
    }
}

fn table(dispatches: &Dispatches) -> String {
    let share = |ms: f64| format!("{:.1} %", 100.0 * ms / dispatches.ms);
    let head = ["layers", "calls", "ms", "share", "threads", "dispatch"].map(str::to_owned);
    let mut rows = vec![head];
    let (shown, others) = match dispatches.rows.split_at_checked(ROWS) {
        Some(parts) => parts,
        None => (dispatches.rows.as_slice(), &[][..]),
    };
    rows.extend(shown.iter().map(|row| {
        [
            layers(&row.layers),
            format!("{}", row.calls),
            format!("{:.3}", row.ms),
            share(row.ms),
            row.threads.map_or("-".to_owned(), |n| format!("{n:.1}")),
            row.function.clone(),
        ]
    }));
    let total = |name: &str, ms: f64| {
        let [calls, threads, function] = [const { String::new() }; 3];
        let ms_text = format!("{ms:.3}");
        [
            name.to_owned(),
            calls,
            ms_text,
            share(ms),
            threads,
            function,
        ]
    };
    if !others.is_empty() {
        let name = format!("{} others", others.len());
        rows.push(total(&name, others.iter().map(|row| row.ms).sum()));
    }
    rows.push(total("outside dispatches", dispatches.outside()));
    rows.push(total("step, profiled", dispatches.ms));
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let [a, b, c, d, e, _] = [0, 1, 2, 3, 4, 5].map(width);
    let line = |[layers, calls, ms, share, threads, function]: &[String; 6]| {
        let line =
            format!("{layers:<a$}  {calls:>b$}  {ms:>c$}  {share:>d$}  {threads:>e$}  {function}");
        format!("{}\n", line.trim_end())
    };
    rows.iter().map(line).collect()
}

/// Names in one cell; `-` for what is no layer's.
fn layers(names: &[String]) -> String {
    match names.split_at_checked(LAYERS) {
        _ if names.is_empty() => "-".to_owned(),
        Some((first, rest)) if !rest.is_empty() => format!("{}, ...", first.join(", ")),
        _ => names.join(", "),
    }
}

/// The middle one, or the mean of the middle two.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let at = |index: usize| sorted.get(index).copied().unwrap_or(0.0);
    match sorted.len() % 2 {
        0 => (at(middle.saturating_sub(1)) + at(middle)) / 2.0,
        _ => at(middle),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(dispatches: Option<Dispatches>) -> Measured<'static> {
        Measured {
            net: "a",
            batch: 50,
            steps: 3,
            device: "local-task".to_owned(),
            cpu: Some("znver4".to_owned()),
            rounds: vec![4.0, 10.0, 2.0, 6.0],
            multiply_adds: 1_000_000,
            sgemm: 8e8,
            memory: Some(12_400_000),
            dispatches,
        }
    }

    /// 2 million operations in 5 ms.
    #[test]
    fn the_numbers_follow_from_the_median() {
        let value = measured(None).json();
        for (key, number) in [
            ("ms_per_step", 5.0),
            ("min_ms", 2.0),
            ("max_ms", 10.0),
            ("images_per_second", 10_000.0),
            ("gflop_per_second", 0.4),
            ("sgemm_gflop_per_second", 0.8),
            ("share_of_sgemm", 0.5),
        ] {
            let found = value[key].as_f64().unwrap();
            assert!((found - number).abs() < 1e-9, "{key}: {found}");
        }
        assert_eq!(value["peak_memory_bytes"], 12_400_000);
        assert!(value.get("profile").is_none());
    }

    fn row(layers: &[&str], ms: f64, threads: Option<f64>) -> Row {
        Row {
            function: "a_dispatch_0_matmul".to_owned(),
            layers: layers.iter().map(|&name| name.to_owned()).collect(),
            calls: 1.0,
            ms,
            threads,
        }
    }

    /// 50 rows of 1 ms: the last ten share a line, in the table and not in JSON.
    #[test]
    fn many_dispatches_are_shown_in_part() {
        let dispatches = Dispatches {
            rows: vec![row(&["conv1"], 1.0, None); 50],
            ms: 100.0,
        };
        let text = table(&dispatches);
        assert_eq!(
            text.lines()
                .filter(|line| line.starts_with("conv1"))
                .count(),
            40
        );
        let others = text.lines().find(|line| line.starts_with("10 others"));
        let cells: Vec<&str> = others.unwrap().split_whitespace().collect();
        assert_eq!(cells, ["10", "others", "10.000", "10.0", "%"]);
        let value = measured(Some(dispatches)).json();
        assert_eq!(value["profile"]["dispatches"].as_array().unwrap().len(), 50);
    }

    #[test]
    fn a_report_for_people() {
        let dispatches = Dispatches {
            rows: vec![
                row(&["conv1", "relu1", "conv2", "relu2"], 3.0, Some(1.96)),
                row(&[], 1.0, None),
            ],
            ms: 5.0,
        };
        let expected = "\
a, batch 50, on local-task, znver4
step    5.000 ms (median of 4 rounds of 3 steps; 2.000 to 10.000)
speed   10000 images/s
work    0.002 GFLOP per step: 0.4 GFLOP/s, 50.0 % of the sgemm peak, 0.8 GFLOP/s
memory  12 MB at most

layers                    calls     ms    share  threads  dispatch
conv1, relu1, conv2, ...      1  3.000   60.0 %      2.0  a_dispatch_0_matmul
-                             1  1.000   20.0 %        -  a_dispatch_0_matmul
outside dispatches               1.000   20.0 %
step, profiled                   5.000  100.0 %
";
        assert_eq!(measured(Some(dispatches)).text(), expected);
    }
}
