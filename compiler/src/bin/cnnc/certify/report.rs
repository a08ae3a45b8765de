//! Everything that was found, as text or JSON.

use cnnc::certify::audit::Audit;
use cnnc::certify::{Certificate, Check, report};
use serde::Serialize;

use crate::common::Failure;
use crate::common::console::{print, print_json};

/// What was found about a module.
#[derive(Debug, Serialize)]
pub struct Report {
    pub net: String,
    pub source: String,
    pub batch: i64,
    pub certificate: Certificate,
    pub network: Vec<Check>,
    pub audit: Audit,
    pub tuning: Vec<Check>,
    pub execution: Vec<Check>,
}

impl Report {
    /// How many statements do not hold.
    pub fn failures(&self) -> usize {
        let checks = [&self.network, &self.tuning, &self.execution];
        let wrong = checks
            .into_iter()
            .flatten()
            .filter(|c| !c.verdict.holds())
            .count();
        wrong + self.certificate.failures().len() + usize::from(!self.audit.holds())
    }

    /// Prints it to stdout.
    pub fn print(&self, json: bool) -> Result<(), Failure> {
        if json {
            let mut value = serde_json::json!(self);
            if let Some(entries) = value.as_object_mut() {
                entries.insert("holds".to_owned(), (self.failures() == 0).into());
            }
            return print_json(&value);
        }
        let Report {
            net, source, batch, ..
        } = self;
        let mut text = format!("{net}: {source}, {batch} examples\n\n{}", self.certificate);
        for (title, checks) in [
            ("network", &self.network),
            ("tuning", &self.tuning),
            ("execution", &self.execution),
        ] {
            if !checks.is_empty() {
                text.push_str(&format!("\n{title}\n"));
                report::checks(&mut text, checks).map_err(Failure::new)?;
            }
        }
        text.push_str(&format!("\naudit\n{}\n", self.audit));
        print(text.as_bytes())
    }
}
