//! Everything that was found, as text or JSON.

use cnnc::certify::audit::Audit;
use cnnc::certify::tuning::Comparison;
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
    pub network: Comparison,
    pub audit: Audit,
    /// If it was asked for.
    pub tuning: Option<Comparison>,
    /// None if it was not asked for.
    pub execution: Vec<Check>,
}

impl Report {
    /// How many statements do not hold.
    pub fn failures(&self) -> usize {
        let compared = [Some(&self.network), self.tuning.as_ref()];
        let compared = compared.into_iter().flatten().flat_map(|c| &c.checks);
        let checks = compared.chain(&self.execution);
        let wrong = checks.filter(|c| !c.verdict.holds()).count();
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
        text.push_str(&format!("\nnetwork\n{}", self.network));
        if let Some(tuning) = &self.tuning {
            text.push_str(&format!("\ntuning\n{tuning}"));
        }
        if !self.execution.is_empty() {
            text.push_str("\nexecution\n");
            report::checks(&mut text, &self.execution).map_err(Failure::new)?;
        }
        text.push_str(&format!("\naudit\n{}\n", self.audit));
        print(text.as_bytes())
    }
}
