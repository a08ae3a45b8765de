//! Faults injected into emitted modules. Each must be caught: a certificate
//! that lets one pass is worth nothing.

mod edit;
mod gradients;
mod normalisation;
mod other_functions;
mod subjects;
mod tuned;

use cnnc::certify::tuning::{self, compare};
use cnnc::certify::{Options, Random, Subject, certify, point};
use cnnc::stablehlo::{Module, mlir};

/// A fault: what goes wrong, and how it is brought in.
pub struct Fault {
    pub name: &'static str,
    pub inject: fn(&mut Module),
}

/// Faults of one module, and how they are looked for.
struct Suite {
    name: &'static str,
    module: Module,
    /// The module that it must equal; none if it is certified by itself.
    portable: Option<Module>,
    faults: Vec<Fault>,
}

fn suites() -> Vec<Suite> {
    let own = |name, module, faults| Suite {
        name,
        module,
        portable: None,
        faults,
    };
    let tuned = |name, (portable, module), faults| Suite {
        name,
        module,
        portable: Some(portable),
        faults,
    };
    vec![
        own("gradients", subjects::plain(), gradients::faults()),
        own("grouped", subjects::grouped(), gradients::grouped()),
        own("functions", subjects::plain(), other_functions::faults()),
        own(
            "normalised",
            normalisation::module(),
            normalisation::faults(),
        ),
        tuned("tuned", subjects::tuned_plain(), tuned::faults()),
        tuned(
            "tuned, grouped",
            subjects::tuned_grouped(),
            tuned::grouped(),
        ),
    ]
}

/// What the certificate says that does not hold.
fn findings(suite: &Suite, module: &Module) -> Vec<String> {
    // What is checked is what the text says.
    let text = mlir::print(module).expect("a module that can be printed");
    let module = mlir::parse(&text).unwrap_or_else(|error| panic!("ill-typed: {error}"));
    let subject = match Subject::new(module) {
        Ok(subject) => subject,
        Err(error) => return vec![error.to_string()],
    };
    if let Some(portable) = &suite.portable {
        let portable = Subject::new(portable.clone()).expect("a portable module");
        let found = compare(&portable, &subject, &tuning::Options::default());
        let wrong = found.expect("functions that run").checks.into_iter();
        let wrong = wrong.filter(|check| !check.verdict.holds());
        return wrong
            .map(|check| format!("@{}: {}", check.function, check.verdict))
            .collect();
    }
    let mut random = Random::new(11);
    let values = point::draw(&subject, &["loss"], point::Draw::Real, &mut random);
    let values = values.expect("values for @loss");
    let certificate = certify(&subject, &values, &Options::default());
    certificate.expect("functions that run").failures()
}

#[test]
fn every_fault_is_caught() {
    let (mut caught, mut all) = (0, 0);
    let mut missed = Vec::new();
    for suite in suites() {
        let sound = findings(&suite, &suite.module);
        assert_eq!(
            sound,
            Vec::<String>::new(),
            "{} without a fault",
            suite.name
        );
        let original = mlir::print(&suite.module).expect("a module that can be printed");
        for fault in &suite.faults {
            let mut module = suite.module.clone();
            (fault.inject)(&mut module);
            let text = mlir::print(&module).expect("a module that can be printed");
            assert_ne!(text, original, "{}: nothing was changed", fault.name);
            let findings = findings(&suite, &module);
            all += 1;
            match findings.first() {
                Some(first) => {
                    caught += 1;
                    println!("{}: {}: {first}", suite.name, fault.name);
                }
                None => missed.push(format!("{}: {}", suite.name, fault.name)),
            }
        }
    }
    println!("{caught} of {all} caught");
    assert!(missed.is_empty(), "not caught: {missed:#?}");
    assert!(all >= 40, "only {all} faults");
}

#[test]
fn names_are_unique() {
    let suites = suites();
    for suite in &suites {
        for fault in &suite.faults {
            let alike = suite.faults.iter().filter(|f| f.name == fault.name);
            assert_eq!(alike.count(), 1, "{}: {}", suite.name, fault.name);
        }
    }
}
