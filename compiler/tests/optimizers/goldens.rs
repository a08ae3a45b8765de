//! Six steps of each optimizer against PyTorch (LAMB: Optax), with changing
//! gradients, one of them zero, and changing learning rates.
//!
//! `bench/goldens.py --only optimizers` computes them in f64.

use super::update::{Engine, function, optimizer};
use cnnc::network::Optimizer;
use cnnc::stablehlo::TensorType;
use serde_json::Value as Json;

struct Case {
    text: String,
    optimizer: Optimizer,
    weight: Vec<f64>,
    steps: Vec<(f64, Vec<f64>)>,
    after: Vec<Vec<f64>>,
}

fn cases() -> Vec<Case> {
    let text = include_str!("../goldens/optimizers.json");
    let file: Json = serde_json::from_str(text).expect("JSON");
    let numbers = |json: &Json| -> Vec<f64> {
        let items = json.as_array().expect("a list").iter();
        items.map(|item| item.as_f64().expect("a number")).collect()
    };
    let cases = file["cases"].as_array().expect("cases").iter();
    cases
        .map(|case| {
            let text = case["optimizer"].as_str().expect("a text").to_owned();
            let steps = case["steps"].as_array().expect("steps");
            Case {
                optimizer: optimizer(&text),
                text,
                weight: numbers(&case["weight"]),
                steps: steps
                    .iter()
                    .map(|step| (step["lr"].as_f64().expect("lr"), numbers(&step["gradient"])))
                    .collect(),
                after: steps.iter().map(|step| numbers(&step["weight"])).collect(),
            }
        })
        .collect()
}

#[test]
fn every_optimizer_moves_as_the_original() {
    let cases = cases();
    assert_eq!(cases.len(), 14);
    let engines = Engine::both(|element| {
        let ty = TensorType::new([2, 3], element);
        let named = cases.iter().enumerate();
        named
            .map(|(i, case)| function(&format!("f{i}"), &case.optimizer, &ty))
            .collect()
    });
    for engine in &engines {
        for (i, case) in cases.iter().enumerate() {
            let name = format!("f{i}");
            let found = engine.steps(&name, &case.optimizer, &case.weight, &case.steps);
            let mut before = &case.weight;
            for (step, (found, expected)) in found.iter().zip(&case.after).enumerate() {
                let pairs = found.iter().zip(expected).zip(before);
                for ((found, expected), before) in pairs {
                    // Rounding of f32 of the parameter itself is no error of the move.
                    let scale = (expected - before).abs() + expected.abs() * 0.1;
                    let error = (found - expected).abs();
                    assert!(
                        error <= engine.tolerance() * scale + 1e-12,
                        "{}, step {}: {found} instead of {expected}",
                        case.text,
                        step + 1
                    );
                }
                before = expected;
            }
        }
    }
}
