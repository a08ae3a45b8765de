//! Training steps with state, compiled: accumulation, clipping, averages, and
//! how state is stored.

use super::net::{Net, tensor, unit};
use super::programs;
use cnnc::iree::Target;
use cnnc_runtime::manifest::Scope;
use cnnc_runtime::state::State;

/// One weight at 0 on images of one pixel, so that the gradient of an example
/// of label 1 is -2 times its pixel.
fn single(settings: &str) -> String {
    format!(
        "net a {{ input x: f32[N, 1, 1, 1]; x |> flatten |> dense(1, bias=false) }}
         train {{ loss = mean_squared_error; optimizer = sgd(1); {settings} }}"
    )
}

/// Examples of gradients 1 to 10 in batches of 4, 4 and 2: their mean is 5.5,
/// not that of the batches' means, 6.166667.
#[test]
fn bug_48_accumulated_gradients_are_those_of_one_batch() {
    let runtime = programs::runtime();
    let pixels: Vec<f32> = (1..=10).map(|i| -0.5 * i as f32).collect();
    let functions = ["train_step"];
    let [four, two] = [4, 2].map(|batch| {
        let text = single("accumulate = 3;");
        Net::new(&runtime, &text, batch, &functions).program
    });
    let whole = Net::new(&runtime, &single(""), 10, &functions);
    let parts = Net::new(&runtime, &single("accumulate = 3;"), 4, &functions);
    let mut state = parts.state(&[("dense1.weight", &[0.0])]);
    let batches = [
        (&four, 0..4, false),
        (&four, 4..8, false),
        (&two, 8..10, true),
    ];
    for (program, range, update) in batches {
        assert_eq!(tensor(&parts, &state, "dense1.weight"), [0.0]);
        let label = vec![1; range.len()];
        let output = program.train_step(&mut state, &pixels[range], &label, 1.0, update);
        assert_eq!(output.expect("runs").correct, 0);
    }
    assert_eq!(tensor(&parts, &state, "dense1.weight"), [-5.5]);
    assert_eq!(tensor(&parts, &state, "dense1.weight.sum"), [0.0]);
    assert_eq!(tensor(&parts, &state, "optimizer:examples"), [0.0]);
    let mut state = whole.state(&[("dense1.weight", &[0.0])]);
    let output = whole
        .program
        .train_step(&mut state, &pixels, &[1; 10], 1.0, true);
    output.expect("runs");
    assert_eq!(tensor(&whole, &state, "dense1.weight"), [-5.5]);
}

/// A net with everything that a step can hold.
fn lively(settings: &str) -> String {
    format!(
        "net a {{ input x: f32[N, 2, 6, 6];
             x |> conv(4, kernel=3) |> relu |> max_pool(2) |> conv(3, kernel=2) |> flatten
               |> dense(3) }}
         train {{ optimizer = adamw(0.01, weight_decay=0.1); {settings} }}"
    )
}

fn image(examples: usize, seed: usize) -> Vec<f32> {
    let value = |i: usize| ((i * 37 + seed * 101) % 211) as f32 / 100.0 - 1.0;
    (0..examples * 72).map(value).collect()
}

const LABEL: [i32; 6] = [0, 2, 1, 1, 0, 2];

/// Two updates of six examples, at once and in batches of two: Adam, decay,
/// clipping and averages follow the update, not the batch.
#[test]
fn every_setting_goes_by_updates() {
    let runtime = programs::runtime();
    let settings = "clip_norm = 0.5; ema = 0.75; decay = weights;";
    let whole = Net::new(&runtime, &lively(settings), 6, &["init", "train_step"]);
    let settings = format!("{settings} accumulate = 3;");
    let parts = Net::new(&runtime, &lively(&settings), 2, &["init", "train_step"]);
    let mut one = whole.program.init(5).expect("drawn");
    let mut two = parts.program.init(5).expect("drawn");
    for update in 0..2 {
        let image = image(6, update);
        let step = whole
            .program
            .train_step(&mut one, &image, &LABEL, 0.01, true);
        let norm = step.expect("runs").gradient_norm.expect("clipped");
        assert!(norm > 0.5, "nothing is clipped: {norm}");
        for part in 0..3 {
            let pixels = &image[part * 144..(part + 1) * 144];
            let label = &LABEL[part * 2..part * 2 + 2];
            let step = parts
                .program
                .train_step(&mut two, pixels, label, 0.01, part == 2);
            let found = step.expect("runs").gradient_norm.expect("clipped");
            if part == 2 {
                assert!((found / norm - 1.0).abs() < 1e-5, "{found} and {norm}");
            }
        }
    }
    let state = &whole.program.manifest().state;
    let parameters = &whole.program.manifest().parameters;
    let names = state
        .iter()
        .chain(parameters)
        .map(|variable| &variable.name);
    for name in names {
        let (one, two) = (tensor(&whole, &one, name), tensor(&parts, &two, name));
        for (one, two) in one.iter().zip(&two) {
            let tolerance = 1e-5 * one.abs().max(1e-2);
            assert!((one - two).abs() <= tolerance, "{name}: {one} and {two}");
        }
    }
    assert_eq!(tensor(&parts, &two, "optimizer:updates"), [2.0]);
}

/// The average moves a quarter of the way to the parameter at each update, and
/// evaluation uses it.
#[test]
fn averages_of_parameters() {
    let text = single("ema = 0.75;");
    let functions = ["init", "train_step", "evaluate"];
    let net = Net::new(&programs::runtime(), &text, 1, &functions);
    let drawn = net.program.init(3).expect("drawn");
    let initial = tensor(&net, &drawn, "dense1.weight")[0];
    assert!(initial != 0.0);
    assert_eq!(tensor(&net, &drawn, "dense1.weight.average"), [initial]);
    // From 0 with a pixel of 1 and label 1 by w -= 0.25 * 2 (w - 1).
    let mut state = net.state(&[("dense1.weight", &[0.0])]);
    for (weight, average) in [(0.5, 0.125), (0.75, 0.28125), (0.875, 0.4296875)] {
        let step = net.program.train_step(&mut state, &[1.0], &[1], 0.25, true);
        step.expect("runs");
        assert_eq!(tensor(&net, &state, "dense1.weight"), [weight]);
        assert_eq!(tensor(&net, &state, "dense1.weight.average"), [average]);
    }
    let loss = |state: &State| {
        let found = net.program.evaluate(state, &[1.0], &[1], &[1.0]);
        found.expect("runs").loss
    };
    assert_eq!(loss(&state), 0.125 * 0.125);
    let averaged = state.averaged(net.program.manifest());
    assert_eq!(loss(&averaged), (1.0 - 0.4296875) * (1.0 - 0.4296875));
    // The state itself is as it was.
    assert_eq!(tensor(&net, &state, "dense1.weight"), [0.875]);
}

/// Running statistics are averaged with the parameters: at the start of the
/// training by the rule of the average, from 0 and 1.
#[test]
fn averages_of_running_statistics() {
    let text =
        "net a { input x: f32[N, 1, 1, 1]; x |> batch_norm(momentum=0.5) |> flatten |> dense(2) }
                train { optimizer = sgd(0.1); ema = 0.75; }";
    let net = Net::new(&programs::runtime(), text, 2, &["init", "train_step"]);
    let mut state = net.program.init(0).expect("drawn");
    let step = net
        .program
        .train_step(&mut state, &[2.0, 6.0], &[0, 1], 0.1, true);
    step.expect("runs");
    // Mean 4 and unbiased variance 8, halfway from 0 and 1; then a quarter of that way.
    assert_eq!(tensor(&net, &state, "batch_norm1.running_mean"), [2.0]);
    assert_eq!(tensor(&net, &state, "batch_norm1.running_var"), [4.5]);
    assert_eq!(
        tensor(&net, &state, "batch_norm1.running_mean.average"),
        [0.5]
    );
    assert_eq!(
        tensor(&net, &state, "batch_norm1.running_var.average"),
        [1.875]
    );
}

/// An infinite norm is told, and the weights show what made it so.
#[test]
fn bug_54_a_gradient_that_is_not_finite_is_told() {
    let net = Net::new(
        &programs::runtime(),
        &single("clip_norm = 1;"),
        1,
        &["train_step"],
    );
    let mut state = net.state(&[("dense1.weight", &[0.0])]);
    let step = net
        .program
        .train_step(&mut state, &[f32::INFINITY], &[1], 1.0, true);
    let norm = step.expect("runs").gradient_norm.expect("clipped");
    assert!(!norm.is_finite(), "{norm}");
    assert!(!tensor(&net, &state, "dense1.weight")[0].is_finite());
    // Norms beyond the range of f32 clip nothing to 0.
    let mut state = net.state(&[("dense1.weight", &[0.0])]);
    let step = net
        .program
        .train_step(&mut state, &[-1e25], &[1], 1.0, true);
    assert_eq!(step.expect("runs").gradient_norm, Some(f32::INFINITY));
    assert_ne!(tensor(&net, &state, "dense1.weight"), [0.0]);
}

/// In a tuned program a kernel is stored channels last and the rows of a dense
/// weight in another order; what the optimizer remembers of them, too.
#[test]
fn state_is_stored_as_its_parameter() {
    let settings = "ema = 0.9; accumulate = 2;";
    let tuned = unit(&lively(settings)).tuned(4, &["train_step"], Target::Cpu);
    let json = cnnc::driver::manifest_json(&tuned.expect("tuned"), Target::Cpu, Some("host"));
    let manifest = cnnc_runtime::manifest::Manifest::parse(&json).expect("valid");
    let moved = manifest.parameters.iter().filter(|p| p.stored.is_some());
    assert_eq!(moved.count(), 3, "two kernels and a dense weight");
    let roles = ["m", "v", "sum", "average"];
    for (index, parameter) in manifest.parameters.iter().enumerate() {
        for (place, role) in roles.iter().enumerate() {
            let variable = &manifest.state[roles.len() * index + place];
            assert_eq!(variable.name, format!("{}.{role}", parameter.name));
            assert_eq!(variable.stored, parameter.stored, "{}", variable.name);
            assert_eq!(variable.of.as_ref(), Some(&parameter.name));
            assert_eq!(variable.scope, Some(Scope::Optimizer));
        }
    }
    let counters: Vec<&str> = manifest.state[24..].iter().map(|v| &*v.name).collect();
    assert_eq!(counters, ["optimizer:updates", "optimizer:examples"]);
}
