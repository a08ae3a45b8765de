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
        let checks = compare(&portable(net, 2), &tuned(net, 2), &options).unwrap();
        assert_eq!(checks.len(), 7);
        for check in checks {
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
    let checks = compare(&own, &other, &options).unwrap();
    assert_eq!(
        checks[0].verdict.to_string(),
        "FAILED `logits` differs in 20 of 20 elements, first at [0, 0]"
    );
}
