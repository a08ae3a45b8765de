//! The modules that the compiler makes of the examples: their text, their
//! structure, and that they are read back as they were written.

mod batch_size;
mod inference;
mod op_round_trip;
mod round_trips;
mod snapshots;
mod structure;
mod targets;
mod tuned;

use std::path::{Path, PathBuf};

use cnnc::driver::{self, Unit};
use cnnc::iree::Iree;
use cnnc::network::Options;
use cnnc::stablehlo::{Function, Instruction, Module, Op, Value, mlir};

/// The examples.
const NETS: [&str; 3] = ["linear", "mlp", "mnist_cnn"];

/// A small batch, to keep shapes readable.
const BATCH: i64 = 4;

/// Where the examples lie.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples")
}

fn unit(name: &str) -> Unit {
    let file = format!("{name}.net");
    let text = std::fs::read_to_string(folder().join(&file)).unwrap();
    driver::read(&file, &text, &Options::default()).unwrap()
}

fn iree() -> Iree {
    Iree::find().expect("IREE's compiler is missing: make deps")
}

/// The module as files hold it, after IREE's verifier.
fn pretty(module: &Module) -> String {
    let text = mlir::print(module).unwrap();
    iree().pretty(&text, "").unwrap()
}

/// Everything that a function is, with values numbered in the order of their
/// definition. Places in the source are left out, since pretty text has none.
fn lines(function: &Function) -> Vec<String> {
    let mut numbers = vec![usize::MAX; function.value_count()];
    let defined = function.arguments.iter().map(|a| a.value);
    for (number, value) in defined
        .chain(function.body.iter().map(|i| i.result))
        .enumerate()
    {
        numbers[value.index()] = number;
    }
    let value = |v: Value| format!("%{}: {}", numbers[v.index()], function.ty(v));
    let mut lines = vec![format!("{} {:?}", function.name, function.attributes)];
    lines.extend(
        function
            .arguments
            .iter()
            .map(|a| format!("{} {:?}", value(a.value), a.name)),
    );
    for i in &function.body {
        let operands: Vec<String> = i.operands.iter().map(|&o| value(o)).collect();
        let stop = i.stop_gradient;
        lines.push(format!(
            "{} = {:?} {operands:?} {stop}",
            value(i.result),
            i.op
        ));
    }
    lines.extend(
        function
            .outputs
            .iter()
            .map(|o| format!("return {} {:?}", value(o.value), o.name)),
    );
    lines
}

/// A function with look-up by value.
struct View<'a> {
    function: &'a Function,
    definitions: Vec<Option<usize>>,
}

impl<'a> View<'a> {
    fn new(function: &'a Function) -> Self {
        View {
            function,
            definitions: function.definitions(),
        }
    }

    /// The instruction that defines a value.
    fn definition(&self, value: Value) -> Option<&'a Instruction> {
        self.definitions[value.index()].map(|index| &self.function.body[index])
    }

    /// The operands of the operation called `name` that defines a value.
    fn operands_of(&self, value: Value, name: &str) -> Option<&'a [Value]> {
        let instruction = self.definition(value).filter(|i| i.op.name() == name)?;
        Some(&instruction.operands)
    }

    fn argument(&self, name: &str) -> Value {
        let named = |a: &&cnnc::stablehlo::Argument| a.name.as_deref() == Some(name);
        self.function.arguments.iter().find(named).unwrap().value
    }

    fn shape(&self, value: Value) -> &'a [i64] {
        &self.function.ty(value).shape
    }

    /// The value of all elements of a constant.
    fn splat(&self, value: Value) -> Option<f64> {
        match &self.definition(value)?.op {
            Op::Constant(literal) => literal.splat_value().map(|v| v.as_f64()),
            _ => None,
        }
    }

    fn all(&self, name: &str) -> Vec<&'a Instruction> {
        self.function
            .body
            .iter()
            .filter(|i| i.op.name() == name)
            .collect()
    }
}
