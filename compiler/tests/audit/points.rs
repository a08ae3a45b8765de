//! Audits of data points worked by hand.

use cnnc::certify::audit::{Audit, Form, Options, Outcome, Site, audit};
use cnnc::certify::twins::Structure;
use cnnc::reference::Tensor;
use cnnc::stablehlo::{Builder, TensorType};

use super::nets::{arguments, digits, function, random_arguments, unit};

/// Audits `@forward` for one example, with structure.
fn forward(shape: [i64; 3], body: &str, give: impl Fn(&str) -> Vec<f64>) -> Audit {
    let unit = unit(shape, body);
    let function = function(&unit, 1, "forward");
    let arguments = arguments(&function, give);
    let image: Vec<f32> = arguments
        .last()
        .unwrap()
        .to_f64()
        .iter()
        .map(|&v| v as f32)
        .collect();
    let structure = Structure::of(&unit.network, &image);
    let options = Options {
        structure: Some(&structure),
        ..Options::new(arguments.len() - 1)
    };
    audit(&function, &arguments, &options).unwrap()
}

/// dead, apart, same, tied, undecided
fn counts(site: &Site) -> [u64; 5] {
    let total = site.total();
    [
        total.dead,
        total.apart,
        total.same,
        total.tied,
        total.undecided,
    ]
}

/// w . (1, 1) with w = (1, -1) is 0 and moves with w and the bias.
#[test]
fn a_relu_at_0_is_a_kink() {
    let body = "|> flatten |> dense(1) |> relu |> dense(2)";
    let at = |bias: f64| {
        forward([1, 1, 2], body, |name| match name {
            "dense1.weight" => vec![1.0, -1.0],
            "dense1.bias" => vec![bias],
            _ => vec![1.0],
        })
    };
    let kink = at(0.0);
    let [site] = &kink.sites[..] else {
        panic!("{kink}");
    };
    assert_eq!((site.op.as_str(), site.form), ("relu", Form::Threshold));
    assert_eq!(site.location, "t.net:3:35");
    assert_eq!(counts(site), [0, 0, 0, 1, 0]);
    assert_eq!(site.faults[0].index, [0, 0]);
    assert!(!kink.holds() && !kink.example_holds(0));
    let off = at(0.25);
    assert!(off.holds(), "{off}");
    assert_eq!(counts(&off.sites[0]), [0, 1, 0, 0, 0]);
    assert_eq!(off.sites[0].total().closest, Some(0.25));
}

/// Simplification may put the 0 on the other side.
#[test]
fn a_relu_is_one_with_0_on_either_side() {
    for zero_first in [false, true] {
        let mut b = Builder::named("f");
        let x = b.function.argument(Some("x"), TensorType::f32([2]));
        let zero = b.splat_like(0.0, x).unwrap();
        let [left, right] = if zero_first { [zero, x] } else { [x, zero] };
        let y = b.maximum(left, right).unwrap();
        b.function.output(None, y);
        let x = Tensor::from_f64(TensorType::f32([2]), &[0.0, -3.0]).unwrap();
        let found = audit(&b.function, &[x], &Options::new(1)).unwrap();
        let site = &found.sites[0];
        assert_eq!((site.op.as_str(), site.form), ("relu", Form::Threshold));
        assert_eq!(counts(site), [0, 1, 0, 1, 0]);
    }
}

/// A black image and no bias: the input of relu is 0 whatever the weights are.
#[test]
fn a_relu_of_nothing_is_no_kink() {
    let body = "|> conv(1, kernel=3, bias=false) |> relu |> flatten |> dense(2)";
    let found = forward([1, 4, 4], body, |name| match name {
        "image" => vec![0.0],
        _ => vec![0.5],
    });
    assert_eq!(counts(&found.sites[0]), [0, 0, 16, 0, 0]);
    assert!(found.holds(), "{found}");
}

/// With a bias of 0 the whole black image sits on the kink; a bias of 1/2 moves
/// it off.
#[test]
fn biases_of_0_leave_the_background_on_the_kink() {
    let body = "|> conv(2, kernel=3) |> relu |> flatten |> dense(2)";
    let at = |bias: f64| {
        forward([1, 4, 4], body, |name| match name {
            "image" => vec![0.0],
            "conv1.bias" => vec![bias],
            _ => vec![0.5],
        })
    };
    let kinks = at(0.0);
    assert_eq!(counts(&kinks.sites[0]), [0, 0, 0, 32, 0]);
    assert_eq!(kinks.zeros, ["conv1.bias"]);
    insta::assert_snapshot!(kinks.to_string(), @r"
    relu at t.net:3:33: 32 inputs: 0 off zero, 0 identically zero, 32 on the kink, 0 undecided
      kink at [0, 0, 0, 0]: 0 and 0 are equal, but not the same function
      kink at [0, 0, 0, 1]: 0 and 0 are equal, but not the same function
      kink at [0, 0, 0, 2]: 0 and 0 are equal, but not the same function
      and 29 more
    note: conv1.bias is 0 throughout; with a bias of 0 every cell over a background of 0 sits on the kink of the next relu
    0 of 1 examples have a derivative here
    ");
    assert!(at(0.5).holds());
}

/// A constant image under a 3 x 3 convolution with positive weights: the 4
/// corners of the result are made of 4 pixels, the edges of 6, the inside of 9.
/// Of the 3 x 3 windows the corners have one cell of the inside, the others two
/// or four.
#[test]
fn windows_over_a_constant_patch_tie_between_twins() {
    let body = "|> conv(1, kernel=3) |> relu |> max_pool(2) |> flatten |> dense(2)";
    let found = forward([1, 6, 6], body, |_| vec![0.5]);
    let pool = found
        .sites
        .iter()
        .find(|site| site.op == "max_pool")
        .unwrap();
    assert_eq!(pool.form, Form::Window);
    assert_eq!(counts(pool), [0, 4, 5, 0, 0]);
    // The maximum against its equals: 1 in each of the 4 edge windows, 3 inside.
    let structural = pool.structural.unwrap();
    assert_eq!(
        (
            structural.both,
            structural.field_only,
            structural.structure_only
        ),
        (7, 0, 0)
    );
    // An inside cell has 9/4 + 1/2, an edge cell 6/4 + 1/2.
    assert_eq!(pool.total().closest, Some(0.75));
    assert!(found.holds(), "{found}");
}

/// Negative weights: every cell is below 0, and every window dead.
#[test]
fn windows_below_0_are_dead() {
    let body = "|> conv(1, kernel=3) |> relu |> max_pool(2) |> flatten |> dense(2)";
    let found = forward([1, 6, 6], body, |name| match name {
        "conv1.weight" | "conv1.bias" => vec![-0.5],
        _ => vec![0.5],
    });
    assert_eq!(counts(found.sites.last().unwrap()), [9, 0, 0, 0, 0]);
    assert!(found.holds(), "{found}");
}

/// Each 2 x 2 patch has its one white pixel elsewhere, and all weights are 1:
/// four equal cells, four different functions.
#[test]
fn equal_values_of_different_functions_are_a_kink() {
    let body = "|> conv(1, kernel=2, padding=valid) |> max_pool(2) |> flatten |> dense(2)";
    let found = forward([1, 3, 3], body, |name| match name {
        "image" => vec![1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0],
        _ => vec![1.0],
    });
    let [pool] = &found.sites[..] else {
        panic!("{found}");
    };
    assert_eq!(counts(pool), [0, 0, 0, 1, 0]);
    assert_eq!(pool.faults[0].outcome, Outcome::Tied);
    assert_eq!(pool.faults[0].values, [2.0, 2.0]);
    assert!(!found.holds());
}

/// The f64s 0.1 and 0.2 add up to 0.3000000000000000166533; the nearest f64 is
/// 0.3000000000000000444089. Less that, the true value is -2.8e-17, and f64 says
/// 0.
#[test]
fn what_rounding_hides_is_undecided() {
    let body = "|> flatten |> dense(1, bias=false) |> relu |> dense(2)";
    let found = forward([1, 1, 3], body, |name| match name {
        "dense1.weight" => vec![0.1, 0.2, -(0.1 + 0.2)],
        _ => vec![1.0],
    });
    let site = &found.sites[0];
    assert_eq!(counts(site), [0, 0, 0, 0, 1], "{found}");
    assert!(!found.holds());
    assert_eq!(
        site.faults[0].to_string(),
        "undecided at [0, 0]: 0e0 and 0e0, give or take 2.8e-17"
    );
}

/// The same to more digits than f64 has, and it decides as the real numbers do:
/// 0.1 + 0.2 - 0.3 is 2.8e-17, by f64 5.6e-17.
#[test]
fn rounding_that_decides_right_is_no_kink() {
    let body = "|> flatten |> dense(1, bias=false) |> relu |> dense(2)";
    let found = forward([1, 1, 3], body, |name| match name {
        "dense1.weight" => vec![0.1, 0.2, -0.3],
        _ => vec![1.0],
    });
    assert_eq!(counts(&found.sites[0]), [0, 1, 0, 0, 0], "{found}");
    assert_eq!(found.bits, 128);
}

/// In each layer the bound grows by the sum of 16 weights of about 1/4, and the
/// values shrink: f64 decides the first 40 of these relus, and 128 bits the first
/// hundred.
#[test]
fn deep_nets_are_decided_by_more_bits() {
    let at = |depth: usize| {
        let layers = "|> dense(16, bias=false) |> relu ".repeat(depth);
        let unit = unit([1, 4, 4], &format!("|> flatten {layers}|> dense(2)"));
        let function = function(&unit, 1, "loss");
        let image: Vec<f32> = (1..17).map(|pixel| pixel as f32 / 16.0).collect();
        let arguments = random_arguments(&function, &image, 1);
        audit(&function, &arguments, &Options::new(depth + 2)).unwrap()
    };
    for (depth, bits) in [(60, 128), (150, 256)] {
        let found = at(depth);
        assert_eq!(found.sites.len(), depth);
        assert_eq!(counts(&found.sites[depth - 1]), [0, 16, 0, 0, 0], "{found}");
        assert!(found.holds(), "{found}");
        assert_eq!(found.bits, bits, "{depth}");
    }
}

/// The square of the root of 2 is 2, but as formulas they differ, and their
/// digits never end: twice the bits show no more, and no more are tried.
#[test]
fn a_tie_that_no_digits_show_is_undecided() {
    let mut b = Builder::named("f");
    let x = b.function.argument(Some("x"), TensorType::f32([2]));
    let root = b.sqrt(x).unwrap();
    let square = b.multiply(root, root).unwrap();
    let y = b.maximum(square, x).unwrap();
    b.function.output(None, y);
    let x = Tensor::from_f64(TensorType::f32([2]), &[2.0, 3.0]).unwrap();
    let found = audit(&b.function, &[x], &Options::new(1)).unwrap();
    assert_eq!(counts(&found.sites[0]), [0, 0, 0, 0, 2]);
    assert_eq!(found.bits, 256);
}

/// Two examples of a batch: one on the kink, one not.
#[test]
fn examples_are_told_apart() {
    let unit = unit(
        [1, 1, 1],
        "|> flatten |> dense(1, bias=false) |> relu |> dense(2)",
    );
    let function = function(&unit, 2, "loss");
    let arguments = arguments(&function, |name| match name {
        "image" => vec![0.0, 1.0],
        "label" => vec![0.0, 1.0],
        "dense1.weight" => vec![1.0],
        _ => vec![0.5],
    });
    let found = audit(&function, &arguments, &Options::new(3)).unwrap();
    // The first relu input is identically 0, as the image is.
    let tallies = &found.sites[0].examples;
    assert_eq!((tallies[0].same, tallies[1].apart), (1, 1));
    assert!(found.holds(), "{found}");
}

/// The maximum that the loss subtracts is no decision of the derivative.
#[test]
fn what_reverse_mode_holds_constant_is_left_out() {
    let unit = unit([1, 1, 1], "|> flatten |> dense(3)");
    let function = function(&unit, 1, "loss");
    let arguments = arguments(&function, |name| match name {
        "label" => vec![1.0],
        _ => vec![1.0],
    });
    let found = audit(&function, &arguments, &Options::new(2)).unwrap();
    assert_eq!(found.sites, []);
}

/// Two real digits through a CNN at random parameters: smooth, with
/// windows tied between twins in both, and the structure agrees with the field
/// on every one.
#[test]
fn real_digits_have_twin_ties_and_no_kink() {
    let unit = unit(
        [1, 28, 28],
        "|> conv(4, kernel=3) |> relu |> conv(4, kernel=3) |> relu |> max_pool(2) |> flatten \
         |> dense(10)",
    );
    let function = function(&unit, 2, "loss");
    let images = digits(2);
    let arguments = random_arguments(&function, &images, 3);
    let structure = Structure::of(&unit.network, &images);
    let options = Options {
        structure: Some(&structure),
        ..Options::new(6)
    };
    let found = audit(&function, &arguments, &options).unwrap();
    assert!(found.holds(), "{found}");
    let pool = found
        .sites
        .iter()
        .find(|site| site.op == "max_pool")
        .unwrap();
    assert!(pool.examples.iter().all(|tally| tally.same > 0), "{found}");
    let structural = pool.structural.unwrap();
    assert_eq!(structural.structure_only, 0);
    assert!(structural.both > 0);
}
