//! Activations over the whole range of f32, up to 1e30 on both sides: small
//! values are right in their own digits, and nothing becomes NaN or infinite.

use super::common::layers::network;
use super::iree::Machine;
use cnnc::autodiff;
use cnnc::lower::{Mode, Source, forward};
use cnnc::reference::Tensor;
use cnnc::stablehlo::TensorType;
use serde_json::Value as Json;

const TEXT: &str = include_str!("../goldens/tails.json");

/// Half the distance of neighbouring f32 near 1.
const ROUNDOFF: f64 = 1.0 / (1u64 << 24) as f64;
/// The least f32 with all its digits; below, IREE may give 0.
const SMALLEST: f64 = 1.2e-38;
/// Largest absolute error of a derivative, relative to 1 or to itself: IREE's
/// tanh is 1 from 8 on, where its derivative is 4.5e-7.
const OF_SLOPE: f64 = 16.0 * ROUNDOFF;

fn list(json: &Json) -> Vec<f64> {
    let list = json.as_array().expect("a list");
    list.iter().map(|v| v.as_f64().expect("a number")).collect()
}

/// Of a value, relative to itself. The square in e^(-x^2 / 2) is rounded, so
/// that the far tail of the normal distribution loses x^2 / 2 units.
fn of_value(body: &str, x: f64) -> f64 {
    let lost = match body {
        "gelu" => (x * x / 2.0).min(90.0),
        "gelu(approximate=tanh)" => 16.0,
        _ => 0.0,
    };
    ROUNDOFF * (16.0 + lost)
}

/// Which NaN is not.
fn within(error: f64, allowed: f64) -> bool {
    error <= allowed
}

#[test]
fn values_and_slopes_from_end_to_end() {
    let file: Json = serde_json::from_str(TEXT).expect("JSON");
    let cases = file["cases"].as_array().expect("cases");
    let machine = Machine::new();
    let mut functions = Vec::new();
    for (i, case) in cases.iter().enumerate() {
        let body = case["body"].as_str().expect("a body");
        let count = list(&case["x"]).len();
        let text = format!(
            "net tail {{ input x: f32[N, {count}, 1, 1]; x |> flatten |> {body} |> identity }}"
        );
        let source = Source::new("tail.net", &text);
        let mut f = forward(&network(&text), 1, Mode::Training, &source).expect("lowered");
        f.name = format!("value{i}");
        let slope = autodiff::pullback(&f, &[0], &format!("slope{i}"), "dy");
        functions.extend([f, slope.expect("a pullback")]);
    }
    let loaded = machine.load(functions).expect("compiled");
    let mut wrong = Vec::new();
    for (i, case) in cases.iter().enumerate() {
        let body = case["body"].as_str().expect("a body");
        let x = list(&case["x"]);
        let count = x.len() as i64;
        let image = Tensor::from_f64(TensorType::f32([1, count, 1, 1]), &x).expect("an image");
        let ones = Tensor::from_f64(TensorType::f32([1, count]), &vec![1.0; x.len()]);
        let call = |name: &str, arguments: &[Tensor<f32>]| {
            let results = machine.call(&loaded, &format!("{name}{i}"), arguments);
            results.expect("a result")[0].to_f64()
        };
        let y = call("value", std::slice::from_ref(&image));
        let slope = call("slope", &[image, ones.expect("ones")]);
        let expected = list(&case["y"]).into_iter().zip(list(&case["slope"]));
        for (j, (value, derivative)) in expected.enumerate() {
            let at = x[j];
            // The small factor of a product is 0 below the smallest number.
            let least = SMALLEST * at.abs().max(1.0);
            let allowed = of_value(body, at) * value.abs() + least;
            if !within((y[j] - value).abs(), allowed) {
                wrong.push(format!("{body} at {at:e}: {:e}, not {value:e}", y[j]));
            }
            let near = OF_SLOPE * derivative.abs().max(1.0);
            if !within((slope[j] - derivative).abs(), near) {
                let found = slope[j];
                wrong.push(format!("{body}' at {at:e}: {found:e}, not {derivative:e}"));
            }
        }
    }
    assert_eq!(cases.len(), 12);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
