//! The tuned modules of the three nets compute what the portable ones do.

use cnnc::autodiff;
use cnnc::certify::Subject;
use cnnc::certify::tuning::{Options, compare};
use cnnc::stablehlo::{Builder, Result, TensorType, Value};

use crate::subjects::{of_loss, portable, tuned};

#[test]
fn every_function_of_the_nets_is_the_same() {
    for net in ["linear", "mlp", "mnist_cnn"] {
        let options = Options {
            threads: 2,
            ..Options::default()
        };
        let found = compare(&portable(net, 2), &tuned(net, 2), &options).unwrap();
        println!("{net}\n{found}");
        assert_eq!(found.checks.len(), 7);
        assert!(found.holds());
        // Three draws with many ties, and one of real numbers.
        assert_eq!(found.confidence.rounds, 4);
        assert!(found.confidence.degree > 1.0);
        assert!(found.confidence.once < 1e-6, "{}", found.confidence);
        assert!(found.confidence.probability < 1e-24, "{}", found.confidence);
        for check in found.checks {
            assert!(
                check.verdict.holds(),
                "{net}: @{}: {}",
                check.function,
                check.verdict
            );
        }
    }
}

/// The larger of w and the sum of x/10, y/5 and z 7/10, added up from the left or from the right:
/// where all four are 1 the sum is 1 in f64 or just less, so that each order takes another side of
/// the tie. `last` makes of that and x/10 what is summed.
fn tenths(left: bool, last: fn(&mut Builder, Value, Value) -> Result<Value>) -> Subject {
    let mut b = Builder::named("loss");
    let names = ["x", "y", "z", "w"];
    let [x, y, z, w] = names.map(|n| b.function.argument(Some(n), TensorType::f32([4096])));
    let mut part = |value, times, of| {
        let (times, of) = (b.splat_like(times, value)?, b.splat_like(of, value)?);
        let product = b.multiply(value, times)?;
        b.divide(product, of)
    };
    let parts = [(x, 1.0, 10.0), (y, 1.0, 5.0), (z, 7.0, 10.0)];
    let [x, y, z] = parts.map(|(value, times, of)| part(value, times, of).unwrap());
    let sum = match left {
        true => b.add(x, y).and_then(|sum| b.add(sum, z)),
        false => b.add(y, z).and_then(|sum| b.add(x, sum)),
    };
    let larger = b.maximum(sum.unwrap(), w).unwrap();
    let each = last(&mut b, larger, x).unwrap();
    let loss = b.sum(each, &[0]).unwrap();
    b.function.output(Some("loss"), loss);
    let mut gradients = autodiff::gradients(&b.function, &[0, 1, 2, 3], "gradients").unwrap();
    for (output, name) in gradients.outputs.iter_mut().skip(1).zip(names) {
        output.name = Some(format!("{name}.gradient"));
    }
    of_loss(b.function, gradients)
}

#[test]
fn what_rests_on_rounding_is_set_aside() {
    let portable = tenths(true, |b, larger, x| b.add(larger, x));
    let same = tenths(false, |b, larger, x| b.add(larger, x));
    let wrong = tenths(false, |b, larger, x| b.subtract(larger, x));
    for seed in 0..8 {
        let options = Options {
            seed,
            functions: vec!["loss"],
            ..Options::default()
        };
        let found = compare(&portable, &same, &options).unwrap();
        assert!(found.holds(), "seed {seed}: {found}");
        assert!(found.set_aside > 0, "seed {seed}");
        assert_eq!(found.confidence.rounds, 4 - found.set_aside);
        assert!(found.to_string().contains("set aside"), "{found}");
        let found = compare(&portable, &wrong, &options).unwrap();
        assert!(!found.holds(), "seed {seed}");
        // With itself there is nothing to set aside.
        let found = compare(&portable, &portable, &options).unwrap();
        assert_eq!((found.holds(), found.set_aside), (true, 0));
    }
}

/// Another net is not the same.
#[test]
fn a_difference_is_named() {
    let (mut other, own) = (
        portable("linear", 2).module().clone(),
        portable("linear", 2),
    );
    let forward = other
        .functions
        .iter_mut()
        .find(|f| f.name == "forward")
        .unwrap();
    let add = forward
        .body
        .iter_mut()
        .find(|i| i.op.name() == "add")
        .unwrap();
    add.op = cnnc::stablehlo::Op::Binary(cnnc::stablehlo::BinaryOp::Subtract);
    let other = crate::subjects::subject(&other);
    let options = Options {
        functions: vec!["forward"],
        ..Options::default()
    };
    let found = compare(&own, &other, &options).unwrap();
    assert!(!found.holds());
    assert_eq!(
        found.checks[0].verdict.to_string(),
        "FAILED `logits` differs in 20 of 20 elements, first at [0, 0]"
    );
}
