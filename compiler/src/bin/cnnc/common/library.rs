//! IREE's compiler library, with errors that say how to get it.

use std::env;

use cnnc::iree::{Error, Iree, locate};

use super::failure::Failure;

const VARIABLE: &str = "CNNC_IREE";

/// Finds and loads the library. A place that the user names must have it.
pub fn find() -> Result<Iree, Failure> {
    if let Some(place) = env::var_os(VARIABLE) {
        let there = locate().is_some_and(|found| found.origin.ends_with(&format!("({VARIABLE})")));
        if !there {
            let place = place.display();
            return Err(missing(&format!(
                "{VARIABLE} is `{place}`, which has no libIREECompiler.so"
            )));
        }
    }
    Iree::find().map_err(|error| match error {
        Error::Missing { reason } => missing(&reason),
        other => Failure::new(other),
    })
}

fn missing(reason: &str) -> Failure {
    Failure::new(format!("IREE's compiler could not be loaded: {reason}"))
        .hint("`make deps` installs it; `cnnc doctor` tells where it is looked for")
}
