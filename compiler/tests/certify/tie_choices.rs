//! Ties of max-pools in whole nets, whatever the tuning does without.

use cnnc::certify::{Random, Values, execute, point};
use cnnc::driver;
use cnnc::iree::Target;
use cnnc::network::Options;
use cnnc::stablehlo::Module;
use cnnc::tune::{self, Options as Choices};

use crate::iree::Machine;
use crate::subjects::subject;
use crate::tunings;

/// Windows that tile, overlap, are padded and leave cells over, after relus and before them; strides, groups and one
/// channel for the convolutions around them.
const NETS: [&str; 2] = [
    "net alone {
        input image: f32[N, 1, 11, 9];
        image |> conv(4, kernel=3) |> max_pool(3, stride=2, padding=1) |> relu
              |> conv(4, kernel=3, stride=2, groups=2) |> relu |> max_pool((2, 1), stride=(2, 3))
              |> flatten |> dense(4)
    }",
    "net both {
        input image: f32[N, 2, 8, 9];
        let x = image |> conv(4, kernel=3) |> relu;
        (x |> max_pool(3, stride=1, padding=1)) + x |> max_pool(2) |> conv(6, kernel=3) |> relu
              |> max_pool((3, 2), stride=(2, 1), padding=((2, 0), (0, 1))) |> flatten |> dense(5) |> relu |> dense(4)
    }",
];

fn portable(text: &str, batch: i64) -> Module {
    let unit = driver::read("ties.net", text, &Options::default()).unwrap();
    unit.portable(batch, &[]).unwrap()
}

/// The gradients of a tuned module on IREE, canonical.
fn pullback(machine: &Machine, tuned: &Module, values: &Values<f64>) -> Values<f32> {
    let tuned = subject(tuned);
    let mut module = tuned.module().clone();
    module.functions.retain(|f| f.name == "pullback");
    let loaded = machine.load_tuned(module).unwrap();
    let values = point::map(values, |_, v| v as f32).unwrap();
    let function = tuned.function("pullback").unwrap();
    let arguments = tuned.arguments(function, &values).unwrap();
    let results = machine.call(&loaded, "pullback", &arguments).unwrap();
    tuned.named(function, results).unwrap()
}

fn assert_exact(machine: &Machine, nets: &[&str], choices: &[Choices]) {
    for net in nets {
        let module = portable(net, 3);
        let own = subject(&module);
        let case = execute::case(&own, &own, 11).unwrap();
        let (name, expected) = &case.expected[1];
        for (tuning, tuned) in tunings::distinct(&module, machine.target(), choices) {
            let found = pullback(machine, &tuned, &case.values);
            let verdict = execute::compare(name, expected, &found).verdict;
            println!("{} {tuning}: {verdict}", module.name);
            assert!(verdict.holds(), "{} {tuning}: {verdict}", module.name);
        }
    }
}

#[test]
fn nets_with_ties_are_bit_exact() {
    let machine = Machine::new();
    assert_exact(&machine, &NETS[..1], &tunings::extremes());
    assert_exact(&machine, &NETS[1..], &[Choices::default()]);
}

#[test]
#[ignore = "minutes; `ops_on_iree` has the pools alone at every choice"]
fn nets_with_ties_are_bit_exact_at_every_choice() {
    assert_exact(&Machine::new(), &NETS, &tunings::all());
}

#[test]
fn nets_with_ties_are_bit_exact_on_vulkan() {
    if let Some(machine) = Machine::vulkan("nets with ties") {
        assert_exact(&machine, &NETS[..1], &[Choices::default()]);
    }
}

const CHANNELS: usize = 64;
const SIZE: usize = 8;
const CLASSES: usize = 3;
const BATCH: usize = 2;
/// Rows, and columns, of the pool's output.
const WINDOWS: usize = 4;

/// The pool reads a convolution in Winograd's form, which rounds: it tells cells apart that are equal, but not where
/// the kernel is zero, so that each window is one tie.
const WIDE: &str = "net wide {
    input image: f32[N, 64, 8, 8];
    image |> conv(64, kernel=3) |> max_pool(3, stride=2, padding=1) |> relu |> flatten |> dense(3)
}";

/// The gradient of the kernel if a window's cotangent goes to its first cell, or to its last one.
fn kernel_gradient(values: &Values<f64>, first: bool) -> Vec<f64> {
    let of = |name: &str| values[name].as_numbers();
    let (image, dense, cotangent) = (of("image"), of("dense1.weight"), of("cotangent"));
    let taker = |window: usize| match first {
        true => (2 * window).saturating_sub(1),
        false => (2 * window + 1).min(SIZE - 1),
    };
    let mut gradient = vec![0.0; CHANNELS * CHANNELS * 9];
    for place in 0..BATCH * CHANNELS * WINDOWS * WINDOWS {
        let (j, i) = (place % WINDOWS, place / WINDOWS % WINDOWS);
        let output = place / (WINDOWS * WINDOWS) % CHANNELS;
        let n = place / (WINDOWS * WINDOWS * CHANNELS);
        let row = (output * WINDOWS + i) * WINDOWS + j;
        let products = (0..CLASSES).map(|k| dense[row * CLASSES + k] * cotangent[n * CLASSES + k]);
        let dy: f64 = products.sum();
        for (input, tap) in (0..CHANNELS).flat_map(|c| (0..9).map(move |tap| (c, tap))) {
            let (p, q) = (taker(i) + tap / 3, taker(j) + tap % 3);
            if (1..=SIZE).contains(&p) && (1..=SIZE).contains(&q) {
                let cell = ((n * CHANNELS + input) * SIZE + p - 1) * SIZE + q - 1;
                gradient[(output * CHANNELS + input) * 9 + tap] += dy * image[cell];
            }
        }
    }
    gradient
}

/// |found - expected| / |expected|
fn error(found: &[f32], expected: &[f64]) -> f64 {
    let pairs = found.iter().zip(expected);
    let apart: f64 = pairs.map(|(&f, e)| (f64::from(f) - e).powi(2)).sum();
    let size: f64 = expected.iter().map(|e| e * e).sum();
    (apart / size).sqrt()
}

#[test]
fn ties_behind_winograds_form() {
    let module = portable(WIDE, BATCH as i64);
    let own = subject(&module);
    let mut random = Random::new(5);
    let drawn = point::draw(&own, &["pullback"], point::Draw::Ternary(0.5), &mut random).unwrap();
    let values = point::map(&drawn, |name, value| match name {
        "conv1.weight" => 0.0,
        "conv1.bias" => 1.0,
        _ => value,
    });
    let values = values.unwrap();
    let [first, last] = [true, false].map(|first| kernel_gradient(&values, first));
    let machine = Machine::new();
    let [tuned, direct] = [Choices::default(), Choices::default().directly()]
        .map(|choice| tune::tune_with(&module, Target::Cpu, &choice).unwrap());
    assert!(tuned != direct, "no form of Winograd's");
    let found = pullback(&machine, &tuned, &values);
    let found = found["conv1.weight.gradient"].as_numbers();
    assert_eq!(found.len(), first.len());
    let (right, wrong) = (error(found, &first), error(found, &last));
    println!("{right:.1e}, {wrong:.1e} from the last cells");
    assert!(right < 1e-5 && wrong > 0.1, "{right}, {wrong}");
}
