//! What users read when something is wrong: each snapshot is a file and its errors.

use super::{network, rendered};
use crate::network::Options;

pub(super) fn check(name: &str, source: &str) {
    check_with(name, source, &Options::default());
}

fn check_with(name: &str, source: &str, options: &Options) {
    let errors = network(source, options).expect_err(source);
    let story = format!("SOURCE\n{source}\n\nMESSAGE\n{}", rendered(source, &errors));
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, story));
}

macro_rules! stories {
    ($($name:ident: $source:expr;)*) => {
        $(
            #[test]
            fn $name() {
                check(stringify!($name), $source);
            }
        )*
    };
}

stories! {
    dense_on_an_image: "net mnist {
    input image: f32[N, 1, 28, 28];
    image
      |> conv(32, kernel=3) |> relu
      |> max_pool(2)
      |> dense(512)
}";
    conv_on_a_vector: "net a {
    input x: f32[N, 1, 28, 28];
    x |> flatten |> conv(8, kernel=3)
}";
    unknown_op: "net a {
    input x: f32[N, 1, 28, 28];
    x |> Conv2D(8, kernel=3) |> maxpool(2) |> flaten |> dense(10)
}";
    unknown_tensor: "net a {
    input image: f32[N, 1, 28, 28];
    imgae |> flatten |> dense(10)
}";
    name_used_above_its_let: "net a {
    input x: f32[N, 1, 28, 28];
    let y = z |> relu;
    let z = x |> relu;
    y + z |> flatten |> dense(10)
}";
    unknown_option: "net a {
    input x: f32[N, 1, 28, 28];
    x |> conv(8, kernal=3) |> relu(slope=0.1) |> flatten |> dense(10, units=3)
}";
    missing_option: "net a {
    input x: f32[N, 1, 28, 28];
    x |> conv(8) |> max_pool |> flatten |> dense(bias=false)
}";
    option_of_the_wrong_type: "net a {
    input x: f32[N, 1, 28, 28];
    x |> conv(8, kernel=2.5, bias=1, stride=(1, 2, 3)) |> flatten |> dense(10.0)
}";
    option_out_of_range: "net a {
    input x: f32[N, 1, 28, 28];
    x |> conv(0, kernel=0, stride=0, dilation=-1, groups=0, padding=-1)
      |> max_pool(0) |> flatten |> dense(-10)
}";
    unknown_word: "net a {
    input x: f32[N, 1, 28, 28];
    x |> conv(8, kernel=3, padding=smae, init=he_norml) |> flatten |> dense(10, init=xavier)
}";
    option_without_its_name: "net a {
    input x: f32[N, 1, 28, 28];
    x |> conv(8, 3, 2) |> relu(0.1) |> flatten |> dense(10)
}";
    option_twice: "net a {
    input x: f32[N, 1, 28, 28];
    x |> conv(8, kernel=3, kernel=5) |> flatten |> dense(10, out=20)
}";
    groups_that_do_not_divide: "net a {
    input x: f32[N, 4, 28, 28];
    let y = x |> conv(6, kernel=3, groups=3);
    let z = x |> conv(6, kernel=3, groups=4);
    y + z |> flatten |> dense(10)
}";
    window_larger_than_its_input: "net a {
    input x: f32[N, 1, 8, 8];
    x |> max_pool(4) |> conv(8, kernel=(1, 3), dilation=2, padding=(0, 1)) |> flatten |> dense(10)
}";
    pool_of_padding_alone: "net a {
    input x: f32[N, 1, 28, 28];
    x |> max_pool(2, padding=((0, 0), (2, 0))) |> flatten |> dense(10)
}";
    sum_of_different_shapes: "net a {
    input x: f32[N, 8, 28, 28];
    let wide = x |> conv(16, kernel=3);
    let flat = x |> flatten;
    let a = x + wide;
    let b = add(flat, wide);
    a + b |> flatten |> dense(10)
}";
    tensor_count: "net a {
    input x: f32[N, 8, 28, 28];
    let a = add(x);
    let b = x |> multiply(x, x);
    let c = x |> add;
    a + b + c + relu(x) |> flatten |> dense(10)
}";
    shared_layer_on_two_shapes: "net a {
    input x: f32[N, 1, 28, 28];
    let c = conv(8, kernel=3);
    x |> c |> c |> flatten |> dense(10)
}";
    names_made_twice: "net a {
    input x: f32[N, 1, 28, 28];
    let x = x |> relu;
    let relu = x |> flatten;
    let same = x;
    x + same + relu |> flatten |> dense(10)
}
net a {
    input x: f32[N, 1, 28, 28];
    let y = x |> relu;
    let y = y |> relu;
    y |> flatten |> dense(10)
}";
    unused_names: "net a {
    input x: f32[N, 1, 28, 28];
    input other: f32[N, 1, 28, 28];
    let branch = x |> conv(8, kernel=3) |> relu;
    x |> flatten |> dense(10)
}";
    input_types: "net a {
    input a: f32[N, 784];
    input b: u8[N, 1, 28, 28];
    input c: f32[32, 1, 28, 28];
    input d: f32[N, 1, N, 0];
    input e: f32[];
    input f;
    a + b + c + d + e + f
}";
    sorts_of_values: "net a {
    input x: f32[N, 1, 28, 28];
    let c = conv(8, kernel=3);
    let y = c |> relu;
    let z = x |> x;
    let u = x * 2;
    let v = c(3);
    let w = conv(true && 1, kernel=\"3\");
    let r = x |> a |> relu;
    y + z + u + v + w + r + 1
}";
    value_of_the_net: "net a {
    input x: f32[N, 1, 28, 28];
    x |> flatten |> dense(10);
}";
    net_without_a_value: "net a {
    input x: f32[N, 1, 28, 28];
    let y = x |> flatten |> dense(10);
}";
    net_that_is_an_op: "net a {
    conv(3, kernel=3)
}";
    net_that_is_its_input: "net a {
    input x: f32[N, 1, 28, 28];
    x
}";
    empty_file: "";
    comments_only: "# a plan for a net\n\n# to be written\n";
    blocks_only: "block b(c) {
    input x;
    x |> conv(c, kernel=3)
}
train {
    epochs = 3;
}";
    sizes_that_overflow: "net a {
    input x: f32[N, 1, 28, 28];
    let big = x |> flatten |> dense(1000000000000);
    let pad = x |> conv(8, kernel=3, padding=9223372036854775807);
    let far = x |> conv(8, kernel=9223372036854775807, dilation=2);
    let wide = x |> max_pool(1, padding=(0, 4000000000));
    let sum = conv(9223372036854775807 + 1, kernel=3);
    big + pad + far + wide |> sum
}";
    batch_too_large: "net a {
    input x: f32[N, 1, 28, 28];
    x |> conv(32, kernel=3) |> flatten |> dense(10)
}
train { batch = 100000000; }";
    arithmetic_without_a_result: "net a(k=3, half=1 / 2) {
    input x: f32[N, 1, 28, 28];
    x |> conv(8 % 0, kernel=k / (k - 3)) |> conv(half, kernel=1e300 * 1e300) |> flatten |> dense(-true)
}";
    unknown_field: "net a {
    input x: f32[N, 8, 28, 28];
    let n = x.chanels;
    let m = x.features;
    let o = n.channels;
    x |> conv(n + m + o, kernel=3) |> flatten |> dense(10)
}";
    output_of_the_wrong_rank: "net a {
    input x: f32[N, 1, 28, 28];
    x |> conv(10, kernel=3) |> relu |> max_pool(2)
}
train { loss = softmax_cross_entropy; }";
    train_settings: "net a {
    input x: f32[N, 1, 28, 28];
    x |> flatten |> dense(10)
}
train {
    loss      = softmax;
    optimizer = sdg(lr=0.1);
    batch     = 0;
    epochs    = 2.5;
    epoch     = 3;
    shuffle   = 1;
    seed      = -1;
    normalize = (0.5, 0);
    lr        = 0.1;
    batch     = 64;
}
train { }";
    learning_rates: "net a {
    input x: f32[N, 1, 28, 28];
    x |> flatten |> dense(10)
}
train { optimizer = sgd(lr=-0.1); loss = 3; }";
    options_of_losses_and_optimizers: "net a {
    input x: f32[N, 1, 28, 28];
    x |> flatten |> dense(10)
}
train {
    loss      = softmax_cross_entropy(label_smoothing=1.0);
    optimizer = adam(beta=0.9, betas=(0.9, 1.0), eps=0, weight_decay=-1e-4);
    decay     = biases;
    clip_norm = -1;
    ema       = 1.0;
    accumulate = 0;
}";
    optimizers_from_elsewhere: "net a {
    input x: f32[N, 1, 28, 28];
    x |> flatten |> dense(10)
}
train {
    loss      = binary_crossentropy(smoothing=0.1);
    optimizer = adagrad(lr=0.1, betas=0.9);
    schedule  = linear(warmup=3);
}";
    schedules: "net a {
    input x: f32[N, 1, 28, 28];
    x |> flatten |> dense(10)
}
train { schedule = cosine(warmup=-1, min=-0.1); }";
    schedules_that_lack_something: "net a {
    input x: f32[N, 1, 28, 28];
    x |> flatten |> dense(10)
}
train { schedule = step(every=0.5, factor=0); }";
    schedule_that_rises: "net a {
    input x: f32[N, 1, 28, 28];
    x |> flatten |> dense(10)
}
train { schedule = cosine(min=0.5); optimizer = adamw; }";
    nesterov_without_momentum: "net a {
    input x: f32[N, 1, 28, 28];
    x |> flatten |> dense(10)
}
train { optimizer = sgd(lr=0.1, nesterov=true); }";
    momentum_of_one: "net a {
    input x: f32[N, 1, 28, 28];
    x |> flatten |> dense(10)
}
train { optimizer = rmsprop(alpha=1, momentum=1.0, centered=1); }";
    augmentations: "net a {
    input x: f32[N, 3, 32, 32];
    x |> flatten |> dense(10)
}
train { augment = [pad_crop, pad_crop(0), mirror, 3, flip(2)]; }";
    augmentation_without_a_list: "net a {
    input x: f32[N, 3, 32, 32];
    x |> flatten |> dense(10)
}
train { augment = flip; normalize = 0.5; }";
    channels_of_normalize: "net a {
    input x: f32[N, 1, 28, 28];
    x |> flatten |> dense(10)
}
train { normalize = ((0.5, 0.4, 0.3), (0.2, 0.2, 0.2)); }";
    lengths_of_normalize: "net a {
    input x: f32[N, 3, 32, 32];
    x |> flatten |> dense(10)
}
train { normalize = ((0.5, 0.4, 0.3), 0.2); }";
    standard_deviations: "net a {
    input x: f32[N, 3, 32, 32];
    x |> flatten |> dense(10)
}
train { normalize = ((0.5, 0.4, 0.3), (0.2, 0, 0.2)); }";
    hyper_parameter_without_a_value: "net a(classes, k=sqrt(3)) {
    input x: f32[N, 1, 28, 28];
    x |> conv(8, kernel=k) |> flatten |> dense(classes)
}";
    // Each fault of a chain is shown once, and nothing that follows from one.
    one_error_per_fault: "net a {
    input x: f32[N, 1, 28, 28];
    let y = x |> conv(8, kernel=3, stride=0);
    let z = y |> dense(3) |> max_pol(2);
    y + z |> conv(4) |> flatten |> dense(10)
}";
}

#[test]
fn net_that_is_not_in_the_file() {
    let source = "net small {
    input x: f32[N, 1, 28, 28];
    x |> flatten |> dense(10)
}
net large {
    input x: f32[N, 1, 28, 28];
    x |> flatten |> dense(512) |> relu |> dense(10)
}";
    let options = Options {
        net: Some("smal".to_string()),
        ..Options::default()
    };
    check_with("net_that_is_not_in_the_file", source, &options);
}

#[test]
fn overrides_with_faults() {
    let source = "net a(classes=10) {
    input x: f32[N, 1, 28, 28];
    x |> conv(8, kernel=3) |> flatten |> dense(classes)
}
train {
    optimizer = sgd(lr=0.1);
}";
    let overrides = [
        ("train.batch", "0"),
        ("train.optimizer.lr", "fast"),
        ("train.optimizer.rate", "0.1"),
        ("train.epoch", "3"),
        ("train.a.b", "3"),
        ("train.schedule.warmup", "3"),
        ("train.ema", "2"),
        ("a.b", "3"),
        ("clases", "3"),
        ("classes", "3 +"),
    ];
    let options = Options {
        overrides: overrides
            .iter()
            .map(|(key, value)| (key.to_string(), value.to_string()))
            .collect(),
        ..Options::default()
    };
    check_with("overrides_with_faults", source, &options);
}
