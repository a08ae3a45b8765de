//! Every op of the language, in a net between layers that learn: its gradient
//! is certified, portable and tuned, and tuning changes nothing.

use cnnc::certify::tuning::{self, compare};
use cnnc::certify::{Options, Subject, Verdict, certify};
use cnnc::driver::{self, Unit};
use cnnc::iree::Target;
use cnnc::network;

use crate::language;
use crate::subjects::{random, subject};

/// Bodies on `x: f32[N, 4, 6, 6]`, each up to the loss's `flatten |> dense(3)`.
const BODIES: &[&str] = &[
    "x |> conv(4, kernel=3, groups=2) |> relu |> conv(6, kernel=3, stride=2, padding=1, groups=2)",
    "x |> conv(4, kernel=(2, 3), stride=(2, 1), padding=((1, 0), (2, 1)), dilation=(1, 2), groups=2, bias=false) |> conv(2, kernel=1)",
    "x |> conv(3, kernel=1) |> depthwise_conv(kernel=3) |> relu |> conv(2, kernel=3)",
    "x |> conv(3, kernel=1) |> depthwise_conv(kernel=(2, 3), multiplier=2, padding=((1, 0), (0, 2))) |> conv(2, kernel=1)",
    "x |> conv(3, kernel=3) |> max_pool(3, stride=2, padding=1) |> conv(2, kernel=2)",
    "x |> conv(3, kernel=3) |> max_pool((2, 3), stride=(1, 2), padding=same) |> identity |> flatten |> dense(4, bias=false)",
    "x |> conv(4, kernel=1) |> multiply(x |> conv(4, kernel=3)) |> conv(2, kernel=3)",
    "x |> depthwise_conv(kernel=3, multiplier=2, stride=2, bias=false) |> conv(2, kernel=1)",
    "x |> conv(4, kernel=3) |> depthwise_conv(kernel=(3, 2), dilation=2, stride=(2, 1)) |> conv(2, kernel=1)",
    "x |> conv(4, kernel=1, stride=2, padding=valid) |> relu |> conv(3, kernel=2, stride=(1, 2))",
    "x |> conv(3, kernel=3) |> avg_pool(2) |> conv(2, kernel=2)",
    "x |> conv(3, kernel=3) |> avg_pool(3, stride=2, padding=same) |> conv(2, kernel=2)",
    "x |> conv(3, kernel=3) |> avg_pool(3, stride=2, padding=1, count_padding=true) |> conv(2, kernel=2)",
    "x |> conv(5, kernel=3) |> global_avg_pool",
    "x |> conv(3, kernel=3) |> max_pool(2) |> upsample(2) |> conv(2, kernel=3)",
    "x |> conv(3, kernel=3) |> reshape(6, 9, 2) |> conv(2, kernel=3)",
    "x |> conv(2, kernel=3) |> concat(x |> relu, x |> conv(3, kernel=1)) |> conv(2, kernel=3)",
    "x |> conv(3, kernel=3) |> scale |> conv(2, kernel=3) |> scale(bias=true)",
    "x |> conv(3, kernel=3) |> relu6 |> conv(2, kernel=3)",
    "x |> conv(3, kernel=3) |> leaky_relu |> conv(2, kernel=3) |> leaky_relu(0.25)",
    "x |> conv(3, kernel=3) |> elu |> conv(2, kernel=3) |> elu(0.5)",
    "x |> conv(3, kernel=3) |> sigmoid |> conv(2, kernel=3)",
    "x |> conv(3, kernel=3) |> tanh |> conv(2, kernel=3)",
    "x |> conv(3, kernel=3) |> swish |> conv(2, kernel=3)",
    "x |> conv(3, kernel=3) |> hard_swish |> conv(2, kernel=3)",
    "x |> conv(3, kernel=3) |> hard_sigmoid |> conv(2, kernel=3)",
    "x |> conv(3, kernel=3) |> gelu |> conv(2, kernel=3)",
    "x |> conv(3, kernel=3) |> gelu(approximate=tanh) |> conv(2, kernel=3)",
    "x |> conv(3, kernel=3) |> softplus |> conv(2, kernel=3)",
    "x |> conv(3, kernel=3) |> softmax |> conv(2, kernel=3)",
    "x |> conv(3, kernel=3) |> flatten |> softmax",
    "x |> conv(3, kernel=3) |> batch_norm |> relu |> conv(2, kernel=3)",
    "x |> conv(3, kernel=3) |> batch_norm(affine=false, momentum=0.5, eps=0.01) |> flatten |> dense(5) |> batch_norm",
    "x |> conv(3, kernel=3) |> layer_norm |> conv(2, kernel=3)",
    "x |> conv(3, kernel=3) |> layer_norm(over=features) |> conv(2, kernel=3)",
    "x |> conv(3, kernel=3) |> layer_norm(over=features, affine=scalar) |> conv(2, kernel=3)",
    "x |> conv(3, kernel=3) |> layer_norm(affine=none, eps=0.001) |> conv(2, kernel=3)",
    "x |> conv(6, kernel=3) |> group_norm(3) |> conv(2, kernel=3)",
    "x |> conv(6, kernel=3) |> group_norm(2, affine=false, eps=0.1) |> conv(2, kernel=3)",
    "x |> conv(3, kernel=3) |> dropout(0.25) |> conv(2, kernel=3) |> dropout(0.5)",
    "x |> conv(4, kernel=3) |> drop_path(0.5) |> add(x) |> conv(2, kernel=3)",
    "x |> conv(3, kernel=3) |> dropout(1) |> conv(2, kernel=3) |> drop_path(0)",
    "x |> tokens(3) |> dense(6) |> layer_norm |> attention(2) |> first_token",
    "x |> conv(6, kernel=2, stride=2) |> tokens |> class_token |> position_embedding |> attention(3, bias=false)",
];

#[test]
fn every_op_and_option_is_certified() {
    // Where a parameter starts is no matter of its gradient.
    assert_eq!(language::missing(BODIES, &[("*", "init")]), [""; 0]);
}

fn unit(body: &str) -> Unit {
    let text = format!(
        "net op {{ input x: f32[N, 4, 6, 6]; {body} |> flatten |> dense(3) }} train {{ batch = 3; }}"
    );
    driver::read("op.net", &text, &network::Options::default())
        .unwrap_or_else(|error| panic!("{body}: {error}"))
}

/// What is wrong with the certificate of a module, if anything.
fn certified(what: &str, body: &str, subject: &Subject) -> Option<String> {
    let options = Options {
        joint: true,
        directions: 1,
        ..Options::default()
    };
    let certificate = certify(subject, &random(subject, 1), &options)
        .unwrap_or_else(|error| panic!("{what} {body}: {error}"));
    let exact = certificate
        .gradients
        .iter()
        .all(|gradient| gradient.verdict == Verdict::Exact);
    (!exact || !certificate.holds()).then(|| format!("{what} {body}:\n{certificate}"))
}

#[test]
fn every_op_is_exact_portable_and_tuned() {
    let mut wrong = Vec::new();
    for body in BODIES {
        let unit = unit(body);
        let portable = subject(&unit.portable(3, &[]).expect("portable"));
        let tuned = subject(&unit.tuned(3, &[], Target::Cpu).expect("tuned"));
        wrong.extend(certified("portable", body, &portable));
        wrong.extend(certified("tuned", body, &tuned));
        let comparison = compare(&portable, &tuned, &tuning::Options::default())
            .unwrap_or_else(|error| panic!("{body}: {error}"));
        for check in comparison
            .checks
            .iter()
            .filter(|check| !check.verdict.holds())
        {
            wrong.push(format!("{body}: @{}: {}", check.function, check.verdict));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
