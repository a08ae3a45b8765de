//! The initial parameters against the generator's publication, written down
//! here a second time.

use super::nets::Net;
use cnnc_runtime::tensor::NamedTensor;

/// Three weights of 262,144 draws, and a small one.
const TEXT: &str = "net drawn { input image: f32[N, 1, 2, 256];
    image |> flatten |> dense(512) |> dense(512, init=normal(0.5))
          |> dense(512, init=uniform(0.25)) |> dense(2, init=glorot_uniform) }";

/// Threefry-2x32 of 20 rounds: J. Salmon et al., "Parallel random numbers: as
/// easy as 1, 2, 3" (2011).
fn threefry(key: [u32; 2], counter: [u32; 2]) -> [u32; 2] {
    const ROTATIONS: [u32; 8] = [13, 15, 26, 6, 17, 29, 16, 24];
    let keys = [key[0], key[1], 0x1bd1_1bda ^ key[0] ^ key[1]];
    let mut x = [
        counter[0].wrapping_add(keys[0]),
        counter[1].wrapping_add(keys[1]),
    ];
    for round in 0..20 {
        x[0] = x[0].wrapping_add(x[1]);
        x[1] = x[1].rotate_left(ROTATIONS[round % 8]) ^ x[0];
        if round % 4 == 3 {
            let group = round / 4 + 1;
            x[0] = x[0].wrapping_add(keys[group % 3]);
            x[1] = x[1]
                .wrapping_add(keys[(group + 1) % 3])
                .wrapping_add(group as u32);
        }
    }
    x
}

/// The known answers of Random123 for threefry2x32_R 20.
#[test]
fn threefry_known_answers() {
    let ones = [u32::MAX; 2];
    assert_eq!(threefry([0; 2], [0; 2]), [0x6b20_0159, 0x99ba_4efe]);
    assert_eq!(threefry(ones, ones), [0x1cb9_96fc, 0xbb00_2be7]);
    let pi = [0x243f_6a88, 0x85a3_08d3];
    assert_eq!(
        threefry([0x1319_8a2e, 0x0370_7344], pi),
        [0xc492_3a9c, 0x483d_f7a0]
    );
}

/// Element `index` of parameter `stream`, as two words.
fn words(seed: u64, stream: u32, index: u32) -> [u32; 2] {
    threefry([seed as u32, (seed >> 32) as u32], [index, stream])
}

/// The upper 24 bits as a fraction.
fn unit(word: u32, offset: u32) -> f64 {
    f64::from((word >> 8) + offset) / f64::from(1u32 << 24)
}

/// Box and Muller.
fn normal(words: [u32; 2]) -> f64 {
    let radius = (-2.0 * unit(words[0], 1).ln()).sqrt();
    radius * (std::f64::consts::TAU * unit(words[1], 0)).cos()
}

/// In -1..1.
fn uniform(words: [u32; 2]) -> f64 {
    2.0 * unit(words[0], 0) - 1.0
}

/// Stream, name, distribution (from two random words) and scale of a weight.
type Weight = (u32, &'static str, fn([u32; 2]) -> f64, f64);

fn weights() -> [Weight; 4] {
    [
        (0, "dense1.weight", normal, (2.0f64 / 512.0).sqrt()),
        (2, "dense2.weight", normal, 0.5),
        (4, "dense3.weight", uniform, 0.25),
        (6, "dense4.weight", uniform, (6.0f64 / 514.0).sqrt()),
    ]
}

fn parameters(net: &Net, seed: u64) -> Vec<NamedTensor> {
    let state = net.program.init(seed).expect("parameters");
    let snapshot = state.download(net.program.manifest()).expect("downloaded");
    snapshot.parameters
}

fn values(tensor: &NamedTensor) -> &[f32] {
    tensor.elements.as_f32().expect("f32")
}

#[test]
fn parameters_are_those_of_the_published_generator() {
    let net = Net::new(TEXT, 1, &["init"]);
    for seed in [0, (1 << 40) + 7] {
        let found = parameters(&net, seed);
        for (stream, name, draw, scale) in weights() {
            let tensor = &found[stream as usize];
            assert_eq!(tensor.name, name);
            for (i, &value) in values(tensor).iter().enumerate() {
                let expected = scale * draw(words(seed, stream, i as u32));
                let error = (f64::from(value) - expected).abs();
                assert!(
                    error < 1e-5,
                    "{name}[{i}], seed {seed}: {value}, not {expected}"
                );
            }
            assert!(
                values(&found[stream as usize + 1])
                    .iter()
                    .all(|&bias| bias == 0.0)
            );
        }
    }
}

/// Every other initialiser. A kernel's inputs are those of its group.
const KINDS: &str = "net kinds { input image: f32[N, 8, 4, 4];
    image |> conv(64, kernel=3, groups=4, init=he_uniform)
          |> depthwise_conv(kernel=3, init=lecun_normal) |> flatten
          |> dense(100, init=he_uniform) |> dense(10, init=glorot_normal)
          |> dense(4, init=constant(0.25)) |> dense(3, init=ones) |> dense(2, init=zeros) }";

/// A grouped convolution from 8 to 64 channels sums over 2 * 9 inputs, not 72, a depthwise one
/// over 9, a dense layer from 100 to 10 over 100.
#[test]
fn bug_56_fans_of_groups() {
    let net = Net::new(KINDS, 1, &["init"]);
    let found = parameters(&net, 3);
    let near = |index: usize, expected: &dyn Fn([u32; 2]) -> f64| {
        for (i, &value) in values(&found[index]).iter().enumerate() {
            let expected = expected(words(3, index as u32, i as u32));
            let error = (f64::from(value) - expected).abs();
            assert!(error < 1e-5, "{}[{i}]: {value}", found[index].name);
        }
    };
    let kernel = values(&found[0]);
    assert_eq!(kernel.len(), 1152);
    let largest = kernel.iter().fold(0.0f32, |max, v| max.max(v.abs()));
    assert!(largest > 0.56 && largest <= 0.577_351, "{largest}");
    near(0, &|words| (6.0f64 / 18.0).sqrt() * uniform(words));
    near(2, &|words| normal(words) / 3.0);
    near(4, &|words| (6.0f64 / 1024.0).sqrt() * uniform(words));
    near(6, &|words| (2.0f64 / 110.0).sqrt() * normal(words));
    for (index, constant) in [(8, 0.25), (10, 1.0), (12, 0.0)] {
        near(index, &|_| constant);
    }
    // Biases are 0 whatever the weight is.
    for index in [1, 3, 5, 7, 9, 11, 13] {
        near(index, &|_| 0.0);
    }
    assert_eq!(found.len(), 14);
}

#[test]
fn draws_have_the_moments_they_should() {
    let net = Net::new(TEXT, 1, &["init"]);
    let found = parameters(&net, 12);
    let moments = |tensor: &NamedTensor| {
        let values = values(tensor);
        let count = values.len() as f64;
        let mean = values.iter().map(|&v| f64::from(v)).sum::<f64>() / count;
        let squares = values
            .iter()
            .map(|&v| (f64::from(v) - mean).powi(2))
            .sum::<f64>();
        (mean, (squares / count).sqrt())
    };
    // The mean of 262,144 draws strays by a 512th of their deviation.
    for (index, deviation) in [
        (0, (2.0f64 / 512.0).sqrt()),
        (2, 0.5),
        (4, 0.25 / 3f64.sqrt()),
    ] {
        let (mean, std) = moments(&found[index]);
        assert_eq!(values(&found[index]).len(), 512 * 512);
        assert!(
            mean.abs() < 0.01 * deviation,
            "{}: mean {mean}",
            found[index].name
        );
        assert!(
            (std / deviation - 1.0).abs() < 0.01,
            "{}: deviation {std}",
            found[index].name
        );
    }
    let largest = values(&found[4])
        .iter()
        .fold(0.0f32, |max, v| max.max(v.abs()));
    assert!(largest <= 0.25 && largest > 0.2499, "{largest}");
}

/// Parameters of equal shape and distribution differ, and so do seeds, whose
/// upper half counts.
#[test]
fn streams_and_seeds_differ() {
    let text = "net twins { input image: f32[N, 1, 1, 16];
                image |> flatten |> dense(16) |> dense(16) }";
    let net = Net::new(text, 1, &["init"]);
    let seeds = [0, 1, 1 << 32];
    let drawn: Vec<Vec<f32>> = seeds
        .iter()
        .flat_map(|&seed| {
            let found = parameters(&net, seed);
            [0, 2].map(|index| values(&found[index]).to_vec())
        })
        .collect();
    for (i, a) in drawn.iter().enumerate() {
        for b in &drawn[..i] {
            let equal = a.iter().zip(b).filter(|(a, b)| a == b).count();
            assert!(equal <= 1, "{equal} of 256 equal values");
        }
    }
    assert_eq!(parameters(&net, 1), parameters(&net, 1));
}
