//! What a certificate says, for people and as data.

use std::fmt;

use serde::Serialize;

use super::degree::Confidence;
use super::search::Fault;

/// Whether something is what it should be.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "verdict", rename_all = "lowercase")]
pub enum Verdict {
    /// Equal in the field.
    Exact,
    /// Equal in f64 to within the tolerance; a field cannot say more.
    Numeric {
        /// Largest relative error.
        error: f64,
        /// The operations that have no field semantics of their own.
        because: Vec<String>,
    },
    /// Wrong.
    Failed(Fault),
}

impl Verdict {
    /// Whether it holds.
    pub fn holds(&self) -> bool {
        !matches!(self, Verdict::Failed(_))
    }

    /// Exact if `holds`, else failed for this reason.
    pub fn of(holds: bool, reason: impl FnOnce() -> String) -> Self {
        if holds {
            Verdict::Exact
        } else {
            Verdict::Failed(Fault::plain(reason()))
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Exact => f.write_str("exact"),
            Verdict::Numeric { error, because } => {
                write!(f, "numeric ({error:.1e}), for {}", because.join(", "))
            }
            Verdict::Failed(fault) => write!(f, "FAILED {fault}"),
        }
    }
}

/// The gradient of one parameter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gradient {
    /// Name of the parameter.
    pub parameter: String,
    /// Its canonical shape.
    pub shape: Vec<i64>,
    /// Whether it is the derivative.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// Another statement about the module.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Check {
    /// The function it is about.
    pub function: String,
    /// What is stated.
    pub statement: String,
    /// Whether it is so.
    #[serde(flatten)]
    pub verdict: Verdict,
}

impl Check {
    /// A statement about a function.
    pub fn new(function: &str, statement: impl Into<String>, verdict: Verdict) -> Self {
        Check {
            function: function.to_owned(),
            statement: statement.into(),
            verdict,
        }
    }
}

/// What was found about a module at a data point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Certificate {
    /// One entry per parameter.
    pub gradients: Vec<Gradient>,
    /// Statements about the functions.
    pub checks: Vec<Check>,
    /// How likely all this would be if something were wrong.
    pub confidence: Confidence,
}

impl Certificate {
    /// Whether everything holds.
    pub fn holds(&self) -> bool {
        self.gradients.iter().all(|g| g.verdict.holds())
            && self.checks.iter().all(|c| c.verdict.holds())
    }

    /// The entry of a parameter.
    pub fn gradient(&self, parameter: &str) -> Option<&Verdict> {
        let entry = self.gradients.iter().find(|g| g.parameter == parameter)?;
        Some(&entry.verdict)
    }

    /// Statements that do not hold, one line each.
    pub fn failures(&self) -> Vec<String> {
        let gradients = self
            .gradients
            .iter()
            .filter(|g| !g.verdict.holds())
            .map(|g| format!("{}: {}", g.parameter, g.verdict));
        let checks = self
            .checks
            .iter()
            .filter(|c| !c.verdict.holds())
            .map(|c| format!("@{}: {}: {}", c.function, c.statement, c.verdict));
        gradients.chain(checks).collect()
    }
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows: Vec<[String; 3]> = self
            .gradients
            .iter()
            .map(|g| [g.parameter.clone(), shape(&g.shape), g.verdict.to_string()])
            .collect();
        table(f, ["parameter", "shape", "gradient"], &rows)?;
        writeln!(f)?;
        checks(f, &self.checks)?;
        writeln!(f)?;
        writeln!(f, "{}", self.confidence)
    }
}

/// Statements as a table.
///
/// # Errors
/// Where `f` cannot be written to.
pub fn checks(f: &mut impl fmt::Write, checks: &[Check]) -> fmt::Result {
    let rows: Vec<[String; 3]> = checks
        .iter()
        .map(|c| {
            [
                format!("@{}", c.function),
                c.statement.clone(),
                c.verdict.to_string(),
            ]
        })
        .collect();
    table(f, ["function", "statement", "verdict"], &rows)
}

fn shape(shape: &[i64]) -> String {
    let sizes: Vec<String> = shape.iter().map(i64::to_string).collect();
    match sizes.is_empty() {
        true => "scalar".to_owned(),
        false => sizes.join("x"),
    }
}

fn table(f: &mut impl fmt::Write, head: [&str; 3], rows: &[[String; 3]]) -> fmt::Result {
    let head = head.map(str::to_owned);
    let widest = |column: usize| {
        let cells = rows.iter().chain([&head]).map(|row| &row[column]);
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let (first, second) = (widest(0), widest(1));
    for [a, b, c] in [&head].into_iter().chain(rows) {
        writeln!(f, "{a:first$}  {b:second$}  {c}")?;
    }
    Ok(())
}
