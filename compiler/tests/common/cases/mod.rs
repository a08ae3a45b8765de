//! Faults that other libraries had, each as a case with the right answer.
//!
//! What is one operation or layer with few numbers is in `goldens/ops.json`
//! ([`super::ops`]). Here are those that take a pattern of many numbers
//! ([`large`]) or a whole net ([`nets`]). The reference interpreter and IREE
//! run the same list.

pub mod large;
pub mod nets;
