//! What a certificate says of a wrong gradient: the operation, and its line.

use cnnc::autodiff;
use cnnc::certify::{Certificate, Options, Subject, Verdict, certify};
use cnnc::stablehlo::{Builder, Function, Op, TensorType, Value};

use crate::examples;
use crate::subjects::{of_loss, random, subject};

/// The certificate of a net whose gradient function was changed.
fn certificate(net: &str, change: impl FnOnce(&mut Function)) -> Certificate {
    let mut module = examples::example(net).portable(2, &[]).unwrap();
    let gradients = module.functions.iter_mut().find(|f| f.name == "gradients");
    change(gradients.unwrap());
    let subject = subject(&module);
    certify(&subject, &random(&subject, 3), &Options::default()).unwrap()
}

/// Gives the users of a value another one.
fn redirect(f: &mut Function, from: Value, to: Value) {
    let operands = f.body.iter_mut().flat_map(|i| &mut i.operands);
    let outputs = f.outputs.iter_mut().map(|o| &mut o.value);
    for value in operands.chain(outputs).filter(|v| **v == from) {
        *value = to;
    }
}

fn fault(certificate: &Certificate, parameter: &str) -> (String, String) {
    match certificate.gradient(parameter) {
        Some(Verdict::Failed(fault)) => (
            fault.op.clone().unwrap_or_default(),
            fault.location.clone().unwrap_or_default(),
        ),
        other => panic!("{parameter}: {other:?}"),
    }
}

fn exact(certificate: &Certificate) -> Vec<&str> {
    let exact = certificate.gradients.iter().filter(|g| g.verdict.holds());
    exact.map(|g| g.parameter.as_str()).collect()
}

/// The mask of the mlp's second relu, dropped: everything behind it is right.
#[test]
fn a_dropped_mask_points_at_its_relu() {
    let certificate = certificate("mlp", |f| {
        let select = f.body.iter().filter(|i| i.op == Op::Select).nth(2).unwrap();
        let (from, to) = (select.result, select.operands[1]);
        redirect(f, from, to);
    });
    assert!(!certificate.holds());
    assert_eq!(exact(&certificate), ["dense3.weight", "dense3.bias"]);
    for parameter in [
        "dense1.weight",
        "dense1.bias",
        "dense2.weight",
        "dense2.bias",
    ] {
        let expected = ("maximum".to_owned(), "mlp.net:7:27".to_owned());
        assert_eq!(fault(&certificate, parameter), expected, "{parameter}");
    }
}

/// A missing reversal of the second convolution's kernel spoils the first
/// layer only.
#[test]
fn a_missing_reversal_points_at_its_convolution() {
    let certificate = certificate("mnist_cnn", |f| {
        let reverse = f.body.iter().find(|i| i.op.name() == "reverse").unwrap();
        let (from, to) = (reverse.result, reverse.operands[0]);
        redirect(f, from, to);
    });
    let wrong: Vec<&str> = certificate
        .gradients
        .iter()
        .filter(|g| !g.verdict.holds())
        .map(|g| g.parameter.as_str())
        .collect();
    assert_eq!(wrong, ["conv1.weight", "conv1.bias"]);
    for parameter in wrong {
        let expected = ("convolution".to_owned(), "mnist_cnn.net:6:10".to_owned());
        assert_eq!(fault(&certificate, parameter), expected, "{parameter}");
    }
    println!("{certificate}");
}

#[test]
fn a_wrong_bias_gradient_points_at_its_broadcast() {
    let certificate = certificate("linear", |f| {
        let output = f
            .outputs
            .iter()
            .find(|o| o.name.as_deref() == Some("dense1.bias.gradient"));
        let value = output.unwrap().value;
        let mut b = Builder::new(std::mem::take(f));
        let twice = b.add(value, value).unwrap();
        *f = b.function;
        let output = f.outputs.iter_mut().find(|o| o.value == value).unwrap();
        output.value = twice;
    });
    assert_eq!(exact(&certificate), ["dense1.weight"]);
    let expected = ("broadcast_in_dim".to_owned(), "linear.net:4:25".to_owned());
    assert_eq!(fault(&certificate, "dense1.bias"), expected);
}

/// (x + 3)^(1/2) summed, and its gradient by a formula that only a real root
/// obeys: r / (2 (x + 3)) for 1 / (2 r).
fn rooted() -> Subject {
    let mut b = Builder::named("loss");
    let x = b.function.argument(Some("x"), TensorType::f32([3]));
    let three = b.splat_like(3.0, x).unwrap();
    let sum = b.add(x, three).unwrap();
    let root = b.sqrt(sum).unwrap();
    let loss = b.sum(root, &[0]).unwrap();
    b.function.output(Some("loss"), loss);
    let loss = b.function;
    let mut gradients = autodiff::gradients(&loss, &[0], "gradients").unwrap();
    gradients.outputs.truncate(1);
    let mut b = Builder::new(gradients);
    let twice = b.add(sum, sum).unwrap();
    let slope = b.divide(root, twice).unwrap();
    b.function.output(Some("x.gradient"), slope);
    of_loss(loss, b.function)
}

/// What a field cannot say is said in f64, with the operation that is to
/// blame.
#[test]
fn what_needs_a_real_root_is_numeric() {
    let subject = rooted();
    let certificate = certify(&subject, &random(&subject, 1), &Options::default()).unwrap();
    match certificate.gradient("x") {
        Some(Verdict::Numeric { error, because }) => {
            assert!(*error < 1e-14, "{error}");
            assert_eq!(because, &["sqrt"]);
        }
        other => panic!("{other:?}"),
    }
}
