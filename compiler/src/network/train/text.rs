//! The `train` section as text that gives the same configuration.

use super::config::{
    Adam, Augmentation, Decay, Loss, Normalize, Optimizer, RmsProp, Schedule, Sgd, TrainConfig,
};

/// The whole section; settings that are off are left out.
pub(in crate::network) fn train_text(train: &TrainConfig) -> String {
    let TrainConfig {
        loss,
        optimizer,
        schedule,
        clip_norm,
        decay,
        ema,
        accumulate,
        batch,
        epochs,
        shuffle,
        seed,
        augment,
        normalize,
    } = train;
    let mut lines = vec![
        ("loss", loss_text(loss)),
        ("optimizer", optimizer_text(optimizer)),
    ];
    if *schedule != Schedule::Constant {
        lines.push(("schedule", schedule_text(schedule)));
    }
    if let Some(norm) = clip_norm {
        lines.push(("clip_norm", format!("{norm:?}")));
    }
    if *decay != Decay::All {
        lines.push(("decay", decay.name().to_string()));
    }
    if let Some(kept) = ema {
        lines.push(("ema", format!("{kept:?}")));
    }
    if *accumulate != 1 {
        lines.push(("accumulate", accumulate.to_string()));
    }
    lines.extend([
        ("batch", batch.to_string()),
        ("epochs", epochs.to_string()),
        ("shuffle", shuffle.to_string()),
        ("seed", seed.to_string()),
    ]);
    if !augment.is_empty() {
        let texts: Vec<String> = augment.iter().map(augmentation_text).collect();
        lines.push(("augment", format!("[{}]", texts.join(", "))));
    }
    if let Some(Normalize { mean, std }) = normalize {
        let text = format!("({}, {})", numbers_text(mean), numbers_text(std));
        lines.push(("normalize", text));
    }
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let body: String = lines
        .iter()
        .map(|(name, value)| format!("    {name:width$} = {value};\n"))
        .collect();
    format!("train {{\n{body}}}\n")
}

fn loss_text(loss: &Loss) -> String {
    match loss {
        Loss::SoftmaxCrossEntropy { label_smoothing } if *label_smoothing != 0.0 => {
            format!("{}(label_smoothing={label_smoothing:?})", loss.name())
        }
        _ => loss.name().to_string(),
    }
}

fn optimizer_text(optimizer: &Optimizer) -> String {
    let options = match optimizer {
        Optimizer::Sgd(sgd) => sgd_options(sgd),
        Optimizer::Adam(adam) | Optimizer::AdamW(adam) | Optimizer::Lamb(adam) => {
            adam_options(adam)
        }
        Optimizer::RmsProp(rmsprop) => rmsprop_options(rmsprop),
    };
    let options: Vec<String> = options
        .into_iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    format!("{}({})", optimizer.name(), options.join(", "))
}

type Options = Vec<(&'static str, String)>;

fn push_unless_zero(options: &mut Options, name: &'static str, value: f64) {
    if value != 0.0 {
        options.push((name, format!("{value:?}")));
    }
}

fn push_if(options: &mut Options, name: &'static str, value: bool) {
    if value {
        options.push((name, value.to_string()));
    }
}

fn sgd_options(sgd: &Sgd) -> Options {
    let mut options = vec![("lr", format!("{:?}", sgd.lr))];
    push_unless_zero(&mut options, "momentum", sgd.momentum);
    push_if(&mut options, "nesterov", sgd.nesterov);
    push_unless_zero(&mut options, "weight_decay", sgd.weight_decay);
    options
}

/// All of them: the defaults differ from one to the other.
fn adam_options(adam: &Adam) -> Options {
    let [first, second] = adam.betas;
    vec![
        ("lr", format!("{:?}", adam.lr)),
        ("betas", format!("({first:?}, {second:?})")),
        ("eps", format!("{:?}", adam.eps)),
        ("weight_decay", format!("{:?}", adam.weight_decay)),
    ]
}

fn rmsprop_options(rmsprop: &RmsProp) -> Options {
    let mut options = vec![
        ("lr", format!("{:?}", rmsprop.lr)),
        ("alpha", format!("{:?}", rmsprop.alpha)),
        ("eps", format!("{:?}", rmsprop.eps)),
    ];
    push_unless_zero(&mut options, "momentum", rmsprop.momentum);
    push_if(&mut options, "centered", rmsprop.centered);
    push_unless_zero(&mut options, "weight_decay", rmsprop.weight_decay);
    options
}

fn schedule_text(schedule: &Schedule) -> String {
    match schedule {
        Schedule::Constant => "constant".to_string(),
        Schedule::Cosine { warmup, min } => format!("cosine(warmup={warmup:?}, min={min:?})"),
        Schedule::Step { every, factor } => format!("step(every={every}, factor={factor:?})"),
        Schedule::Exponential { rate, every } => {
            format!("exponential(rate={rate:?}, every={every:?})")
        }
    }
}

fn augmentation_text(augmentation: &Augmentation) -> String {
    match augmentation {
        Augmentation::PadCrop(pad) => format!("pad_crop({pad})"),
        Augmentation::Flip => "flip".to_string(),
    }
}

fn numbers_text(numbers: &[f64]) -> String {
    match numbers {
        [only] => format!("{only:?}"),
        _ => {
            let texts: Vec<String> = numbers.iter().map(|n| format!("{n:?}")).collect();
            format!("({})", texts.join(", "))
        }
    }
}
