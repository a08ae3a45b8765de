//! `cnnc explain` tells the truth: its examples have the error, its corrections do not.

use super::network;
use crate::network::{Options, codes, explain};

/// A first line such as `# --net b` or `# --set key=value` gives options.
fn options(source: &str) -> Options {
    let mut options = Options::default();
    let first = source.lines().next().unwrap_or("");
    if let Some(net) = first.strip_prefix("# --net ") {
        options.net = Some(net.to_string());
    }
    if let Some((key, value)) = first
        .strip_prefix("# --set ")
        .and_then(|set| set.split_once('='))
    {
        options.overrides.push((key.to_string(), value.to_string()));
    }
    options
}

#[test]
fn examples_have_the_error_and_corrections_do_not() {
    for code in codes::all() {
        let errors = network(code.example, &options(code.example)).expect_err(code.name);
        let found: Vec<&str> = errors.iter().map(|error| error.code.name).collect();
        assert_eq!(found, [code.name], "{}", code.example);
        if let Err(errors) = network(code.instead, &options(code.instead)) {
            panic!("{code}: {}", super::rendered(code.instead, &errors));
        }
    }
}

#[test]
fn codes_are_unique_and_in_order() {
    let names: Vec<&str> = codes::all().map(|code| code.name).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(names, sorted);
}

#[test]
fn explain_finds_codes_in_either_case() {
    let text = explain("e0302").expect("known");
    assert!(
        text.starts_with("# E0302: an op is fed a value of the wrong rank\n"),
        "{text}"
    );
    assert_eq!(explain("E0302"), Some(text));
    assert_eq!(explain("E9999"), None);
}
