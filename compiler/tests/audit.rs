//! When the derivative is defined: worked numbers, the audit of data points,
//! twins by structure and in the field, and what the choice among tied cells
//! changes.

#[path = "audit/nets.rs"]
mod nets;
#[path = "audit/points.rs"]
mod points;
#[path = "common/random.rs"]
#[allow(dead_code)]
mod random;
#[path = "audit/selection.rs"]
mod selection;
#[path = "audit/steps.rs"]
mod steps;
#[path = "audit/structure.rs"]
mod structure;
#[path = "audit/worked.rs"]
mod worked;
