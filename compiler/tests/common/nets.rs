//! Random small nets of the language's ops.

use super::random::Random;
use cnnc::lower::{Mode, Source, forward};
use cnnc::network::{Files, Network, Options, build};
use cnnc::stablehlo::Function;

/// A random net on `x: f32[N, 4, 6, 6]`, and its function for three examples in
/// training, from parameters, running statistics and image to logits.
pub struct Net {
    pub text: String,
    pub function: Function,
}

pub const BATCH: i64 = 3;
/// Numbers of one example in any tensor.
const LARGEST: i64 = 600;

/// Each step is proposed at random and kept if the network takes it.
pub fn net(random: &mut Random) -> Net {
    let of_tokens = random.integer(0, 3) == 0;
    let mut chain = vec!["let t0 = x |> identity;".to_owned()];
    if of_tokens {
        let patch = random.choose(&[1, 2, 3]);
        chain.push(format!("let t1 = t0 |> tokens({patch}) |> dense(6);"));
    }
    let wanted = chain.len() + random.integer(3, 6) as usize;
    for _ in 0..200 {
        if chain.len() == wanted {
            break;
        }
        let last = chain.len() - 1;
        let earlier = random.integer(0, last as i64);
        let step = match random.integer(0, 7) {
            0 => format!("t{last} + t{earlier}"),
            1 => format!("concat(t{last}, t{earlier})"),
            2 => format!("t{last} * t{earlier}"),
            _ if of_tokens => format!("t{last} |> {}", token_op(random)),
            _ => format!("t{last} |> {}", image_op(random)),
        };
        chain.push(format!("let t{} = {step};", last + 1));
        if !fits(&chain) {
            chain.pop();
        }
    }
    let text = text(&chain);
    let network = network(&text).expect("it was built before");
    let source = Source::new("net.net", "");
    let function = forward(&network, BATCH, Mode::Training, &source).expect("lowered");
    Net { text, function }
}

/// Everything flows into the value, so that nothing is unused.
fn text(chain: &[String]) -> String {
    let ends: Vec<String> = (0..chain.len())
        .map(|i| format!("(t{i} |> flatten |> dense(3, bias=false))"))
        .collect();
    format!(
        "net random {{ input x: f32[N, 4, 6, 6]; {} {} }}",
        chain.join(" "),
        ends.join(" + ")
    )
}

fn network(text: &str) -> Option<Network> {
    build(&Files::alone("net.net", text).ok()?, &Options::default()).ok()
}

fn fits(chain: &[String]) -> bool {
    let small = |network: Network| network.tensors.iter().all(|t| t.size() <= LARGEST);
    network(&text(chain)).is_some_and(small)
}

fn pair(random: &mut Random, least: i64, most: i64) -> String {
    let (height, width) = (random.integer(least, most), random.integer(least, most));
    format!("({height}, {width})")
}

fn padding(random: &mut Random) -> String {
    let pad = |random: &mut Random| random.integer(0, 2);
    match random.integer(0, 3) {
        0 => "same".to_owned(),
        1 => "valid".to_owned(),
        2 => pad(random).to_string(),
        _ => {
            let [a, b, c, d] = [pad(random), pad(random), pad(random), pad(random)];
            format!("(({a}, {b}), ({c}, {d}))")
        }
    }
}

/// Options of both kinds of convolutions.
fn convolution(random: &mut Random) -> String {
    format!(
        "kernel={}, stride={}, padding={}, dilation={}, bias={}",
        pair(random, 1, 4),
        pair(random, 1, 2),
        padding(random),
        pair(random, 1, 2),
        random.choose(&[true, false])
    )
}

fn pool(random: &mut Random) -> String {
    let (size, stride) = (pair(random, 1, 3), pair(random, 1, 3));
    format!("{size}, stride={stride}, padding={}", padding(random))
}

const ELEMENT_WISE: [&str; 13] = [
    "relu",
    "relu6",
    "leaky_relu(0.3)",
    "elu(0.7)",
    "sigmoid",
    "tanh",
    "swish",
    "hard_swish",
    "hard_sigmoid",
    "gelu",
    "gelu(approximate=tanh)",
    "softplus",
    "softmax",
];

/// The eps is large, because a small one makes rounding errors of f32 large.
const NORMS: [&str; 8] = [
    "layer_norm(eps=0.1)",
    "layer_norm(eps=0.1, over=features)",
    "layer_norm(eps=0.1, over=features, affine=scalar)",
    "layer_norm(eps=0.1, affine=none)",
    "batch_norm(eps=0.1)",
    "batch_norm(eps=0.1, affine=false)",
    "scale",
    "scale(bias=true)",
];

fn image_op(random: &mut Random) -> String {
    match random.integer(0, 11) {
        0 | 1 => {
            let (out, groups) = (random.integer(1, 6), random.integer(1, 3));
            format!("conv({out}, groups={groups}, {})", convolution(random))
        }
        2 | 3 => {
            let multiplier = random.integer(1, 2);
            format!(
                "depthwise_conv(multiplier={multiplier}, {})",
                convolution(random)
            )
        }
        4 => format!("max_pool({})", pool(random)),
        5 | 6 => {
            let count = random.choose(&[true, false]);
            format!("avg_pool({}, count_padding={count})", pool(random))
        }
        7 => format!("upsample({})", pair(random, 1, 2)),
        8 => format!("group_norm({}, eps=0.1)", random.integer(1, 4)),
        9 => random.choose(&NORMS).to_owned(),
        10 => format!(
            "reshape({}, {}, 4)",
            random.integer(1, 6),
            random.integer(1, 9)
        ),
        _ => random.choose(&ELEMENT_WISE).to_owned(),
    }
}

fn token_op(random: &mut Random) -> String {
    match random.integer(0, 6) {
        0 | 1 => format!(
            "attention({}, bias={})",
            random.integer(1, 3),
            random.choose(&[true, false])
        ),
        2 => format!("dense({})", random.choose(&[4, 6, 12])),
        3 => random
            .choose(&["class_token(init=ones)", "position_embedding"])
            .to_owned(),
        4 => random.choose(&NORMS).to_owned(),
        _ => random.choose(&ELEMENT_WISE).to_owned(),
    }
}
