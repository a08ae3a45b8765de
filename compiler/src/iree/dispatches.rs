//! Which layers the dispatches of a function belong to: IREE's own text of a program between
//! forming dispatches and generating code, in which each call of one keeps the places of the
//! operations that it was formed of.

use std::collections::BTreeMap;

use eerie::compiler::{MemBufferOutput, Pipeline};

use super::{Error, Flags, Iree};

/// The phase after which commands stand in the order in which they are run.
const PHASE: &str = "stream";

/// A call of a dispatch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The function in its executable, as a profile names it.
    pub function: String,
    /// The files of the places that it comes from, each once.
    pub files: Vec<String>,
}

impl Iree {
    /// The dispatches of `function` of a module in the order of the program.
    ///
    /// [`Iree::print_locations`] must have been called, or they have no places.
    ///
    /// # Errors
    /// [`Error::Refused`] with IREE's diagnostics.
    pub fn calls(&self, text: &str, flags: &Flags, function: &str) -> Result<Vec<Call>, Error> {
        let mut session = self.compiler.create_session();
        session.set_flags(flags.arguments())?;
        let source = session.create_source_from_buf(text.as_bytes())?;
        let mut invocation = session.create_invocation();
        invocation.parse_source(source)?.set_verify_ir(true);
        invocation.set_compile_to_phase(PHASE)?;
        invocation.pipeline(Pipeline::Std)?;
        let mut output = MemBufferOutput::new(&self.compiler)?;
        invocation.output_ir(&mut output)?;
        let bytes = output.map_memory()?;
        Ok(calls(&String::from_utf8_lossy(bytes), function))
    }
}

/// The calls inside the function called `name`:
///
/// ```mlir
/// stream.cmd.dispatch @executable::@function(%c1 : index) {
///   ro %0[%c0 for %c64] : !stream.resource<external>{%c64}
/// } loc(fused["conv1":1:1, "relu1":1:1])
/// ```
fn calls(text: &str, name: &str) -> Vec<Call> {
    let opens = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("util.func")
            && [format!("@{name}("), format!("@{name}$async(")]
                .iter()
                .any(|symbol| line.contains(symbol.as_str()))
    };
    let mut lines = text.lines().skip_while(|line| !opens(line));
    let indent = |line: &str| line.len() - line.trim_start().len();
    let Some(around) = lines.next().map(indent) else {
        return Vec::new();
    };
    let inside = lines.take_while(|line| line.trim().is_empty() || indent(line) > around);
    let mut calls = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for line in inside {
        if let Some(rest) = line.trim_start().strip_prefix("stream.cmd.dispatch ") {
            open = callee(rest).map(|function| (indent(line), function));
        }
        let ends = |(depth, _): &mut (usize, String)| {
            indent(line) == *depth && line.trim_start().starts_with('}')
        };
        if let Some((_, function)) = open.take_if(ends) {
            let files = files(line);
            calls.push(Call { function, files });
        }
    }
    calls
}

/// `@executable::@function(...` or a list of such in braces, of which the last name counts.
fn callee(text: &str) -> Option<String> {
    let head = text.split(['(', '[']).next()?;
    let (_, name) = head.rsplit_once("::@")?;
    let end = name.find(|c: char| !(c.is_alphanumeric() || "_$.".contains(c)));
    Some(name[..end.unwrap_or(name.len())].to_owned())
}

/// The texts in quotation marks that a line and a column follow.
fn files(location: &str) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    let mut rest = location;
    while let Some((_, quoted)) = rest.split_once('"') {
        let Some((file, behind)) = quoted.split_once('"') else {
            break;
        };
        let place = behind
            .strip_prefix(':')
            .is_some_and(|place| place.starts_with(|c: char| c.is_ascii_digit()));
        if place && !files.iter().any(|known| known == file) {
            files.push(file.to_owned());
        }
        rest = behind;
    }
    files
}

/// The k-th call of a function in a program is the k-th that is recorded of it: pairs every
/// recorded name, in order, with the files of its call.
///
/// Where a name is recorded more often than it is called in the text, or less often, all the
/// files of its calls stand for each.
pub fn matched(recorded: &[&str], calls: &[Call]) -> Vec<Vec<String>> {
    let mut by_name: BTreeMap<&str, Vec<&[String]>> = BTreeMap::new();
    for call in calls {
        by_name.entry(&call.function).or_default().push(&call.files);
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in recorded {
        *counts.entry(name).or_default() += 1;
    }
    let mut turns: BTreeMap<&str, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for name in recorded {
        let known = by_name.get(name).map_or(&[][..], Vec::as_slice);
        let turn = turns.entry(name).or_default();
        let files = match counts.get(name) == Some(&known.len()) {
            true => known.get(*turn).map_or(Vec::new(), |files| files.to_vec()),
            false => once(known.iter().flat_map(|files| files.iter())),
        };
        *turn += 1;
        found.push(files);
    }
    found
}

/// Each of them once, in order.
fn once<'a>(files: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for file in files {
        if !all.contains(file) {
            all.push(file.clone());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(function: &str, files: &[&str]) -> Call {
        Call {
            function: function.to_owned(),
            files: files.iter().map(|&file| file.to_owned()).collect(),
        }
    }

    #[test]
    fn calls_are_read_in_order() {
        let text = r#"module @a {
  util.func public @other(%arg0: !hal.buffer_view) -> !hal.buffer_view {
    %0 = stream.cmd.execute with(%arg0 as %arg1: !stream.resource<external>) {
      stream.cmd.dispatch @a_dispatch_0::@a_dispatch_0_matmul_4x4_f32 {
        ro %arg1[%c0 for %c4] : !stream.resource<external>{%c4}
      } loc("x":1:1)
    } => !stream.timepoint loc(unknown)
  } loc(unknown)
  util.func public @step(%arg0: !hal.buffer_view {cnnc.name = "w"} loc("w":1:1)) -> !hal.buffer_view {
    %0 = stream.cmd.execute with(%arg0 as %arg1: !stream.resource<external>) {
      stream.cmd.concurrent {
        stream.cmd.dispatch @a_dispatch_1::@a_dispatch_1_conv_f32(%c1, %c2 : i32, i32) {
          ro %arg1[%c0 for %c4] : !stream.resource<external>{%c4},
          wo %arg1[%c0 for %c4] : !stream.resource<external>{%c4}
        } loc(fused["conv1":1:1, "stage1.relu2":1:1, "conv1":1:1])
        stream.cmd.fill %c0_i8, %arg1[%c0 for %c4] : i8 -> !stream.resource<external>{%c4} loc("pool1":1:1)
      } loc(unknown)
      stream.cmd.dispatch @a_dispatch_0::@a_dispatch_0_matmul_4x4_f32[%c4] {
        wo %arg1[%c0 for %c4] : !stream.resource<external>{%c4}
      } loc(unknown)
      stream.cmd.dispatch {@b::@v1::@a_dispatch_2_x} {
        wo %arg1[%c0 for %c4] : !stream.resource<external>{%c4}
      } loc(callsite("dense1":1:1 at "f"("dense2":1:1)))
    } => !stream.timepoint loc(unknown)
  } loc(unknown)
}"#;
        let expected = [
            call("a_dispatch_1_conv_f32", &["conv1", "stage1.relu2"]),
            call("a_dispatch_0_matmul_4x4_f32", &[]),
            call("a_dispatch_2_x", &["dense1", "dense2"]),
        ];
        assert_eq!(calls(text, "step"), expected);
        assert_eq!(calls(text, "st"), []);
    }

    /// Equal code is one function, called for one layer and then for another.
    #[test]
    fn a_function_that_several_layers_share_is_told_apart_by_its_turn() {
        let calls = [call("f", &["a"]), call("g", &["b"]), call("f", &["c"])];
        let found = matched(&["f", "g", "f", "h"], &calls);
        assert_eq!(found, [vec!["a"], vec!["b"], vec!["c"], vec![]]);
    }

    #[test]
    fn without_the_turn_all_layers_are_named() {
        let calls = [call("f", &["a"]), call("f", &["c", "a"])];
        assert_eq!(matched(&["f"], &calls), [vec!["a", "c"]]);
        assert_eq!(matched(&["f"; 4], &calls), vec![vec!["a", "c"]; 4]);
    }
}
