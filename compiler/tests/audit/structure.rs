//! Twins by structure against the field, on random networks.
//!
//! With positive parameters and pixels nothing is cut off by a relu, so the
//! network up to the pool is one polynomial in the parameters, and two of its
//! cells are the same function exactly if their elements at random parameters
//! are equal. The two engines share no code.

use cnnc::certify::twins::{Pool, Twins, observe};
use cnnc::reference::{Exact, Tensor, run};

use super::nets::{arguments, digits, function, in_field, unit};
use super::random::Random;

/// Cells of the pool's inputs as field elements, each as [channels, cells].
fn elements(unit: &cnnc::driver::Unit, image: &[f32], seed: u64) -> Vec<Vec<Exact>> {
    let forward = function(unit, 1, "forward");
    let observed = observe(&forward).unwrap().unwrap();
    let mut random = Random::new(seed);
    let values = arguments(&observed.function, |name| match name {
        "image" => image.iter().map(|&value| f64::from(value)).collect(),
        _ => vec![0.5],
    });
    let parameters = unit.network.parameters.len();
    let values: Vec<Tensor<Exact>> = in_field(&values, parameters, random.bits());
    let all = run(&observed.function, &values).unwrap();
    let mut all = all[0].as_numbers();
    let pools = Pool::all(&unit.network);
    pools
        .iter()
        .map(|pool| {
            let (own, rest) = all.split_at(pool.cells());
            all = rest;
            own.to_vec()
        })
        .collect()
}

/// Compares every pair of positions of every pool's input. Returns pairs that
/// are twins by both, by the structure alone, and in the field alone.
fn compare(unit: &cnnc::driver::Unit, image: &[f32], seed: u64) -> [usize; 3] {
    let mut twins = Twins::new(&unit.network);
    let classes = twins.classes(image);
    let mut counts = [0; 3];
    for ((pool, classes), cells) in Pool::all(&unit.network)
        .iter()
        .zip(classes)
        .zip(elements(unit, image, seed))
    {
        let classes = classes.unwrap();
        let size = pool.input[1] * pool.input[2];
        for a in 0..size {
            for b in 0..a {
                let in_field = cells
                    .chunks_exact(size)
                    .all(|channel| channel[a].element == channel[b].element);
                match (classes.twins(a, b), in_field) {
                    (true, true) => counts[0] += 1,
                    (true, false) => counts[1] += 1,
                    (false, true) => counts[2] += 1,
                    (false, false) => {}
                }
            }
        }
    }
    counts
}

/// Pixels of few values, so that patches repeat.
fn image(random: &mut Random, count: usize, density: i64) -> Vec<f32> {
    let pixel = |_| match random.integer(0, density) {
        0 => random.integer(1, 2) as f32,
        _ => 0.0,
    };
    (0..count).map(pixel).collect()
}

/// One or two convolutions of any shape before a pool: exactly the same twins.
#[test]
fn structure_and_field_agree_on_random_chains() {
    let mut twins = 0;
    for seed in 0..120 {
        let mut random = Random::new(seed);
        let side = [random.integer(6, 10), random.integer(6, 10)];
        let channels = random.integer(1, 2);
        let mut body = String::new();
        for _ in 0..random.integer(1, 2) {
            let padding = match random.integer(0, 2) {
                0 => "same".to_owned(),
                1 => "valid".to_owned(),
                _ => {
                    let pad = [(); 4].map(|()| random.integer(0, 2));
                    format!("(({}, {}), ({}, {}))", pad[0], pad[1], pad[2], pad[3])
                }
            };
            body.push_str(&format!(
                "|> conv({}, kernel=({}, {}), stride=({}, {}), dilation=({}, {}), padding={padding}, \
                 bias={}) |> relu ",
                random.integer(1, 2),
                random.integer(1, 3),
                random.integer(1, 3),
                random.integer(1, 2),
                random.integer(1, 2),
                random.integer(1, 2),
                random.integer(1, 2),
                random.bits() & 1 == 0,
            ));
        }
        body.push_str("|> max_pool(1) |> flatten |> dense(2)");
        let text = format!(
            "net t {{ input image: f32[N, {channels}, {}, {}]; image {body} }}",
            side[0], side[1]
        );
        // A window can be larger than what a `valid` convolution has left.
        let Ok(unit) = cnnc::driver::read("t.net", &text, &cnnc::network::Options::default())
        else {
            continue;
        };
        let pixels = image(&mut random, (channels * side[0] * side[1]) as usize, 3);
        let [both, structure_only, field_only] = compare(&unit, &pixels, seed);
        assert_eq!((structure_only, field_only), (0, 0), "seed {seed}: {body}");
        twins += both;
    }
    assert!(twins > 10_000, "{twins}");
}

/// Where a pool, a sum or a shared layer lies before the last pool, what the
/// structure calls twins is the same function; the converse need not hold.
#[test]
fn structure_implies_the_field_on_graphs() {
    let bodies = [
        "|> conv(2, kernel=3) |> relu |> max_pool(2) |> conv(2, kernel=3) |> relu |> max_pool(2) \
         |> flatten |> dense(2)",
        "|> max_pool(3, stride=1, padding=1) |> conv(2, kernel=3, bias=false) |> max_pool(2) \
         |> flatten |> dense(2)",
    ];
    let mut twins = 0;
    for seed in 0..20 {
        for body in bodies {
            let unit = unit([1, 12, 12], body);
            let pixels = image(&mut Random::new(seed), 144, 12);
            let [both, structure_only, _] = compare(&unit, &pixels, seed);
            assert_eq!(structure_only, 0, "seed {seed}: {body}");
            twins += both;
        }
        let text = "net t {
            input image: f32[N, 1, 12, 12];
            let c = conv(1, kernel=3);
            let a = image |> c |> relu;
            let b = a |> c |> relu;
            a + b * image - image |> max_pool(2) |> flatten |> dense(2)
        }";
        let options = cnnc::network::Options::default();
        let unit = cnnc::driver::read("t.net", text, &options).unwrap();
        let pixels = image(&mut Random::new(seed), 144, 12);
        let [both, structure_only, _] = compare(&unit, &pixels, seed);
        assert_eq!(structure_only, 0, "seed {seed}");
        twins += both;
    }
    assert!(twins > 10_000, "{twins}");
}

/// Two 3 x 3 convolutions over a black 8 x 8 image: the first has one kind of
/// cell, the second nine, by which of its taps lie outside. The four windows of
/// the corners hold four kinds, the eight of the edges two, the four inside one.
#[test]
fn the_border_is_seen_through_two_convolutions() {
    let unit = unit(
        [1, 8, 8],
        "|> conv(3, kernel=3) |> relu |> conv(3, kernel=3) |> relu |> max_pool(2) |> flatten \
         |> dense(2)",
    );
    let mut twins = Twins::new(&unit.network);
    let pool = twins.pools()[0].clone();
    let classes = twins.classes(&[0.0; 64])[0].clone().unwrap();
    let kinds = |under: &Vec<usize>| {
        let first_of = |&&cell: &&usize| {
            !under
                .iter()
                .take_while(|&&c| c != cell)
                .any(|&c| classes.twins(c, cell))
        };
        under.iter().filter(first_of).count()
    };
    let kinds: Vec<usize> = pool.cells_under().iter().map(kinds).collect();
    assert_eq!(kinds, [4, 2, 2, 4, 2, 1, 1, 2, 2, 1, 1, 2, 4, 2, 2, 4]);
    // (1, 1) and (6, 6) are inside both times; (0, 0) and (7, 7) are corners of their own.
    assert!(classes.twins(9, 54) && !classes.twins(0, 63) && !classes.twins(0, 9));
}

/// A pixel of value 0 at the rim cannot be told from padding by one
/// convolution.
#[test]
fn a_black_rim_is_like_padding() {
    let unit = unit(
        [1, 6, 6],
        "|> conv(1, kernel=3) |> max_pool(2) |> flatten |> dense(2)",
    );
    let classes = Twins::new(&unit.network).classes(&[0.0; 36])[0]
        .clone()
        .unwrap();
    assert!(classes.twins(0, 14), "(0, 0) and (2, 2)");
    let white = Twins::new(&unit.network).classes(&[1.0; 36])[0]
        .clone()
        .unwrap();
    assert!(!white.twins(0, 14));
}

/// Normalised pixels are not 0 where the byte is.
#[test]
fn images_of_another_size_have_no_classes() {
    let unit = unit(
        [1, 28, 28],
        "|> conv(1, kernel=3) |> max_pool(2) |> flatten |> dense(2)",
    );
    let mut twins = Twins::new(&unit.network);
    assert_eq!(twins.classes(&digits(2)), [None]);
    assert!(twins.classes(&digits(1))[0].is_some());
}
