//! The training step of every optimizer and setting, and every loss, exact in
//! portable and tuned modules; and found wrong where they are.

use cnnc::certify::tuning::{self, compare};
use cnnc::certify::{Certificate, Options, Subject, certify};
use cnnc::driver::{self, Unit};
use cnnc::iree::Target;
use cnnc::network;
use cnnc::stablehlo::{BinaryOp, Module, Op};

use crate::subjects::{random, subject};

/// Convolutions, so that the tuned module stores its parameters otherwise, a
/// running mean and variance, and parameters that are no weights.
const BODY: &str =
    "x |> conv(4, kernel=3) |> batch_norm |> relu |> max_pool(2) |> flatten |> dense(3)";

fn unit(body: &str, train: &str) -> Unit {
    let text =
        format!("net a {{ input x: f32[N, 2, 4, 4]; {body} }} train {{ batch = 3; {train} }}");
    driver::read("a.net", &text, &network::Options::default())
        .unwrap_or_else(|error| panic!("{train}: {error}"))
}

fn certificate(subject: &Subject) -> Certificate {
    let options = Options {
        joint: true,
        directions: 1,
        ..Options::default()
    };
    certify(subject, &random(subject, 7), &options).expect("runs")
}

/// The statements about a function of a module.
fn statements(certificate: &Certificate, function: &str) -> Vec<String> {
    let checks = certificate.checks.iter().filter(|c| c.function == function);
    checks.map(|check| check.statement.clone()).collect()
}

fn assert_exact(body: &str, train: &str) -> Certificate {
    let unit = unit(body, train);
    let portable = subject(&unit.portable(3, &[]).expect("portable"));
    let tuned = subject(&unit.tuned(3, &[], Target::Cpu).expect("tuned"));
    for (what, subject) in [("portable", &portable), ("tuned", &tuned)] {
        let found = certificate(subject);
        assert!(found.holds(), "{train} {what}:\n{found}");
    }
    let comparison = compare(&portable, &tuned, &tuning::Options::default()).expect("runs");
    for check in &comparison.checks {
        assert!(check.verdict.holds(), "{train}: {}", check.verdict);
    }
    certificate(&portable)
}

#[test]
fn every_optimizer_follows_its_formula() {
    for optimizer in [
        "sgd(0.1, weight_decay=0.01)",
        "sgd(0.1, momentum=0.9)",
        "sgd(0.1, momentum=0.9, nesterov=true, weight_decay=0.01)",
        "adam(weight_decay=0.1)",
        "adam(betas=(0, 0.99))",
        "adamw",
        "rmsprop",
        "rmsprop(momentum=0.9, centered=true, weight_decay=0.1)",
        "lamb(weight_decay=0.1)",
    ] {
        let name = optimizer.split('(').next().unwrap();
        let found = assert_exact(BODY, &format!("optimizer = {optimizer};"));
        let expected = format!("parameters and state follow {name}");
        assert_eq!(statements(&found, "train_step")[0], expected);
    }
}

#[test]
fn settings_that_change_the_update() {
    for train in [
        "optimizer = adamw; decay = weights;",
        "optimizer = sgd(0.1); clip_norm = 0.01;",
        "optimizer = sgd(0.1); clip_norm = 1000;",
        "optimizer = sgd(0.1); ema = 0.99;",
        "optimizer = adam; clip_norm = 0.5; ema = 0.9; decay = weights;",
    ] {
        assert_exact(BODY, train);
    }
    for train in [
        "optimizer = sgd(0.1); accumulate = 2;",
        "optimizer = adamw; accumulate = 4; clip_norm = 0.1; ema = 0.9;",
    ] {
        let found = assert_exact(BODY, train);
        let [ends, goes_on, ..] = &statements(&found, "train_step")[..] else {
            panic!("{found}");
        };
        assert!(ends.ends_with(" where a group of batches ends"), "{ends}");
        let expected = "nothing but the sum of gradients moves while a group of batches goes on";
        assert_eq!(goes_on, expected);
    }
}

/// Without state of the layers the loss is checked against the logits, too.
#[test]
fn every_loss_is_that_of_the_logits() {
    let dense = "x |> conv(2, kernel=3) |> relu |> flatten |> dense";
    for (end, loss) in [
        ("(4)", "softmax_cross_entropy"),
        ("(4)", "softmax_cross_entropy(label_smoothing=0.1)"),
        ("(4)", "mean_squared_error"),
        ("(1)", "mean_squared_error"),
        ("(4)", "binary_cross_entropy"),
        ("(1)", "binary_cross_entropy"),
    ] {
        let found = assert_exact(&format!("{dense}{end}"), &format!("loss = {loss};"));
        let expected = "is the mean loss of @forward's logits";
        assert_eq!(statements(&found, "loss"), [expected], "{loss}");
    }
    let pixels = "x |> conv(2, kernel=3) |> relu |> conv";
    for (end, loss) in [
        (
            "(3, kernel=1)",
            "softmax_cross_entropy(label_smoothing=0.2)",
        ),
        ("(2, kernel=3)", "mean_squared_error"),
        ("(1, kernel=1)", "binary_cross_entropy"),
    ] {
        assert_exact(&format!("{pixels}{end}"), &format!("loss = {loss};"));
    }
}

/// The certificate of a training step in which one operation is another.
fn failing(train: &str, change: impl Fn(&mut Module)) -> Vec<String> {
    let mut module = unit(BODY, train).portable(3, &[]).expect("portable");
    change(&mut module);
    let found = certificate(&subject(&module));
    let failed = found.checks.iter().filter(|check| !check.verdict.holds());
    failed.map(|check| format!("{}", check.verdict)).collect()
}

/// Replaces the last operation of a kind in the training step.
fn replace(module: &mut Module, from: BinaryOp, to: BinaryOp) {
    let step = module.functions.iter_mut().find(|f| f.name == "train_step");
    let body = step.expect("a training step").body.iter_mut();
    let last = body.rev().find(|i| i.op == Op::Binary(from));
    last.expect("such an operation").op = Op::Binary(to);
}

/// The step of the last parameter goes uphill: it alone is named.
#[test]
fn a_wrong_sign_is_found() {
    for train in ["optimizer = adamw;", "optimizer = sgd(0.1, momentum=0.9);"] {
        let found = failing(train, |module| {
            replace(module, BinaryOp::Subtract, BinaryOp::Add);
        });
        assert_eq!(found.len(), 1, "{train}: {found:?}");
        assert!(found[0].contains("not so: dense1.bias"), "{found:?}");
    }
}

/// State and counter are results like others.
#[test]
fn state_that_is_returned_unchanged_is_found() {
    for name in [
        "conv1.weight.v",
        "optimizer:updates",
        "batch_norm1.weight.m",
    ] {
        let found = failing("optimizer = adam;", |module| {
            let step = module.functions.iter_mut().find(|f| f.name == "train_step");
            let step = step.expect("a training step");
            let old = step
                .arguments
                .iter()
                .find(|a| a.name.as_deref() == Some(name));
            let old = old.unwrap_or_else(|| panic!("no {name}")).value;
            let mut outputs = step.outputs.iter_mut();
            let output = outputs.find(|o| o.name.as_deref() == Some(name));
            output.expect("a result").value = old;
        });
        assert_eq!(found, [format!("FAILED not so: {name}")]);
    }
}
