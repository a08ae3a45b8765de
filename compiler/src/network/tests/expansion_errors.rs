//! What users read when a block, `if`, `repeat` or `param` is wrong: each snapshot
//! is a file and its errors.

use super::errors::check;
use super::{codes, net};

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
    recursion: "block deep(n) {
    input x;
    if n == 0 { x } else { x |> relu |> deep(n - 1) }
}
block even(n) {
    input x;
    x |> relu |> odd(n - 1)
}
block odd(n) {
    input x;
    x |> repeat 2 { even(n - 1) }
}
block fine {
    input x;
    x |> even(3)
}
net a {
    input x: f32[N, 1, 28, 28];
    x |> deep(3) |> fine |> flatten |> dense(10, bias=2)
}";
    errors_inside_a_block: "block basic(c) {
    input x;
    let y = x |> conv(c, kernel=3) |> conv(c, kernel=x.heigth);
    let z = x |> dense(c);
    y + z
}
block stage(c, n) {
    input x;
    x |> basic(c) |> repeat n { basic(c) }
}
net a {
    input x: f32[N, 1, 28, 28];
    let y = x |> stage(8, 2);
    let z = x |> stage(8, 3);
    y + z |> flatten |> dense(10, bias=maybe)
}";
    arguments_of_a_block: "block basic(channels, stride=1, act=relu) {
    input x;
    input skip;
    (x |> conv(channels, kernel=3, stride=stride) |> act) + skip
}
net a {
    input x: f32[N, 1, 28, 28];
    let a = x |> basic(x);
    let b = x |> basic(x, 1, 1, relu, 5, 6);
    let c = x |> basic(x, chanels=8);
    let d = x |> basic(x, 1, channels=8);
    let e = x |> basic(1);
    let f = x |> basic(x, x, 1);
    let g = x |> basic(skip=3, channels=1);
    let h = basic(x, x, channels=x);
    a + b + c + d + e + f + g + h |> flatten |> dense(10)
}";
    names_of_blocks: "block relu {
    input x;
    x
}
block head(c, c=2) {
    input x;
    let head = x |> dense(c);
    let x = head;
    x |> repeat 2 {
        let c = tanh;
        let d = c;
        c
    } |> if c > 1 { let e = tanh; e } else { let e = relu; e }
}
block head {
    input x;
    x
}
net a {
    input x: f32[N, 1, 28, 28];
    x |> flatten |> head(10) |> haed(10)
}";
    blocks_that_lack_something: "block no_input(c) {
    dense(c)
}
block no_value {
    input x;
    let y = x |> relu;
}
block op_value {
    input x;
    if x.channels == 1 { conv(3, kernel=1) } else { x }
}
net untyped {
    input y;
    y
}
net a {
    input x: f32[N, 1, 28, 28];
    let a = x |> no_input(3);
    let b = x |> no_value;
    let c = x |> op_value;
    let d = x |> repeat 2 { let e = relu; };
    a + b + c + d |> flatten |> dense(10)
}";
    conditions_and_counts: "net a(deep=1, n=-1) {
    input x: f32[N, 1, 28, 28];
    let a = x |> if deep { relu } else { tanh };
    let b = x |> if x { relu };
    let c = x |> repeat n { relu };
    let d = x |> repeat 5000 { relu };
    let e = x |> repeat 2.0 { relu };
    let f = x |> repeat relu { relu };
    let g = if deep == 2 { x } else if deep == 3 { x };
    let h = x |> if deep == 1 { x };
    let i = x |> repeat 2 { 3 };
    a + b + c + d + e + f + g + h + i |> flatten |> dense(10)
}";
    too_many_layers: "block many {
    input x;
    x |> repeat 300 { relu }
}
net a {
    input x: f32[N, 1, 28, 28];
    x |> repeat 300 { many } |> flatten |> dense(10)
}";
    params_with_faults: "block affine {
    input x;
    param s: f32[x.width] = ones;
    x * s
}
net a {
    input x: f32[N, 3, 28, 28];
    param a: f32[N, 3] = ones;
    param b: f32[0, 2.5] = zeros;
    param c: u8[3] = zeros;
    param d: f32[3];
    param e: f32[3] = one;
    param f: f32[3] = normal;
    param g: f32[3] = 1;
    param h: f32[1000000, 1000000] = zeros;
    param i: f32[28] = ones;
    let y = x * a * b * c * d * e * f * g * h;
    y + (x |> affine) + (i - x) + (x |> conv(i, kernel=1)) + i / 2 |> flatten |> dense(10)
}";
    two_parameters_of_one_name: "net a {
    input x: f32[N, 1, 28, 28];
    param s: f32[1] = ones;
    param s: f32[28] = ones;
    let c = conv(1, kernel=1);
    param c.bias: f32[1] = zeros;
    x * s + c.bias |> c |> flatten |> dense(10)
}";
    two_parameters_of_one_path: "net a {
    input x: f32[N, 1, 28, 28];
    let c = conv(1, kernel=1);
    param c.bias: f32[1] = zeros;
    x + c.bias |> c |> flatten |> dense(10)
}";
    points: "block b {
    input x;
    x |> conv(1, kernel=1) |> relu
}
net a {
    input x: f32[N, 1, 28, 28];
    let a.one = x |> conv(1, kernel=1);
    let a.two = a.one |> relu |> relu;
    let a.three = a.two |> b;
    let a.four = x;
    a.one + a.two + a.three + a.four + a.fuor |> flatten |> dense(10)
}";
    input_inside_braces: "net a {
    input x: f32[N, 1, 28, 28];
    x |> repeat 2 {
        input y;
        relu
    } |> flatten |> dense(10)
}";
    a_net_on_another_shape: "net digits {
    input x: f32[N, 1, 28, 28];
    x |> flatten |> dense(10)
}
block typed {
    input v: f32[N, 4];
    v |> relu
}
net a {
    input x: f32[N, 3, 32, 32];
    (x |> digits) + (x |> flatten |> typed)
}";
    shared_blocks_on_two_shapes: "block b(c) {
    input x;
    param s: f32[x.channels] = ones;
    let y = x * s;
    y |> conv(c, kernel=1, stride=if x.channels == 1 { 1 } else { 2 })
}
block d {
    input x;
    x |> conv(4, kernel=1, stride=x.height / 14)
}
net a {
    input x: f32[N, 1, 28, 28];
    let f = b(4);
    let g = d;
    let y = x |> f |> f;
    let z = x |> g;
    let w = x |> max_pool(2) |> g;
    y + z + w |> flatten |> dense(10)
}";
}

#[test]
fn arguments_of_net_on_the_command_line() {
    let source = "net small(classes=10, wide=false) {
    input x: f32[N, 1, 28, 28];
    x |> flatten |> dense(classes, bias=wide)
}";
    let mut story = format!("SOURCE\n{source}\n");
    for net in [
        "small(clases=10)",
        "small(10, false, 3)",
        "small(10, classes=3)",
        "small(classes=ten)",
        "small(wide=1)",
        "small(",
        "smal(3)",
        "3 + small(4)",
    ] {
        let options = crate::network::Options {
            net: Some(net.to_string()),
            ..crate::network::Options::default()
        };
        let errors = super::network(source, &options).expect_err(net);
        story.push_str(&format!(
            "\n--net '{net}'\n{}",
            super::rendered(source, &errors)
        ));
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("arguments_of_net_on_the_command_line", story));
}

#[test]
fn blocks_nest_to_a_limit_and_no_stack_overflows() {
    let chain = |depth: usize| {
        let mut source = String::from("block b0 { input x; x |> relu }\n");
        for level in 1..depth {
            let inner = level - 1;
            source.push_str(&format!(
                "block b{level} {{ input x; (((((((((((x |> b{inner}))))))))))) }}\n"
            ));
        }
        let body = net("1, 4, 4", &format!("x |> b{}", depth - 1));
        format!("{source}{body}")
    };
    super::good(&chain(20));
    assert_eq!(codes(&chain(200)), ["E0215"]);
    // Brackets alone come to the limit of expressions first.
    let deep = format!("{}x{}", "(".repeat(40), ")".repeat(40));
    let mut source = String::from("block b0 { input x; x |> relu }\n");
    for level in 1..60 {
        let inner = level - 1;
        source.push_str(&format!(
            "block b{level} {{ input x; {} |> b{inner} }}\n",
            deep
        ));
        source.push_str(&format!(
            "block c{level} {{ input x; {}x |> c{inner}{} }}\n",
            "(".repeat(40),
            ")".repeat(40)
        ));
    }
    source.push_str("block c0 { input x; x |> relu }\n");
    source.push_str(&net("1, 4, 4", "x |> b59 |> c59"));
    assert_eq!(codes(&source), ["E0215"]);
}

#[test]
fn a_tree_of_blocks_comes_to_an_end() {
    let mut source = String::from("block b0 { input x; x }\n");
    for level in 1..60 {
        let inner = level - 1;
        source.push_str(&format!(
            "block b{level} {{ input x; (x |> b{inner}) + (x |> b{inner}) }}\n"
        ));
    }
    source.push_str(&net("1, 4, 4", "x |> b59"));
    assert_eq!(codes(&source), ["E0215"]);
}

#[test]
fn a_ring_of_many_blocks_is_found_once() {
    let mut source = String::new();
    for block in 0..3000 {
        let next = (block + 1) % 3000;
        source.push_str(&format!("block b{block} {{ input x; x |> b{next} }}\n"));
    }
    source.push_str(&net("1, 4, 4", "x |> b0"));
    assert_eq!(codes(&source), ["E0211"]);
}
