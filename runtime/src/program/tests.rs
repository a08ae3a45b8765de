use super::*;
use crate::data::Batches;
use crate::data::{Epoch, Preparation, training_batches};
use crate::fixture;
use crate::manifest::ManifestError;
use crate::state::State;
use crate::tensor::Elements;
use serde_json::json;

// The numbers below come from PyTorch in f64, written from the contract: weight [4, 3] of
// 0.01 (3 pixel + class) + seed / 1000, bias 0, the images of `fixture::examples`.

fn first_batch(size: usize) -> (Vec<f32>, Vec<i32>) {
    let data = fixture::examples(size);
    let mut batches: Batches = training_batches(
        &data,
        &Preparation::default(),
        size,
        Epoch {
            number: 1,
            shuffle: None,
            taken: 0,
        },
    )
    .expect("a thread");
    let batch = batches.next().expect("one batch");
    (batch.image, batch.label)
}

fn assert_close(found: &[f32], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (f64::from(*found) - expected).abs();
        assert!(
            error < 2e-7 * expected.abs().max(1.0),
            "[{index}]: {found} against {expected}"
        );
    }
}

const WEIGHT_GRADIENT: [f64; 12] = [
    -0.03768656111923727,
    0.03626512259711148,
    0.001421438522125791,
    -0.07898973443209814,
    0.05619087442538406,
    0.022798860006714092,
    -0.12029290774495899,
    0.07611662625365664,
    0.04417628149130237,
    -0.07479670652509546,
    -0.0712576537362905,
    0.1460543602613859,
];
const BIAS_GRADIENT: [f64; 3] = [
    -0.1726608064717954,
    0.08329617567556569,
    0.08936463079622974,
];
const LOSS: f64 = 1.1037629841958054;

#[test]
fn init_draws_the_parameters_in_canonical_layout() {
    let program = fixture::program(&fixture::runtime(), 4);
    let snapshot = program
        .init(7)
        .expect("drawn")
        .download(program.manifest())
        .expect("read");
    let weight = &snapshot.parameters[0];
    assert_eq!(
        (weight.name.as_str(), &*weight.shape),
        ("dense1.weight", &[4, 3][..])
    );
    let expected: Vec<f64> = (0..12).map(|i| 0.01 * f64::from(i) + 0.007).collect();
    assert_close(weight.elements.as_f32().expect("f32"), &expected);
    assert_eq!(snapshot.parameters[1].elements, Elements::F32(vec![0.0; 3]));
    assert_eq!(snapshot.state[0].elements, Elements::U64(vec![0]));
}

#[test]
fn forward_and_loss() {
    let program = fixture::program(&fixture::runtime(), 4);
    let state = program.init(7).expect("drawn");
    let (image, label) = first_batch(4);
    let logits = program.forward(&state, &image).expect("logits");
    let expected = [
        0.11051764705882354,
        0.12487058823529414,
        0.13922352941176472,
        0.1406980392156863,
        0.16085490196078434,
        0.18101176470588237,
        0.07349803921568628,
        0.08941960784313728,
        0.10534117647058824,
        0.10367843137254902,
        0.12540392156862745,
        0.1471294117647059,
    ];
    assert_close(&logits, &expected);
    assert_close(
        &[program.loss(&state, &image, &label).expect("a loss")],
        &[LOSS],
    );
}

#[test]
fn gradients_come_in_canonical_layout() {
    let program = fixture::program(&fixture::runtime(), 4);
    let state = program.init(7).expect("drawn");
    let (image, label) = first_batch(4);
    let result = program
        .gradients(&state, &image, &label)
        .expect("gradients");
    assert_close(&[result.loss], &[LOSS]);
    let values = |index: usize| result.gradients[index].elements.as_f32().expect("f32");
    assert_close(values(0), &WEIGHT_GRADIENT);
    assert_close(values(1), &BIAS_GRADIENT);
    assert_eq!(result.gradients[0].shape, [4, 3]);
}

#[test]
fn pullback_of_a_cotangent() {
    let program = fixture::program(&fixture::runtime(), 4);
    let state = program.init(7).expect("drawn");
    let (image, _) = first_batch(4);
    let cotangent: Vec<f32> = (0..12u8).map(|i| f32::from(i) - 5.0).collect();
    let gradients = program
        .pullback(&state, &image, &cotangent)
        .expect("gradients");
    let expected = [
        1.7411764705882353,
        2.6117647058823534,
        3.4823529411764707,
        1.2627450980392156,
        3.090196078431373,
        4.91764705882353,
        0.784313725490196,
        3.568627450980392,
        6.352941176470589,
        -4.7137254901960794,
        -2.980392156862745,
        -1.2470588235294118,
    ];
    assert_close(gradients[0].elements.as_f32().expect("f32"), &expected);
    assert_eq!(gradients[1].elements, Elements::F32(vec![-2.0, 2.0, 6.0]));
}

#[test]
fn a_step_moves_against_the_gradient() {
    let program = fixture::program(&fixture::runtime(), 4);
    let mut state = program.init(7).expect("drawn");
    let (image, label) = first_batch(4);
    let output = program
        .train_step(&mut state, &image, &label, 0.5, true)
        .expect("a step");
    assert_close(&[output.loss], &[LOSS]);
    assert_eq!(output.correct, 1);
    let after = state.download(program.manifest()).expect("read");
    let moved: Vec<f64> = WEIGHT_GRADIENT
        .iter()
        .enumerate()
        .map(|(i, gradient)| 0.01 * i as f64 + 0.007 - 0.5 * gradient)
        .collect();
    assert_close(after.parameters[0].elements.as_f32().expect("f32"), &moved);
    assert_eq!(after.state[0].elements, Elements::U64(vec![1]));
}

#[test]
fn evaluate_counts_rows_of_weight_1() {
    let program = fixture::program(&fixture::runtime(), 4);
    let state = program.init(7).expect("drawn");
    let (image, label) = first_batch(4);
    let weight = [1.0, 0.0, 1.0, 0.0];
    let output = program
        .evaluate(&state, &image, &label, &weight)
        .expect("evaluated");
    assert_close(&[output.loss], &[1.11303389763923 + 1.0827752170382325]);
    assert_eq!(output.correct, 1);
}

/// Programs of two batch sizes work on the same buffers, without a copy through the host.
#[test]
fn two_programs_share_one_state() {
    let runtime = fixture::runtime();
    let (four, two) = (fixture::program(&runtime, 4), fixture::program(&runtime, 2));
    assert_eq!(four.manifest().difference(two.manifest()), None);
    let mut state = four.init(0).expect("drawn");
    let (image, label) = first_batch(4);
    four.train_step(&mut state, &image, &label, 0.5, true)
        .expect("a step");
    let (image, label) = first_batch(2);
    two.train_step(&mut state, &image, &label, 0.5, true)
        .expect("a step");
    let after = state.download(two.manifest()).expect("read");
    assert_eq!(after.state[0].elements, Elements::U64(vec![2]));
}

#[test]
fn snapshots_survive_the_device() {
    let program = fixture::program(&fixture::runtime(), 4);
    let snapshot = program
        .init(3)
        .expect("drawn")
        .download(program.manifest())
        .expect("read");
    let state = State::upload(program.runtime(), program.manifest(), &snapshot).expect("fits");
    assert_eq!(state.download(program.manifest()).expect("read"), snapshot);
    let mut wrong = snapshot.clone();
    wrong.parameters.swap(0, 1);
    let error = State::upload(program.runtime(), program.manifest(), &wrong);
    assert_eq!(
        error.err().expect("swapped").to_string(),
        "tensor 0 is `dense1.bias: f32[3]`, the program takes `dense1.weight: f32[4, 3]` there"
    );
    wrong.parameters.pop();
    let error = State::upload(program.runtime(), program.manifest(), &wrong);
    assert_eq!(
        error.err().expect("one").to_string(),
        "1 parameters, the program takes 2"
    );
}

#[test]
fn arguments_of_the_wrong_size_are_named() {
    let program = fixture::program(&fixture::runtime(), 4);
    let mut state = program.init(0).expect("drawn");
    let (image, label) = first_batch(4);
    let error = program.forward(&state, &image[1..]).expect_err("15 values");
    assert_eq!(
        error.to_string(),
        "`image` has 15 values, the program takes 16"
    );
    let error = program
        .train_step(&mut state, &image, &label[..2], 0.1, true)
        .expect_err("two");
    assert_eq!(
        error.to_string(),
        "`label` has 2 values, the program takes 4"
    );
    let error = program
        .evaluate(&state, &image, &label, &[1.0])
        .expect_err("one");
    assert_eq!(
        error.to_string(),
        "`weight` has 1 values, the program takes 4"
    );
    let error = program.pullback(&state, &image, &[]).expect_err("none");
    assert_eq!(
        error.to_string(),
        "`cotangent` has 0 values, the program takes 12"
    );
}

fn load_with(change: impl FnOnce(&mut serde_json::Value)) -> ProgramError {
    let mut manifest = fixture::manifest(4);
    change(&mut manifest);
    let vmfb = fixture::compile(&fixture::source(4, &manifest));
    Program::load(&fixture::runtime(), &vmfb).expect_err("refused")
}

#[test]
fn a_program_for_another_device_is_refused() {
    let error = load_with(|manifest| manifest["target"] = json!("vulkan"));
    assert_eq!(
        error.to_string(),
        "the program was compiled for `vulkan`, the device is `local-task`"
    );
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_program_for_another_cpu_is_refused_before_it_runs() {
    // No CPU has everything of both makers; one of them must be missing here.
    let cpus = ["sapphirerapids", "znver4", "x86-64-v4"];
    let Some(cpu) = cpus
        .into_iter()
        .find(|cpu| !missing_features(cpu).is_empty())
    else {
        return;
    };
    let error = load_with(|manifest| manifest["cpu"] = json!(cpu)).to_string();
    let start = format!("the program was compiled for the CPU `{cpu}`; this machine lacks avx512");
    assert!(error.starts_with(&start), "{error}");
}

#[test]
fn a_manifest_of_another_program_is_refused() {
    let error = load_with(|manifest| manifest["state"] = json!([]));
    assert_eq!(
        error.to_string(),
        "the program's `init` takes 1 values and gives 3; its manifest calls for 1 and 2"
    );
    let error = load_with(|manifest| manifest["version"] = json!(9));
    assert!(matches!(
        error,
        ProgramError::Manifest(ManifestError::Version { .. })
    ));
}

#[test]
fn bytes_that_are_no_program() {
    let runtime = fixture::runtime();
    let whole = fixture::vmfb(4);
    for length in [0, 1, 8, 64, whole.len() / 2, whole.len() * 3 / 4] {
        let error = Program::load(&runtime, &whole[..length])
            .expect_err("cut")
            .to_string();
        let start = format!("not a compiled program (.vmfb of {length} bytes): ");
        assert!(error.starts_with(&start), "{error}");
    }
    let error = Program::load(&runtime, b"<!DOCTYPE html>")
        .expect_err("HTML")
        .to_string();
    assert!(
        error.starts_with("not a compiled program (.vmfb of 15 bytes): "),
        "{error}"
    );
}

#[test]
fn a_program_without_manifest_or_function() {
    let source = "module @bare { func.func @forward(%x: tensor<f32>) -> tensor<f32> { \
                  return %x : tensor<f32> } }";
    let vmfb = fixture::compile(source);
    let error = Program::load(&fixture::runtime(), &vmfb)
        .expect_err("bare")
        .to_string();
    assert_eq!(
        error,
        "the program `bare` carries no `cnnc.manifest`: it was not made by cnnc"
    );

    let manifest = fixture::manifest(1).to_string().replace('"', "\\\"");
    let source = format!(
        "module @few {{ func.func @forward(%w: tensor<3x4xf32>, %b: tensor<3xf32>, \
         %x: tensor<1x1x2x2xf32>) -> tensor<3xf32> attributes \
         {{iree.reflection = {{cnnc.manifest = \"{manifest}\"}}}} {{ return %b : tensor<3xf32> }} }}"
    );
    let vmfb = fixture::compile(&source);
    let program = Program::load(&fixture::runtime(), &vmfb).expect("valid");
    assert!(program.has(Entry::Forward) && !program.has(Entry::Init));
    let error = program.init(0).err().expect("none").to_string();
    assert_eq!(error, "the program has no function `init`; it has forward");
}
