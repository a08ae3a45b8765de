//! The batch is a number in the types and nothing else.

use cnnc::driver;
use cnnc::iree::Target;
use cnnc::network::Options;
use cnnc::stablehlo::{Module, Op, mlir};

use crate::unit;

/// What has state, means over the batch, and random numbers. No size is one of the batches:
/// equal constants are one.
const LIVELY: &str = "net lively { input image: f32[N, 3, 28, 28];
        image |> conv(12, kernel=3) |> batch_norm |> relu |> max_pool(3, stride=2, padding=1)
              |> depthwise_conv(kernel=3, stride=2) |> layer_norm |> gelu |> avg_pool(2)
              |> dropout(0.5) |> global_avg_pool |> dense(10) }
    train { optimizer = adamw; clip_norm = 1; ema = 0.9; accumulate = 2; }";

const BATCHES: [i64; 3] = [8, 64, 512];
/// Batches that the tuning leaves whole, in the same forms, and those that it divides, in four parts at most.
const WHOLE: [i64; 3] = [16, 24, 32];
const IN_PARTS: [i64; 3] = [2560, 3840, 5120];

/// The operations of a module, with their operands' ranks, and its largest constant.
fn outline(module: &Module) -> (Vec<String>, usize) {
    let mut lines = Vec::new();
    let mut largest = 0;
    for function in &module.functions {
        for instruction in &function.body {
            if let Op::Constant(literal) = &instruction.op {
                largest = largest.max(literal.values.len());
            }
            let ranks = instruction.operands.iter();
            let ranks: Vec<usize> = ranks.map(|&v| function.ty(v).shape.len()).collect();
            lines.push(format!(
                "@{} {} {ranks:?}",
                function.name,
                instruction.op.name()
            ));
        }
    }
    (lines, largest)
}

/// No loop is unrolled over the batch, and no constant has an element for each example.
#[test]
fn bug_32_modules_are_as_long_for_any_batch() {
    let lively = driver::read("lively.net", LIVELY, &Options::default());
    for (net, unit) in [
        ("mnist_cnn", unit("mnist_cnn")),
        ("lively", lively.unwrap()),
    ] {
        for (tuned, batches) in [(false, BATCHES), (true, WHOLE), (true, IN_PARTS)] {
            let modules = batches.map(|batch| match tuned {
                false => unit.portable(batch, &[]).unwrap(),
                true => unit.tuned(batch, &[], Target::Cpu).unwrap(),
            });
            let [(first, constant), rest @ ..] = modules.each_ref().map(outline);
            assert!(first.len() > 100, "{net}: {} operations", first.len());
            for (other, _) in &rest {
                let pairs = first.iter().zip(other);
                let differing = pairs.clone().find(|(one, two)| one != two);
                assert_eq!(differing, None, "{net}, tuned: {tuned}");
                assert_eq!(first.len(), other.len(), "{net}, tuned: {tuned}");
            }
            assert!(constant < 8, "{net}: a constant of {constant} elements");
            for (_, other) in rest {
                assert_eq!(other, constant);
            }
            // A number of the batch has one digit, then two, then three, or always four.
            let lengths = modules.map(|module| mlir::print(&module).unwrap().len());
            assert!(lengths[2] * 100 < lengths[0] * 105, "{net}: {lengths:?}");
        }
    }
}
