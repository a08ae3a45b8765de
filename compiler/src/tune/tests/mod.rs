//! One test per pattern, of its name; each shows that the value is kept.

mod batch_parts;
mod choice;
mod convolutions;
mod merged_index;
mod networks;
mod pools;
mod reductions;
mod regions;
mod relu_mask;
mod spirv;
mod strided_input_gradient;
mod weight_gradients;
mod winograd;

use std::path::Path;

use super::{Target, passes};
use crate::simplify::tests::{Draw, assert_patterns_have_tests, assert_same_value, text};
use crate::stablehlo::{Convolution, ConvolutionDims, Function, Module, Result, TensorType};

type Run = fn(&Module) -> Result<Module>;

fn ty(shape: &[i64]) -> TensorType {
    TensorType::f32(shape)
}

/// One function through a pass.
fn passed(run: Run, function: &Function) -> Function {
    let module = Module {
        functions: vec![function.clone()],
        ..Module::default()
    };
    let mut module = run(&module).expect("no failure");
    module.functions.remove(0)
}

/// What the pass makes of a function; asserts that it computes the same.
fn tuned(run: Run, function: &Function) -> Function {
    let after = passed(run, function);
    assert_same_value(function, &after, Draw::Distinct);
    assert_same_value(function, &after, Draw::Ties);
    after
}

/// Asserts that the pass leaves a function alone.
fn assert_kept(run: Run, function: &Function) {
    assert_eq!(text(&passed(run, function)), text(function));
}

/// A convolution of stride 1 without padding, of images of two dimensions.
fn plain(dims: ConvolutionDims) -> Convolution {
    Convolution {
        dims,
        strides: vec![1; 2],
        padding: vec![[0, 0]; 2],
        lhs_dilation: vec![1; 2],
        rhs_dilation: vec![1; 2],
        window_reversal: vec![false; 2],
        feature_group_count: 1,
        batch_group_count: 1,
    }
}

/// NHWC x HWIO -> NHWC.
fn nhwc() -> ConvolutionDims {
    ConvolutionDims::nhwc(2)
}

#[test]
fn every_pattern_has_a_test() {
    assert_patterns_have_tests("tune", 10);
}

/// ... and every pass shows before and after through `cnnc-opt`.
#[test]
fn every_pass_has_a_lit_test() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lit-tests/tune");
    let all = Target::ALL.into_iter().flat_map(passes);
    for pass in all.filter(|pass| pass.name != "simplify") {
        let file = folder.join(format!("{}.mlir", pass.name.replace('-', "_")));
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let command = format!("--pass={} ", pass.name);
        assert!(text.contains(&command), "{} is missing", file.display());
    }
}
