//! Small networks in which a wrong axis has a right size: four examples, four
//! channels, four classes.

use cnnc::driver::{self, Unit};
use cnnc::iree::Target;
use cnnc::network::Options;
use cnnc::stablehlo::Module;

/// Fan-out, a strided convolution with asymmetric padding, a pool, square
/// dense layers.
const PLAIN: &str = "net plain {
    input image: f32[N, 1, 8, 8];
    let a = image |> conv(4, kernel=3) |> relu;
    let b = a |> conv(4, kernel=3) |> relu;
    a + b |> conv(4, kernel=3, stride=2) |> relu |> max_pool(2) |> flatten
      |> dense(4) |> relu |> dense(4) |> relu |> dense(4)
}
";

/// Groups, dilation, an even kernel, and a pool whose windows overlap.
const GROUPED: &str = "net grouped {
    input image: f32[N, 2, 9, 9];
    image |> conv(4, kernel=2, stride=2) |> relu
      |> conv(4, kernel=3, groups=2) |> relu
      |> conv(4, kernel=3, dilation=2) |> relu
      |> max_pool(3, stride=2, padding=1) |> flatten |> dense(4)
}
";

const BATCH: i64 = 4;

fn unit(text: &str) -> Unit {
    driver::read("faults.net", text, &Options::default()).expect("a right network")
}

fn portable(text: &str) -> Module {
    unit(text).portable(BATCH, &[]).expect("a portable module")
}

fn both(text: &str) -> (Module, Module) {
    let tuned = unit(text).tuned(BATCH, &[], Target::Cpu);
    (portable(text), tuned.expect("a tuned module"))
}

pub fn plain() -> Module {
    portable(PLAIN)
}

pub fn grouped() -> Module {
    portable(GROUPED)
}

pub fn tuned_plain() -> (Module, Module) {
    both(PLAIN)
}

pub fn tuned_grouped() -> (Module, Module) {
    both(GROUPED)
}
