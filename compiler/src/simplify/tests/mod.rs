//! What tests of rewrites share: small functions, their text, and whether two
//! of them compute the same.

mod arithmetic;
mod movement;
mod regions;
mod value;

pub(crate) use value::{Draw, Random, assert_same_value, assert_same_value_of};

use std::path::Path;

use super::{Rewrite, all, rewrite};
use crate::stablehlo::{Builder, Function, Result, TensorType, Value};

/// A function of one result and arguments of these types.
pub(crate) fn function<const N: usize>(
    arguments: [TensorType; N],
    build: impl FnOnce(&mut Builder, [Value; N]) -> Result<Value>,
) -> Function {
    let mut b = Builder::named("f");
    let arguments = arguments.map(|ty| b.function.argument(None, ty));
    let result = build(&mut b, arguments).expect("a well-typed function");
    b.function.output(None, result);
    b.function
}

/// The instructions of a function and its result, with values numbered in the
/// order of their definition: equal for functions that differ in nothing else.
pub(crate) fn text(function: &Function) -> Vec<String> {
    let mut numbers = vec![usize::MAX; function.value_count()];
    let defined = function.arguments.iter().map(|a| a.value);
    let defined = defined.chain(function.body.iter().map(|i| i.result));
    for (number, value) in defined.enumerate() {
        numbers[value.index()] = number;
    }
    let name = |value: Value| format!("%{}", numbers[value.index()]);
    let mut lines = Vec::new();
    for i in &function.body {
        let operands: Vec<String> = i.operands.iter().map(|&o| name(o)).collect();
        let stop = if i.stop_gradient {
            " stop_gradient"
        } else {
            ""
        };
        lines.push(format!(
            "{} = {:?}({}) : {}{stop}",
            name(i.result),
            i.op,
            operands.join(", "),
            function.ty(i.result),
        ));
    }
    let outputs: Vec<String> = function.outputs.iter().map(|o| name(o.value)).collect();
    lines.push(format!("return {}", outputs.join(", ")));
    lines
}

/// Names of the operations, in order.
pub(crate) fn names(function: &Function) -> Vec<&'static str> {
    function.body.iter().map(|i| i.op.name()).collect()
}

fn called(name: &str) -> Rewrite<'static> {
    let found = all().into_iter().find(|rewrite| rewrite.name == name);
    found.unwrap_or_else(|| panic!("there is no rewrite `{name}`"))
}

/// Asserts that the rewrite makes `after` of `before`, and that they compute
/// the same.
fn assert_rewritten(name: &str, before: &Function, after: &Function) {
    let found = rewrite(before, &[called(name)]).expect("no failure");
    assert_eq!(text(&found), text(after), "{name}");
    assert_same_value(before, &found, Draw::Distinct);
    assert_same_value(before, &found, Draw::Ties);
}

/// Asserts that the rewrite leaves `function` alone.
fn assert_kept(name: &str, function: &Function) {
    let found = rewrite(function, &[called(name)]).expect("no failure");
    assert_eq!(text(&found), text(function), "{name}");
}

/// Asserts that each `Pattern:` line in the files of a room stands above a
/// function that has a test of its name in the files of `tests/`.
pub(crate) fn assert_patterns_have_tests(room: &str, least: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(room);
    let sources = texts(&folder).concat();
    let tests = texts(&folder.join("tests")).concat();
    let mut patterns = 0;
    for part in sources.split("/// Pattern: ").skip(1) {
        let name = part
            .split_once("\nfn ")
            .and_then(|(_, rest)| rest.split_once('('));
        let (name, _) = name.expect("a function behind each pattern");
        assert!(
            tests.contains(&format!("#[test]\nfn {name}()")),
            "`{name}` has no test"
        );
        patterns += 1;
    }
    assert!(patterns >= least, "only {patterns} patterns were found");
}

/// The Rust files of a folder.
fn texts(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder of sources");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let sources = paths.filter(|path| path.extension().is_some_and(|e| e == "rs"));
    sources
        .map(|path| std::fs::read_to_string(path).expect("a source"))
        .collect()
}

#[test]
fn every_pattern_has_a_test() {
    assert_patterns_have_tests("simplify", all().len());
}
