use super::{nhwc, plain, ty};
use crate::simplify::tests::{Draw, assert_same_value, function, names, text};
use crate::stablehlo::{
    Builder, Convolution, ConvolutionDims, Direction, Function, Module, Reducer, Result,
    TensorType, Value, Window,
};
use crate::tune::{Options, Parts, batch_parts};

fn passed(function: &Function, parts: Parts) -> Function {
    let options = Options {
        parts,
        ..Options::default()
    };
    let module = Module {
        functions: vec![function.clone()],
        ..Module::default()
    };
    let mut module = batch_parts::run(&module, &options).expect("no failure");
    module.functions.remove(0)
}

/// In two parts, computing the same.
fn in_parts(function: &Function) -> Function {
    let after = passed(function, Parts::Always);
    assert_same_value(function, &after, Draw::Distinct);
    assert_same_value(function, &after, Draw::Ties);
    after
}

fn count(function: &Function, op: &str) -> usize {
    names(function).iter().filter(|name| **name == op).count()
}

/// A 3x3 convolution that keeps the size.
fn same() -> Convolution {
    Convolution {
        padding: vec![[1, 1]; 2],
        ..plain(nhwc())
    }
}

/// `after` of a convolution of four images, [4, 4, 4, 2].
fn behind(after: impl Fn(&mut Builder, Value, Value) -> Result<Value>) -> Function {
    function([ty(&[4, 4, 4, 2]), ty(&[3, 3, 2, 2])], |b, [x, w]| {
        let y = b.convolution(x, w, same())?;
        after(b, y, x)
    })
}

/// How many there are for the convolution alone: slices of its image.
fn before(op: &str) -> usize {
    match op {
        "slice" => 2,
        _ => 0,
    }
}

fn zero(b: &mut Builder) -> Result<Value> {
    b.splat(0.0, TensorType::f32([]))
}

fn window(size: [i64; 4], strides: [i64; 4]) -> Window {
    Window {
        size: size.to_vec(),
        strides: strides.to_vec(),
        ..Window::unit(4)
    }
}

/// What each example has for itself is done twice, once for each part.
#[test]
fn stages_go_on() {
    type After = fn(&mut Builder, Value, Value) -> Result<Value>;
    let cases: [(&str, After); 15] = [
        ("negate", |b, y, _| b.negate(y)),
        ("add", |b, y, x| b.add(y, x)),
        ("clamp", |b, y, _| {
            let (least, most) = (zero(b)?, b.splat(3.0, TensorType::f32([]))?);
            b.clamp(least, y, most)
        }),
        ("select", |b, y, x| {
            let p = b.compare(Direction::Gt, y, x)?;
            b.select(p, x, y)
        }),
        ("broadcast_in_dim", |b, y, _| {
            b.broadcast(y, &[1, 2, 3, 4], &[3, 4, 4, 4, 2])
        }),
        ("reshape", |b, y, _| {
            let y = b.reshape(y, &[4, 16, 2])?;
            b.negate(y)
        }),
        ("transpose", |b, y, _| {
            let y = b.transpose(y, &[3, 1, 0, 2])?;
            b.negate(y)
        }),
        ("reverse", |b, y, _| b.reverse(y, &[1, 2])),
        ("slice", |b, y, _| {
            b.slice(y, &[0, 1, 0, 0], &[4, 4, 4, 2], &[1, 2, 1, 1])
        }),
        ("pad", |b, y, _| {
            b.pad_zero(y, &[0, 1, 0, 0], &[0, 0, 2, 0], &[0, 1, 0, 0])
        }),
        ("concatenate", |b, y, x| b.concatenate(&[y, x], 3)),
        ("reduce", |b, y, _| b.sum(y, &[1, 2])),
        ("reduce", |b, y, _| b.sum(y, &[0, 1, 2])),
        ("reduce_window", |b, y, _| {
            b.reduce_window(Reducer::Max, y, window([1, 2, 2, 1], [1, 2, 2, 1]))
        }),
        ("select_and_scatter", |b, y, x| {
            let cotangent = b.slice(x, &[0; 4], &[4, 4, 4, 2], &[1, 2, 2, 1])?;
            b.select_and_scatter(y, cotangent, window([1, 2, 2, 1], [1, 2, 2, 1]))
        }),
    ];
    for (op, after) in cases {
        let after = in_parts(&behind(after));
        assert_eq!(count(&after, "convolution"), 2, "{op}");
        let before = before(op) + usize::from(op == "concatenate");
        assert_eq!(count(&after, op), 2 + before, "{op}: {:?}", text(&after));
    }
}

/// What mixes examples is done once, behind all parts.
#[test]
fn what_mixes_examples_is_whole() {
    type After = fn(&mut Builder, Value, Value) -> Result<Value>;
    let cases: [(&str, After); 8] = [
        ("reshape", |b, y, _| b.reshape(y, &[2, 32, 2])),
        ("reverse", |b, y, _| b.reverse(y, &[0, 1])),
        ("slice", |b, y, _| {
            b.slice(y, &[1, 0, 0, 0], &[4, 4, 4, 2], &[1; 4])
        }),
        ("pad", |b, y, _| {
            b.pad_zero(y, &[1, 0, 0, 0], &[0; 4], &[0; 4])
        }),
        ("reduce", |b, y, _| b.reduce(Reducer::Max, y, &[0, 1])),
        ("reduce_window", |b, y, _| {
            b.reduce_window(Reducer::Add, y, window([2, 1, 1, 1], [1; 4]))
        }),
        ("transpose", |b, y, _| b.transpose(y, &[3, 1, 0, 2])),
        ("dot_general", |b, y, x| {
            let [y, x] = [y, x].map(|v| b.reshape(v, &[4, 32]));
            b.dot(y?, x?, &[1], &[1])
        }),
    ];
    for (op, after) in cases {
        let after = in_parts(&behind(after));
        assert_eq!(
            count(&after, op),
            1 + before(op),
            "{op}: {:?}",
            text(&after)
        );
        assert!(count(&after, "concatenate") >= 1, "{op}");
    }
}

/// [n, h, w, c] and [n, h, w, o] to [1, 1, c, o].
fn weight_gradient() -> Convolution {
    plain(ConvolutionDims {
        input_batch: 3,
        input_feature: 0,
        input_spatial: vec![1, 2],
        kernel_input: 0,
        kernel_output: 3,
        kernel_spatial: vec![1, 2],
        output_batch: 2,
        output_feature: 3,
        output_spatial: vec![0, 1],
    })
}

/// A gradient with respect to a kernel is the sum of the parts' gradients.
#[test]
fn sums_over_examples_are_sums_of_sums() {
    let step = behind(|b, y, x| b.convolution(x, y, weight_gradient()));
    let after = in_parts(&step);
    assert_eq!(count(&after, "convolution"), 4);
    assert_eq!(count(&after, "concatenate"), 0);
    assert_eq!(names(&after).last(), Some(&"add"));
}

/// One part is done before the next one begins.
#[test]
fn parts_follow_each_other() {
    let chain = behind(|b, y, _| {
        let y = b.negate(y)?;
        let y = b.exponential(y)?;
        b.reshape(y, &[4, 32])
    });
    let after = names(&in_parts(&chain)).into_iter();
    let after: Vec<&str> = after.filter(|name| *name != "slice").collect();
    let part = ["convolution", "negate", "exponential"];
    // The flattening is for others that are whole.
    let end = ["concatenate", "reshape"];
    assert_eq!(after, [&part[..], &part, &end].concat());
}

fn images(n: i64, size: i64, channels: i64) -> Function {
    let image = ty(&[n, size, size, channels]);
    function([image, ty(&[3, 3, channels, channels])], |b, [x, w]| {
        b.convolution(x, w, same())
    })
}

/// 4 MiB of a part's image, as few parts as it takes, and four at most.
#[test]
fn as_many_parts_as_the_cache_asks_for() {
    for (function, parts) in [
        (images(128, 16, 32), 1),
        (images(256, 16, 32), 2),
        (images(512, 16, 32), 4),
        (images(4096, 16, 32), 4),
        (images(130, 32, 32), 2),
        (images(129, 32, 32), 1),
        // The kernel is read by every part.
        (images(512, 4, 512), 1),
    ] {
        let after = passed(&function, Parts::ForCache);
        assert_eq!(count(&after, "convolution"), parts);
        if parts == 1 {
            assert_eq!(text(&after), text(&function));
        }
    }
}

/// A depthwise convolution begins no parts, and goes on with those of another one.
#[test]
fn depthwise_convolutions_go_on() {
    let depthwise = Convolution {
        feature_group_count: 32,
        ..same()
    };
    let net = |before: bool| {
        let shapes = [
            ty(&[128, 32, 32, 32]),
            ty(&[3, 3, 32, 32]),
            ty(&[3, 3, 1, 32]),
        ];
        function(shapes, |b, [x, w, v]| {
            let y = if before {
                b.convolution(x, w, same())?
            } else {
                x
            };
            b.convolution(y, v, depthwise.clone())
        })
    };
    let convolutions = |before| count(&passed(&net(before), Parts::ForCache), "convolution");
    assert_eq!([false, true].map(convolutions), [1, 8]);
}

#[test]
fn one_example_is_no_parts() {
    let one = images(1, 4, 2);
    assert_eq!(text(&passed(&one, Parts::Always)), text(&one));
    let none = function([ty(&[4, 4])], |b, [x]| b.negate(x));
    assert_eq!(text(&passed(&none, Parts::Always)), text(&none));
}

/// Where stages end again and again at dot products, parts would be put together for each.
#[test]
fn stages_between_dot_products_are_whole() {
    let net = |layers: usize| {
        let shapes = [ty(&[64, 32, 32, 64]), ty(&[3, 3, 64, 64]), ty(&[64, 64])];
        function(shapes, |b, [x, w, v]| {
            let mut y = x;
            for _ in 0..layers {
                let z = b.convolution(y, w, same())?;
                let z = b.dot(z, v, &[3], &[0])?;
                y = b.add(y, z)?;
            }
            Ok(y)
        })
    };
    let convolutions = |layers| count(&passed(&net(layers), Parts::ForCache), "convolution");
    assert_eq!([1, 2, 3, 4].map(convolutions), [4, 8, 3, 4]);
}
