//! Nothing that IREE gets wrong or refuses is left in what it is given.

use cnnc::iree::Target;
use cnnc::stablehlo::{Convolution, ElementType, Function, Instruction, Op, Window};
use cnnc::tune;

use crate::tunings;

/// Extent of some cells that are spread.
fn spread(size: i64, dilation: i64) -> i64 {
    (size - 1) * dilation + 1
}

/// Whether padding is negative, or windows leave cells over.
fn crops(input: i64, [low, high]: [i64; 2], extent: i64, stride: i64, outputs: i64) -> bool {
    low < 0 || high < 0 || (outputs - 1) * stride + extent != low + input + high
}

fn convolution_fault(f: &Function, i: &Instruction, conv: &Convolution) -> Option<&'static str> {
    if conv.window_reversal.contains(&true) {
        return Some("reverses windows");
    }
    if conv.batch_group_count > 1 {
        return Some("has batch groups");
    }
    let [x, w] = [0, 1].map(|operand| &f.ty(i.operands[operand]).shape);
    let (y, dims) = (&f.ty(i.result).shape, &conv.dims);
    let cropped = (0..dims.input_spatial.len()).any(|s| {
        crops(
            spread(x[dims.input_spatial[s]], conv.lhs_dilation[s]),
            conv.padding[s],
            spread(w[dims.kernel_spatial[s]], conv.rhs_dilation[s]),
            conv.strides[s],
            y[dims.output_spatial[s]],
        )
    });
    cropped.then_some("crops its input")
}

fn window_fault(f: &Function, i: &Instruction, window: &Window) -> Option<&'static str> {
    let (x, y) = (&f.ty(i.operands[0]).shape, &f.ty(i.result).shape);
    let cropped = (0..x.len()).any(|d| {
        crops(
            spread(x[d], window.base_dilations[d]),
            window.padding[d],
            spread(window.size[d], window.window_dilations[d]),
            window.strides[d],
            y[d],
        )
    });
    cropped.then_some("crops its operand")
}

/// What is wrong with an instruction, for a target.
fn fault(f: &Function, i: &Instruction, spirv: bool) -> Option<&'static str> {
    if spirv && f.ty(i.result).element == ElementType::I8 {
        return Some("has bytes, of which SPIR-V loses the last");
    }
    match &i.op {
        Op::SelectAndScatter { .. } => Some("gives ties to the last maximal cell"),
        Op::Convolution(conv) => convolution_fault(f, i, conv).or_else(|| {
            // Depthwise ones have a lowering of their own.
            let inputs = f.ty(i.operands[1]).shape[conv.dims.kernel_input];
            let grouped = conv.feature_group_count > 1 && inputs > 1;
            (spirv && grouped).then_some("has groups of several channels")
        }),
        Op::ReduceWindow { window, .. } => window_fault(f, i, window),
        _ => None,
    }
}

fn assert_none(what: &str, f: &Function, spirv: bool) {
    for i in &f.body {
        let name = i.op.name();
        assert_eq!(
            fault(f, i, spirv),
            None,
            "{what}: {name} of @{} at {}",
            f.name,
            i.location
        );
        for region in i.op.compound().iter().flat_map(|op| op.regions()) {
            assert_none(what, region, spirv);
        }
    }
}

/// Instructions of a step, above which tuning at every choice takes long.
const LARGE: usize = 1000;

/// The net at full size, for every target, whatever is left out; of large nets all or nothing is,
/// unless every choice is asked for.
pub fn is_what_iree_gets_right(file: &str, net: &str, every_choice: bool) {
    let unit = crate::full(file, net);
    let portable = unit.portable(4, &["train_step", "evaluate"]).unwrap();
    // A max-pool is found by the checks, where there is one.
    let pools = |i: &&Instruction| i.op.name() == "select_and_scatter";
    let step = &portable.functions[0];
    for pool in step.body.iter().filter(pools) {
        assert!(fault(step, pool, false).is_some());
    }
    let choices = match every_choice || step.body.len() <= LARGE {
        true => tunings::all(),
        false => tunings::extremes(),
    };
    println!(
        "{} instructions, {} choices",
        step.body.len(),
        choices.len()
    );
    // Metal has the passes of Vulkan.
    let passes = |target| tune::passes(target).as_ptr();
    assert_eq!(passes(Target::Metal), passes(Target::Vulkan));
    for target in [Target::Cpu, Target::Vulkan, Target::Cuda, Target::Rocm] {
        let spirv = target == Target::Vulkan;
        for (tuning, tuned) in tunings::distinct(&portable, target, &choices) {
            for function in &tuned.functions {
                assert_none(&format!("{} {tuning}", target.name()), function, spirv);
            }
        }
    }
}
