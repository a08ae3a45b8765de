//! The same programs on Vulkan as on the CPU.

#[path = "common/examples.rs"]
mod examples;
#[path = "common/programs.rs"]
mod programs;

use cnnc::driver;
use cnnc::network::Options;
use cnnc_runtime::device::Runtime;
use cnnc_runtime::program::Program;
use cnnc_runtime::state::State;
use cnnc_runtime::tensor::NamedTensor;

/// Examples of the test data.
const EXAMPLES: usize = 16;

/// Relative error in norm that sums in another order may make.
const TOLERANCE: f64 = 1e-5;

fn images() -> Vec<f32> {
    let bytes = std::fs::read(examples::data("fixtures/mnist16-images.idx3-ubyte")).unwrap();
    let pixels = bytes[16..].iter().map(|&b| f32::from(b) / 255.0);
    pixels.collect()
}

fn labels() -> Vec<i32> {
    let bytes = std::fs::read(examples::data("fixtures/mnist16-labels.idx1-ubyte")).unwrap();
    bytes[8..].iter().map(|&b| i32::from(b)).collect()
}

/// The initial parameters of seed 3, drawn by the CPU, on the device of the
/// program.
fn parameters(cpu: &Program, program: &Program) -> State {
    let drawn = cpu.init(3).unwrap().download(cpu.manifest()).unwrap();
    State::upload(program.runtime(), program.manifest(), &drawn).unwrap()
}

/// |a - b| / |b|
fn error(a: &NamedTensor, b: &NamedTensor) -> f64 {
    assert_eq!((&a.name, &a.shape), (&b.name, &b.shape));
    let values = |t: &NamedTensor| t.elements.as_f32().unwrap().to_vec();
    let (a, b) = (values(a), values(b));
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
    let size = norm(&mut b.iter().map(|&v| f64::from(v)));
    assert!(size > 0.0);
    norm(&mut a.iter().zip(&b).map(|(&a, &b)| f64::from(a) - f64::from(b))) / size
}

fn devices(test: &str) -> Option<[Runtime; 2]> {
    programs::vulkan(test).map(|vulkan| [programs::runtime(), vulkan])
}

#[test]
fn gradients_of_the_small_nets() {
    let Some(devices) = devices("gradients of the small nets") else {
        return;
    };
    let (images, labels) = (images(), labels());
    for net in ["linear", "mlp"] {
        let unit = examples::example(net);
        let functions = ["init", "gradients"];
        let [cpu, vulkan] =
            [0, 1].map(|i| programs::program(&devices[i], &unit, EXAMPLES as i64, &functions));
        let [expected, found] = [&cpu, &vulkan].map(|program| {
            let state = parameters(&cpu, program);
            program.gradients(&state, &images, &labels).unwrap()
        });
        let apart = f64::from((found.loss - expected.loss).abs() / expected.loss);
        println!("{net}: losses {apart:.1e} apart");
        assert!(apart < TOLERANCE);
        for (a, b) in found.gradients.iter().zip(&expected.gradients) {
            let error = error(a, b);
            println!("{net}: {} {error:.1e}", a.name);
            assert!(error < TOLERANCE, "{net}: {}: {error}", a.name);
        }
    }
}

/// A convolution, a pool and a group of channels: what a small net has.
const SMALL: &str = "net small {
    input image: f32[N, 1, 28, 28];
    image |> conv(6, kernel=5) |> relu |> max_pool(2)
          |> conv(12, kernel=3, groups=2) |> relu |> max_pool(2)
          |> flatten |> dense(32) |> relu |> dense(10)
}
";

/// Six steps of eight examples, from what each device draws. A difference
/// grows with every step: ten times the tolerance of one gradient.
#[test]
fn a_short_training() {
    let Some(devices) = devices("a short training") else {
        return;
    };
    let unit = driver::read("small.net", SMALL, &Options::default()).unwrap();
    let (images, labels) = (images(), labels());
    let (half, functions) = (EXAMPLES / 2, ["init", "train_step"]);
    let mut runs = Vec::new();
    for device in &devices {
        let program = programs::program(device, &unit, half as i64, &functions);
        let mut state = program.init(5).unwrap();
        let start = state.download(program.manifest()).unwrap();
        let mut losses = Vec::new();
        for step in 0..6 {
            let first = step % 2 * half;
            let pixels = &images[784 * first..784 * (first + half)];
            let label = &labels[first..first + half];
            let output = program
                .train_step(&mut state, pixels, label, 0.05, true)
                .unwrap();
            losses.push(f64::from(output.loss));
        }
        let end = state.download(program.manifest()).unwrap();
        runs.push((start, losses, end));
    }
    let [cpu, vulkan] = [&runs[0], &runs[1]];
    for (a, b) in vulkan.0.parameters.iter().zip(&cpu.0.parameters) {
        if !b.name.ends_with("bias") {
            let error = error(a, b);
            println!("initial {} {error:.1e}", a.name);
            assert!(error < TOLERANCE, "initial {}: {error}", a.name);
        }
    }
    println!("losses {:?} and {:?}", cpu.1, vulkan.1);
    assert!(cpu.1[5] < cpu.1[0], "nothing is learnt: {:?}", cpu.1);
    for (a, b) in vulkan.1.iter().zip(&cpu.1) {
        assert!((a - b).abs() < 10.0 * TOLERANCE * b, "losses {a} and {b}");
    }
    for (a, b) in vulkan.2.parameters.iter().zip(&cpu.2.parameters) {
        let error = error(a, b);
        println!("trained {} {error:.1e}", a.name);
        assert!(error < 10.0 * TOLERANCE, "trained {}: {error}", a.name);
    }
}
