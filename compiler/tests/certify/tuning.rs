//! The tuned modules of the three nets compute what the portable ones do.

use cnnc::certify::tuning::{Options, compare};

use cnnc::driver;
use cnnc::iree::Target;
use cnnc::network;
use cnnc::stablehlo::{BinaryOp, Op};

use crate::subjects::{portable, subject, tuned};

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

/// A net whose values are not integers behind the first norm, so that ties are broken by rounding,
/// by each module in its own way.
const NORMS: &str = "block stage(c) {
    input x;
    x |> conv(c, kernel=3) |> batch_norm |> relu
}
net norms {
    input image: f32[N, 1, 4, 4];
    image |> stage(4) |> max_pool(2) |> stage(4) |> stage(4) |> flatten |> dense(3)
}
train { batch = 2; }
";

#[test]
fn what_rests_on_rounding_is_set_aside() {
    let unit = driver::read("norms.net", NORMS, &network::Options::default()).unwrap();
    let subjects = [
        unit.portable(2, &["loss", "gradients"]).unwrap(),
        unit.tuned(2, &["loss", "gradients"], Target::Cpu).unwrap(),
    ];
    let [portable, tuned] = subjects.map(|module| subject(&module));
    // A fault that shows at every point.
    let mut wrong = tuned.module().clone();
    let add = wrong.functions[0].body.iter_mut();
    let add = add
        .filter(|i| i.op == Op::Binary(BinaryOp::Add))
        .last()
        .unwrap();
    add.op = Op::Binary(BinaryOp::Subtract);
    let wrong = subject(&wrong);
    let mut set_aside = 0;
    for seed in 0..60 {
        let options = Options {
            seed,
            ..Options::default()
        };
        let found = compare(&portable, &tuned, &options).unwrap();
        assert!(found.holds(), "seed {seed}: {found}");
        set_aside += found.set_aside;
        let told = found.to_string().contains("set aside");
        assert_eq!(told, found.set_aside > 0, "{found}");
        assert_eq!(found.confidence.rounds < 4, found.set_aside > 0);
        assert!(!compare(&portable, &wrong, &options).unwrap().holds());
    }
    assert!(set_aside > 0);
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
