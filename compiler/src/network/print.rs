//! The expanded network as text that parses to the same network.

use super::graph::{
    Conv, Initializer, Layer, LayerOp, Loss, Network, Optimizer, TensorId, TrainConfig, Window,
};
use super::lets::{Named, layer_lets};
use super::value::show_shape;
use super::window::axes;

/// The network with one tensor per line, its shape behind it, and its whole
/// `train` section. Parsed and built again it gives the same names and numbers.
///
/// `x |> conv(32, kernel=3) |> relu` prints as
/// ```text
///     let conv1 = x |> conv(32, kernel=3);  # f32[N, 32, 28, 28]
///     let relu1 = conv1 |> relu;            # f32[N, 32, 28, 28]
/// ```
pub fn print(network: &Network) -> String {
    let mut lines: Vec<(String, Option<String>)> = Vec::new();
    for input in &network.inputs {
        let shape = show_shape(&network.tensor(input.tensor).shape);
        lines.push((format!("input {}: {shape};", input.name), None));
    }
    for (layer, named) in network.layers.iter().zip(layer_lets(network)) {
        let op = match named {
            Named::No => op_text(network, layer),
            Named::First(name) => {
                lines.push((format!("let {name} = {};", op_text(network, layer)), None));
                name
            }
            Named::Again(name) => name,
        };
        let names: Vec<&str> = layer.inputs.iter().map(|id| name(network, *id)).collect();
        let value = match layer.op {
            LayerOp::Add => names.join(" + "),
            LayerOp::Subtract => names.join(" - "),
            LayerOp::Multiply => names.join(" * "),
            _ if names.len() > 1 => format!("{op}({})", names.join(", ")),
            _ => format!("{} |> {op}", names.join("")),
        };
        let output = network.tensor(layer.output);
        lines.push((
            format!("let {} = {value};", output.name),
            Some(show_shape(&output.shape)),
        ));
    }
    let width = lines.iter().map(|(text, _)| text.len()).max().unwrap_or(0);
    let mut out = format!("net {} {{\n", network.name);
    for (text, shape) in &lines {
        out.push_str(&match shape {
            Some(shape) => format!("    {text:width$}  # {shape}\n"),
            None => format!("    {text}\n"),
        });
    }
    out.push_str(&format!("    {}\n}}\n", name(network, network.output)));
    out.push_str(&train_text(&network.train));
    out
}

fn name(network: &Network, id: TensorId) -> &str {
    &network.tensor(id).name
}

/// The name of the op in the language; `-` has none and is called `subtract`.
pub(super) fn op_name(op: &LayerOp) -> &'static str {
    match op {
        LayerOp::Conv(_) => "conv",
        LayerOp::Dense => "dense",
        LayerOp::MaxPool(_) => "max_pool",
        LayerOp::Relu => "relu",
        LayerOp::Flatten => "flatten",
        LayerOp::Add => "add",
        LayerOp::Subtract => "subtract",
        LayerOp::Multiply => "multiply",
        LayerOp::Identity => "identity",
    }
}

/// The op with the options that are not the defaults, such as `conv(32, kernel=3)`.
pub(super) fn op_text(network: &Network, layer: &Layer) -> String {
    let input = layer
        .inputs
        .first()
        .map_or(&[][..], |id| &network.tensor(*id).shape);
    let extents = match input {
        [_, height, width] => [*height, *width],
        _ => [1, 1],
    };
    let mut options: Vec<String> = Vec::new();
    match &layer.op {
        LayerOp::Conv(conv) => conv_options(conv, extents, &mut options),
        LayerOp::Dense => options.extend(
            network
                .tensor(layer.output)
                .shape
                .iter()
                .map(i64::to_string),
        ),
        LayerOp::MaxPool(window) => pool_options(window, &mut options),
        _ => {}
    }
    let mut parameters = layer.parameters.iter().map(|id| network.parameter(*id));
    if let Some(weight) = parameters.next() {
        // `conv` has said this already.
        if matches!(layer.op, LayerOp::Dense) && parameters.next().is_none() {
            options.push("bias=false".to_string());
        }
        if weight.init != Initializer::HeNormal {
            options.push(format!("init={}", initializer_text(weight.init)));
        }
    }
    match options.as_slice() {
        [] => op_name(&layer.op).to_string(),
        options => format!("{}({})", op_name(&layer.op), options.join(", ")),
    }
}

fn conv_options(conv: &Conv, extents: [i64; 2], options: &mut Vec<String>) {
    let Conv {
        kernel,
        stride,
        padding,
        dilation,
        groups,
        out_channels,
        bias,
    } = conv;
    options.push(out_channels.to_string());
    options.push(format!("kernel={}", pair_text(*kernel)));
    if *stride != [1, 1] {
        options.push(format!("stride={}", pair_text(*stride)));
    }
    let same = axes(extents, *kernel, *stride, *dilation)
        .map(|axis| axis.place(None).map(|placed| placed.pads));
    if same
        .iter()
        .zip(padding)
        .any(|(same, pads)| same.as_ref() != Ok(pads))
    {
        options.push(format!("padding={}", padding_text(*padding)));
    }
    if *dilation != [1, 1] {
        options.push(format!("dilation={}", pair_text(*dilation)));
    }
    if *groups != 1 {
        options.push(format!("groups={groups}"));
    }
    if !bias {
        options.push("bias=false".to_string());
    }
}

fn pool_options(window: &Window, options: &mut Vec<String>) {
    options.push(pair_text(window.size));
    if window.stride != window.size {
        options.push(format!("stride={}", pair_text(window.stride)));
    }
    if window.padding != [[0, 0], [0, 0]] {
        options.push(format!("padding={}", padding_text(window.padding)));
    }
}

fn pair_text([height, width]: [i64; 2]) -> String {
    if height == width {
        height.to_string()
    } else {
        format!("({height}, {width})")
    }
}

fn padding_text([[top, bottom], [left, right]]: [[i64; 2]; 2]) -> String {
    if [top, bottom, left, right] == [0; 4] {
        "valid".to_string()
    } else if top == bottom && left == right {
        pair_text([top, left])
    } else {
        format!("(({top}, {bottom}), ({left}, {right}))")
    }
}

fn initializer_text(init: Initializer) -> String {
    match init {
        Initializer::Zeros => "zeros".to_string(),
        Initializer::Ones => "ones".to_string(),
        Initializer::Constant(value) => format!("constant({value:?})"),
        Initializer::Normal { std } => format!("normal({std:?})"),
        Initializer::Uniform { bound } => format!("uniform({bound:?})"),
        Initializer::HeNormal => "he_normal".to_string(),
        Initializer::HeUniform => "he_uniform".to_string(),
        Initializer::GlorotNormal => "glorot_normal".to_string(),
        Initializer::GlorotUniform => "glorot_uniform".to_string(),
        Initializer::LecunNormal => "lecun_normal".to_string(),
    }
}

fn train_text(train: &TrainConfig) -> String {
    let TrainConfig {
        loss,
        optimizer,
        batch,
        epochs,
        shuffle,
        seed,
        normalize,
    } = train;
    let Loss::SoftmaxCrossEntropy = loss;
    let Optimizer::Sgd { lr } = optimizer;
    let mut lines = vec![
        ("loss", "softmax_cross_entropy".to_string()),
        ("optimizer", format!("sgd(lr={lr:?})")),
        ("batch", batch.to_string()),
        ("epochs", epochs.to_string()),
        ("shuffle", shuffle.to_string()),
        ("seed", seed.to_string()),
    ];
    if let Some((mean, std)) = normalize {
        lines.push(("normalize", format!("({mean:?}, {std:?})")));
    }
    let body: String = lines
        .iter()
        .map(|(name, value)| format!("    {name:9} = {value};\n"))
        .collect();
    format!("train {{\n{body}}}\n")
}
