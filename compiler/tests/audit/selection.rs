//! What changes where another of the tied cells of a window is selected.

use cnnc::certify::audit::{Options as AuditOptions, audit};
use cnnc::driver::{self, Unit};
use cnnc::network::Options as NetOptions;
use cnnc::reference::{Exact, Options, Prime, Tensor, Ties, run_with};

use super::nets::{arguments, digits, function, in_field, random_arguments, unit};

/// Gradients of a network over the field.
fn gradients(unit: &Unit, values: &[Tensor<f64>], ties: Ties) -> Vec<Vec<Prime>> {
    let batch = values[values.len() - 1].ty().shape[0];
    let function = function(unit, batch, "gradients");
    let arguments: Vec<Tensor<Exact>> = in_field(values, unit.network.parameters.len(), 11);
    let options = Options {
        ties,
        ..Options::default()
    };
    let results = run_with(&function, &arguments, options, |_| {}).unwrap();
    let elements = |tensor: &Tensor<Exact>| tensor.as_numbers().iter().map(|n| n.element).collect();
    results.iter().map(elements).collect()
}

const OTHERS: [Ties; 5] = [
    Ties::Nth(1),
    Ties::Nth(2),
    Ties::Nth(3),
    Ties::Drawn(1),
    Ties::Drawn(2),
];

/// Real digits at random parameters: hundreds of windows tie, all between
/// twins.
#[test]
fn among_twins_the_choice_does_not_matter() {
    let unit = unit(
        [1, 28, 28],
        "|> conv(4, kernel=3) |> relu |> conv(4, kernel=3) |> relu |> max_pool(2) |> flatten \
         |> dense(8) |> relu |> dense(10)",
    );
    let loss = function(&unit, 2, "loss");
    let values = random_arguments(&loss, &digits(2), 3);
    let found = audit(&loss, &values, &AuditOptions::new(8)).unwrap();
    let pool = found
        .sites
        .iter()
        .find(|site| site.op == "max_pool")
        .unwrap();
    assert!(pool.total().same > 100 && found.holds(), "{found}");
    let first = gradients(&unit, &values, Ties::First);
    assert_eq!(first.len(), 1 + 8);
    assert!(
        first
            .iter()
            .all(|gradient| gradient.iter().any(|&g| g != Prime::ZERO))
    );
    for ties in OTHERS {
        assert_eq!(gradients(&unit, &values, ties), first, "{ties:?}");
    }
}

/// The same of the network of the examples, at a real digit: no gradient of its
/// ten parameters changes.
#[test]
fn nor_does_it_in_the_mnist_cnn() {
    let text = include_str!("../../../examples/mnist_cnn.net");
    let unit = driver::read("mnist_cnn.net", text, &NetOptions::default()).unwrap();
    let loss = function(&unit, 1, "loss");
    let values = random_arguments(&loss, &digits(1), 5);
    let found = audit(&loss, &values, &AuditOptions::new(10)).unwrap();
    let pool = found.sites.iter().find(|site| site.op == "max_pool");
    assert!(pool.unwrap().total().same > 500 && found.holds(), "{found}");
    let first = gradients(&unit, &values, Ties::First);
    assert_eq!(first.len(), 1 + 10);
    for ties in [Ties::Nth(3), Ties::Drawn(3)] {
        assert_eq!(gradients(&unit, &values, ties), first, "{ties:?}");
    }
}

/// The control: four cells of equal value over different patches.
#[test]
fn elsewhere_it_does() {
    let unit = unit(
        [1, 3, 3],
        "|> conv(1, kernel=2, padding=valid) |> max_pool(2) |> flatten |> dense(2)",
    );
    let loss = function(&unit, 1, "loss");
    let values = arguments(&loss, |name| match name {
        "image" => vec![1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0],
        "dense1.weight" => vec![1.0, -1.0],
        "label" => vec![1.0],
        _ => vec![1.0],
    });
    let found = audit(&loss, &values, &AuditOptions::new(4)).unwrap();
    assert!(!found.holds(), "{found}");
    let first = gradients(&unit, &values, Ties::First);
    // The gradient of conv1.weight has its one entry where the patch is white.
    let place = |results: &[Vec<Prime>]| {
        let weight: Vec<usize> = (0..4).filter(|&i| results[1][i] != Prime::ZERO).collect();
        weight
    };
    assert_eq!(place(&first), [0]);
    for number in 1..4 {
        let other = gradients(&unit, &values, Ties::Nth(number));
        assert_eq!(place(&other), [number], "cell {number}");
    }
}
