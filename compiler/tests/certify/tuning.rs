//! The tuned modules of the three nets compute what the portable ones do.

use cnnc::certify::tuning::{Options, compare};

use crate::subjects::{portable, tuned};

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
