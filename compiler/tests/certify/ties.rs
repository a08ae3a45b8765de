//! Data points at which two variables are equal under a maximum.

use cnnc::autodiff;
use cnnc::certify::audit::{self, Form, audit};
use cnnc::certify::{Certificate, Options, Subject, Values, Verdict, certify};
use cnnc::reference::Tensor;
use cnnc::stablehlo::{
    Builder, Direction, Function, Location, Op, Reducer, Result, TensorType, Value,
};

use crate::subjects::{of_loss, random};

/// The sum of c times a function of a and b, vectors of three elements.
fn loss(of: impl FnOnce(&mut Builder, [Value; 2]) -> Result<Value>) -> Function {
    let mut b = Builder::named("loss");
    let [x, y, c] = ["a", "b", "c"].map(|name| b.function.argument(Some(name), ty()));
    b.location = Location::new("t.net", 7, 3);
    let extreme = of(&mut b, [x, y]).unwrap();
    b.location = Location::UNKNOWN;
    let product = b.multiply(extreme, c).unwrap();
    let sum = b.sum(product, &[0]).unwrap();
    b.function.output(Some("loss"), sum);
    b.function
}

fn ty() -> TensorType {
    TensorType::f32([3])
}

fn gradients(loss: &Function) -> Function {
    autodiff::gradients(loss, &[0, 1, 2], "gradients").unwrap()
}

/// One element of each outcome: b, both, a.
fn tied() -> Values<f64> {
    let tensor = |values: [f64; 3]| Tensor::numbers(ty(), values.to_vec()).unwrap();
    Values::from([
        ("a".to_owned(), tensor([1.0, 2.0, 3.0])),
        ("b".to_owned(), tensor([2.0, 2.0, 2.0])),
        ("c".to_owned(), tensor([0.5, -1.0, 4.0])),
    ])
}

fn certificate(subject: &Subject, values: &Values<f64>) -> Certificate {
    certify(subject, values, &Options::default()).unwrap()
}

fn verdicts(certificate: &Certificate) -> Vec<&Verdict> {
    certificate.gradients.iter().map(|g| &g.verdict).collect()
}

#[test]
fn half_each_is_the_derivative_at_a_tie() {
    for of in [Builder::maximum, Builder::minimum] {
        let loss = loss(|b, [x, y]| of(b, x, y));
        let subject = of_loss(loss.clone(), gradients(&loss));
        let certificate = certificate(&subject, &tied());
        assert_eq!(verdicts(&certificate), [&Verdict::Exact; 3]);
        assert!(certificate.holds(), "{certificate}");
    }
}

/// All of the cotangent to a where the two are equal: right everywhere else.
#[test]
fn all_to_the_left_operand_is_no_derivative_at_a_tie() {
    let loss = loss(|b, [x, y]| b.maximum(x, y));
    let mut wrong = gradients(&loss);
    // The first strict comparison says where a wins, the last equality where b
    // takes half.
    let strict = Op::Compare(Direction::Gt);
    let of_a = wrong.body.iter_mut().find(|i| i.op == strict).unwrap();
    of_a.op = Op::Compare(Direction::Ge);
    let equal = Op::Compare(Direction::Eq);
    let of_b = wrong.body.iter_mut().rfind(|i| i.op == equal).unwrap();
    of_b.op = strict;
    let subject = of_loss(loss, wrong);

    let found = certificate(&subject, &tied());
    for parameter in ["a", "b"] {
        match found.gradient(parameter) {
            Some(Verdict::Failed(fault)) => {
                assert_eq!(fault.op.as_deref(), Some("maximum"), "{parameter}: {fault}");
                assert_eq!(fault.location.as_deref(), Some("t.net:7:3"));
            }
            other => panic!("{parameter}: {other:?}"),
        }
    }
    assert_eq!(found.gradient("c"), Some(&Verdict::Exact));
}

/// The same at a random point, where nothing ties: ties are looked for.
#[test]
fn a_wrong_rule_at_ties_is_found_at_a_smooth_point() {
    let loss = loss(|b, [x, y]| b.maximum(x, y));
    let mut wrong = gradients(&loss);
    for instruction in &mut wrong.body {
        if instruction.op == Op::Compare(Direction::Gt) {
            instruction.op = Op::Compare(Direction::Ge);
        }
    }
    let subject = of_loss(loss, wrong);
    let certificate = certificate(&subject, &random(&subject, 5));
    assert_eq!(verdicts(&certificate), [&Verdict::Exact; 3]);
    let failures = certificate.failures();
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert!(
        failures[0].starts_with("@gradients: is right where decisions tie, too: FAILED at maximum"),
        "{failures:?}"
    );
}

/// Three equal cells take a third each.
#[test]
fn equal_shares_are_the_derivative_of_a_maximum_over_a_dimension() {
    let largest = |b: &mut Builder, [x, y]: [Value; 2]| {
        let both = b.concatenate(&[x, y], 0)?;
        let largest = b.reduce(Reducer::Max, both, &[0])?;
        b.broadcast(largest, &[], &[3])
    };
    let loss = loss(largest);
    let subject = of_loss(loss.clone(), gradients(&loss));
    let mut values = tied();
    let three = Tensor::numbers(ty(), vec![3.0, 3.0, 1.0]).unwrap();
    values.insert("b".to_owned(), three);
    let found = certificate(&subject, &values);
    assert_eq!(verdicts(&found), [&Verdict::Exact; 3]);
    assert!(found.holds(), "{found}");
    let gradients = subject.call("gradients", &values).unwrap();
    // 0.5 - 1 + 4 = 3.5 to be shared by a[2], b[0] and b[1].
    let third = 3.5 / 3.0;
    assert_eq!(gradients["a.gradient"].as_numbers(), [0.0, 0.0, third]);
    assert_eq!(gradients["b.gradient"].as_numbers(), [third, third, 0.0]);
}

/// The gradient follows a rule there, but there is no derivative, and the
/// audit says so.
#[test]
fn the_audit_reports_the_tie_as_a_kink() {
    let loss = loss(|b, [x, y]| b.maximum(x, y));
    let arguments: Vec<Tensor<f64>> = tied().into_values().collect();
    let found = audit(&loss, &arguments, &audit::Options::new(3)).unwrap();
    let [site] = &found.sites[..] else {
        panic!("{found}");
    };
    assert_eq!((site.op.as_str(), site.form), ("maximum", Form::Pair));
    assert_eq!(
        found.to_string(),
        "maximum at t.net:7:3: 3 pairs: 2 apart, 0 the same, 1 on the kink, 0 undecided; closest \
         1.0e0\n  kink at [1]: 2 and 2 are equal, but not the same function\n0 of 1 examples have \
         a derivative here"
    );
    assert!(!found.holds());
}
