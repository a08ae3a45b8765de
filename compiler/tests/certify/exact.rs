//! Every gradient of the three nets is exact on real images.

use cnnc::certify::{Options, Subject, Verdict, certify};

use crate::subjects::{mnist, portable, random, tuned};

const PARAMETERS: [(&str, usize); 3] = [("linear", 2), ("mlp", 6), ("mnist_cnn", 10)];

fn options() -> Options {
    Options {
        threads: 2,
        ..Options::default()
    }
}

fn assert_exact(net: &str, subject: &Subject, parameters: usize) {
    let values = mnist(subject, 1);
    let start = std::time::Instant::now();
    let certificate = certify(subject, &values, &options()).unwrap();
    println!("{net}: {:.1?}\n{certificate}", start.elapsed());
    assert!(certificate.holds(), "{net}:\n{certificate}");
    assert_eq!(certificate.gradients.len(), parameters);
    for gradient in &certificate.gradients {
        assert_eq!(gradient.verdict, Verdict::Exact, "{}", gradient.parameter);
    }
    for check in &certificate.checks {
        assert_eq!(check.verdict, Verdict::Exact, "{}", check.statement);
    }
    // Loss (two), step (three), evaluation (two), pullback (two), ties.
    assert_eq!(certificate.checks.len(), 10);
    assert!(certificate.confidence.probability < 1e-12);
}

#[test]
fn portable_modules_are_exact_on_real_images() {
    for (net, parameters) in PARAMETERS {
        assert_exact(net, &portable(net, 4), parameters);
    }
}

#[test]
fn tuned_modules_are_exact_on_real_images() {
    for (net, parameters) in PARAMETERS {
        assert_exact(net, &tuned(net, 4), parameters);
    }
}

#[test]
fn moving_all_parameters_at_once_says_the_same() {
    let subject = portable("mlp", 3);
    let values = random(&subject, 5);
    let joint = Options {
        joint: true,
        ..options()
    };
    let certificate = certify(&subject, &values, &joint).unwrap();
    assert_eq!(certificate, certify(&subject, &values, &options()).unwrap());
    assert!(certificate.holds());
}
