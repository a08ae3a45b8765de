//! `cnnc summary`: what a network is made of.

use cnnc::network::{self, Network, Row};
use serde_json::json;

use super::common::console::{print, print_json};
use super::common::net::NetArgs;
use super::common::{Console, Failure};

/// Show layers, shapes, parameters and multiply-adds
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Examples:\n  cnnc summary model.net\n  cnnc summary model.net --set classes=100 --json"
)]
pub struct Args {
    #[command(flatten)]
    net: NetArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, console: &Console) -> Result<(), Failure> {
    let unit = args.net.load(console)?;
    match args.json {
        true => print_json(&as_json(&unit.network)),
        false => print(table(&unit.network).as_bytes()),
    }
}

fn as_json(network: &Network) -> serde_json::Value {
    let layers: Vec<serde_json::Value> = network::summary(network)
        .iter()
        .map(|row| {
            json!({
                "name": row.name, "op": row.op, "output": row.output,
                "parameters": row.parameters, "multiply_adds": row.multiply_adds,
            })
        })
        .collect();
    let totals = network::totals(network);
    json!({
        "net": network.name, "layers": layers,
        "parameters": totals.parameters, "multiply_adds": totals.multiply_adds,
    })
}

fn table(network: &Network) -> String {
    let head = ["layer", "op", "output", "parameters", "multiply-adds"].map(str::to_owned);
    let mut rows = vec![head];
    for input in &network.inputs {
        let shape = input_shape(&network.tensor(input.tensor).shape);
        rows.push([
            input.name.clone(),
            "input".into(),
            shape,
            String::new(),
            String::new(),
        ]);
    }
    rows.extend(network::summary(network).iter().map(cells));
    let totals = network::totals(network);
    let sums = [totals.parameters, totals.multiply_adds].map(grouped);
    let [parameters, multiply_adds] = sums;
    rows.push([
        "total".into(),
        String::new(),
        String::new(),
        parameters,
        multiply_adds,
    ]);
    let bytes = totals.parameters.saturating_mul(4);
    let name = &network.name;
    format!(
        "net {name}\n{}{} of f32 parameters; multiply-adds are those of one example's forward pass\n",
        aligned(&rows),
        size(bytes)
    )
}

fn input_shape(shape: &[i64]) -> String {
    let sizes: Vec<String> = shape.iter().map(i64::to_string).collect();
    format!("f32[N, {}]", sizes.join(", "))
}

fn cells(row: &Row) -> [String; 5] {
    let number = |value: i64| {
        if value == 0 {
            "-".to_owned()
        } else {
            grouped(value)
        }
    };
    [
        row.name.clone(),
        row.op.clone(),
        row.output.clone(),
        number(row.parameters),
        number(row.multiply_adds),
    ]
}

/// Columns in line: texts to the left, numbers to the right. Rules under the
/// head and above the last row.
fn aligned(rows: &[[String; 5]]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(width);
    let rule = "-".repeat(a + b + c + d + e + 8);
    let mut out = String::new();
    for (index, [name, op, output, parameters, adds]) in rows.iter().enumerate() {
        if index == 1 || index + 1 == rows.len() {
            out.push_str(&rule);
            out.push('\n');
        }
        let line = format!("{name:a$}  {op:b$}  {output:c$}  {parameters:>d$}  {adds:>e$}");
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// Digits in threes: `3,489,130`.
fn grouped(value: i64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn size(bytes: i64) -> String {
    let units = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    let bytes = bytes as f64;
    match units.iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", bytes / unit),
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        let cases = [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (3_489_130, "3,489,130"),
        ];
        for (value, text) in cases {
            assert_eq!(grouped(value), text);
        }
        let sizes = [(400, "400 B"), (31_400, "31.4 kB"), (13_956_520, "14.0 MB")];
        for (bytes, text) in sizes {
            assert_eq!(size(bytes), text);
        }
    }
}
