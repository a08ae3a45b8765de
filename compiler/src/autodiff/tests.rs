use super::{gradients, pullback};
use crate::reference::{Tensor, run};
use crate::simplify::drop_unused;
use crate::simplify::tests::{function, names};
use crate::stablehlo::{
    Convolution, ConvolutionDims, Direction, Error, Function, Location, Op, Reducer, TensorType,
    UnaryOp, Window,
};

fn vector(size: i64) -> TensorType {
    TensorType::f32([size])
}

/// Gradients by all arguments, at these values, for this cotangent.
fn pulled(f: &Function, arguments: &[&[f64]], cotangent: &[f64]) -> Vec<Vec<f64>> {
    let all: Vec<usize> = (0..arguments.len()).collect();
    let pullback = pullback(f, &all, "pullback", "cotangent").unwrap();
    let values = arguments.iter().chain([&cotangent]);
    let tensors: Vec<Tensor<f64>> = pullback
        .arguments
        .iter()
        .zip(values)
        .map(|(a, values)| Tensor::from_f64(pullback.ty(a.value).clone(), values).unwrap())
        .collect();
    let results = run(&pullback, &tensors).unwrap();
    results.iter().map(Tensor::to_f64).collect()
}

/// Operations of the backward pass that somebody uses, by these arguments.
fn backward(f: &Function, arguments: &[usize]) -> Vec<&'static str> {
    let pullback = pullback(f, arguments, "pullback", "cotangent").unwrap();
    names(&drop_unused(&pullback))
}

fn message(f: &Function, arguments: &[usize]) -> String {
    pullback(f, arguments, "pullback", "cotangent")
        .unwrap_err()
        .to_string()
}

#[test]
fn relu_is_flat_at_zero_and_below() {
    let relu = function([vector(4)], |b, [x]| {
        let zero = b.splat_like(0.0, x)?;
        b.maximum(x, zero)
    });
    let x = [-1.0, 0.0, -0.0, 2.0];
    assert_eq!(
        pulled(&relu, &[&x], &[1.0, 10.0, 100.0, 1000.0]),
        [[0.0, 0.0, 0.0, 1000.0]]
    );
    let relu6 = function([vector(4)], |b, [x]| {
        let zero = b.splat_like(0.0, x)?;
        let six = b.splat_like(6.0, x)?;
        let above = b.maximum(x, zero)?;
        b.minimum(above, six)
    });
    let x = [0.0, 3.0, 6.0, 7.0];
    assert_eq!(
        pulled(&relu6, &[&x], &[1.0, 10.0, 100.0, 1000.0]),
        [[0.0, 10.0, 0.0, 0.0]]
    );
}

/// JAX writes relu with a scalar that is broadcast.
#[test]
fn a_repeated_constant_is_a_constant() {
    let f = function([vector(3)], |b, [x]| {
        let zero = b.scalar_like(0.0, x)?;
        let zero = b.broadcast(zero, &[], &[3])?;
        b.maximum(x, zero)
    });
    let x = [-1.0, 0.0, 2.0];
    assert_eq!(pulled(&f, &[&x], &[1.0, 10.0, 100.0]), [[0.0, 0.0, 100.0]]);
}

#[test]
fn equal_operands_of_a_maximum_take_half_each() {
    let f = function([vector(3), vector(3)], |b, [x, y]| b.maximum(x, y));
    let gradients = pulled(&f, &[&[1.0, 2.0, 3.0], &[2.0, 2.0, 2.0]], &[8.0, 8.0, 8.0]);
    assert_eq!(gradients, [[0.0, 4.0, 8.0], [8.0, 4.0, 0.0]]);
    let twice = function([vector(2)], |b, [x]| b.maximum(x, x));
    assert_eq!(pulled(&twice, &[&[1.0, 2.0]], &[8.0, 8.0]), [[8.0, 8.0]]);
}

#[test]
fn cotangents_of_several_users_add() {
    // x^2 y + x: 2 x y + 1 and x^2.
    let f = function([vector(2), vector(2)], |b, [x, y]| {
        let square = b.multiply(x, x)?;
        let product = b.multiply(square, y)?;
        b.add(product, x)
    });
    let gradients = pulled(&f, &[&[2.0, 3.0], &[5.0, 7.0]], &[1.0, 1.0]);
    assert_eq!(gradients, [[21.0, 43.0], [4.0, 9.0]]);
}

#[test]
fn an_argument_without_influence_has_a_gradient_of_zero() {
    let f = function([vector(2), vector(3)], |b, [x, _]| b.negate(x));
    assert_eq!(
        pulled(&f, &[&[1.0, 2.0], &[3.0, 4.0, 5.0]], &[1.0, 1.0])[1],
        [0.0, 0.0, 0.0]
    );
    assert_eq!(backward(&f, &[1]), ["constant"]);
}

#[test]
fn only_what_was_asked_for_is_computed() {
    let conv = Convolution {
        dims: ConvolutionDims::nchw(2),
        strides: vec![1; 2],
        padding: vec![[0, 0]; 2],
        lhs_dilation: vec![1; 2],
        rhs_dilation: vec![1; 2],
        window_reversal: vec![false; 2],
        feature_group_count: 1,
        batch_group_count: 1,
    };
    let f = function(
        [TensorType::f32([1, 1, 4, 4]), TensorType::f32([1, 1, 3, 3])],
        |b, [x, w]| b.convolution(x, w, conv),
    );
    assert_eq!(backward(&f, &[1]), ["convolution"]);
    assert_eq!(backward(&f, &[0]), ["transpose", "reverse", "convolution"]);
    // A product by a constant needs no cotangent of the constant.
    let scaled = function([vector(2)], |b, [x]| {
        let two = b.splat_like(2.0, x)?;
        let four = b.multiply(two, two)?;
        b.multiply(x, four)
    });
    assert_eq!(
        backward(&scaled, &[0]),
        ["constant", "multiply", "multiply"]
    );
}

#[test]
fn stopped_and_inactive_values_pass_nothing() {
    let f = function([vector(2)], |b, [x]| {
        let e = b.exponential(x)?;
        let e = b.stop_gradient(e);
        b.multiply(x, e)
    });
    let e = std::f64::consts::E;
    assert_eq!(pulled(&f, &[&[0.0, 1.0]], &[1.0, 1.0]), [[1.0, e]]);
    let compared = function([vector(2), vector(2)], |b, [x, y]| {
        let mask = b.compare(Direction::Gt, x, y)?;
        b.select(mask, y, y)
    });
    assert_eq!(
        pulled(&compared, &[&[1.0, 2.0], &[2.0, 1.0]], &[3.0, 5.0]),
        [[0.0, 0.0], [3.0, 5.0]]
    );
}

#[test]
fn gradients_keep_the_results_of_the_function() {
    let f = function([vector(2)], |b, [x]| {
        let square = b.multiply(x, x)?;
        b.sum(square, &[0])
    });
    let mut f = f;
    let x = f.arguments[0].value;
    f.arguments[0].name = Some("w".to_owned());
    f.output(Some("metric"), x);
    let gradients = gradients(&f, &[0], "g").unwrap();
    let names: Vec<Option<&str>> = gradients
        .outputs
        .iter()
        .map(|o| o.name.as_deref())
        .collect();
    assert_eq!(names, [None, Some("metric"), Some("w.gradient")]);
    let x = Tensor::<f64>::from_f64(vector(2), &[3.0, 4.0]).unwrap();
    let results = run(&gradients, &[x]).unwrap();
    let results: Vec<Vec<f64>> = results.iter().map(Tensor::to_f64).collect();
    assert_eq!(results, [vec![25.0], vec![3.0, 4.0], vec![6.0, 8.0]]);
}

#[test]
fn an_operation_without_a_rule_is_named_with_its_place() {
    let f = function([vector(2), TensorType::f32([])], |b, [x, y]| {
        b.location = Location::new("a.net", 3, 8);
        let a = b.reduce(Reducer::Multiply, x, &[0])?;
        b.add(a, y)
    });
    assert_eq!(
        message(&f, &[0]),
        "a.net:3:8: autodiff: no derivative rule for `stablehlo.reduce` by multiply"
    );
    // By the other argument there is no need of one.
    assert!(pullback(&f, &[1], "g", "cotangent").is_ok());
}

/// The gradients of `torch.abs`, `torch.sign`, `torch.floor` and the like at
/// -2, 0 and 3.5.
#[test]
fn kinks_and_steps() {
    let x: &[f64] = &[-2.0, 0.0, 3.5];
    let of = |op| function([vector(3)], move |b, [x]| b.push(Op::Unary(op), &[x]));
    let pulled = |op| pulled(&of(op), &[x], &[1.0, 10.0, 100.0]);
    assert_eq!(pulled(UnaryOp::Abs), [[-1.0, 0.0, 100.0]]);
    for op in [
        UnaryOp::Sign,
        UnaryOp::Floor,
        UnaryOp::Ceil,
        UnaryOp::RoundNearestAfz,
        UnaryOp::RoundNearestEven,
    ] {
        assert_eq!(pulled(op), [[0.0; 3]], "{}", op.name());
    }
}

/// `jax.vjp(lax.clamp, lo, x, hi)` for a cotangent of 1, 10, ...: strictly
/// between the bounds the value takes it, beyond a bound the bound, and on one
/// nothing.
#[test]
fn clamp_moves_with_what_it_returns() {
    let scalars = [TensorType::f32([]), vector(5), TensorType::f32([])];
    let f = function(scalars, |b, [min, x, max]| b.clamp(min, x, max));
    let x: &[f64] = &[-1.0, 0.0, 0.5, 1.0, 3.0];
    let gradients = pulled(&f, &[&[0.0], x, &[1.0]], &[1.0, 10.0, 100.0, 1e3, 1e4]);
    assert_eq!(gradients[0], [1.0]);
    assert_eq!(gradients[1], [0.0, 0.0, 100.0, 0.0, 0.0]);
    assert_eq!(gradients[2], [1e4]);
    // Where the bounds are crossed the greatest one is returned, whatever x
    // is; JAX has a slope of 1 only for the last.
    let crossed = pulled(&f, &[&[2.0], x, &[1.0]], &[1.0; 5]);
    assert_eq!(crossed, [vec![0.0], vec![0.0; 5], vec![5.0]]);
}

/// The gradients of `torch.pow(x, y)` at (0, 0), (0, 2), (-2, 3).
#[test]
fn powers_where_a_slope_is_infinite() {
    let f = function([vector(3), vector(3)], |b, [x, y]| b.power(x, y));
    let gradients = pulled(&f, &[&[0.0, 0.0, -2.0], &[0.0, 2.0, 3.0]], &[1.0; 3]);
    assert_eq!(gradients[0], [0.0, 0.0, 12.0]);
    assert_eq!(gradients[1][..2], [0.0, 0.0]);
    assert!(gradients[1][2].is_nan());
    for (exponent, slopes) in [
        (0.0, [0.0, 0.0, 0.0]),
        (1.0, [1.0, 1.0, 1.0]),
        (2.0, [0.0, 2.0, -4.0]),
        (3.0, [0.0, 3.0, 12.0]),
    ] {
        let f = function([vector(3)], |b, [x]| {
            let y = b.scalar_like(exponent, x)?;
            let y = b.broadcast(y, &[], &[3])?;
            b.power(x, y)
        });
        let x: &[f64] = &[0.0, 1.0, -2.0];
        assert_eq!(pulled(&f, &[x], &[1.0; 3]), [slopes], "x^{exponent}");
    }
}

#[test]
fn refused_windows_and_initial_values() {
    let window = |dilation: i64| Window {
        size: vec![2],
        window_dilations: vec![dilation],
        ..Window::unit(1)
    };
    let pool = |reducer: Reducer, window: Window| {
        function([vector(5)], |b, [x]| b.reduce_window(reducer, x, window))
    };
    assert!(message(&pool(Reducer::Min, window(1)), &[0]).contains("by minimum"));
    assert!(message(&pool(Reducer::Max, window(2)), &[0]).contains("by maximum with dilation"));
    assert!(pullback(&pool(Reducer::Add, window(2)), &[0], "g", "ct").is_ok());
    let from = function([vector(5), TensorType::f32([])], |b, [x, init]| {
        let op = Op::Reduce {
            reducer: Reducer::Add,
            dims: vec![0],
        };
        b.push(op, &[x, init])
    });
    assert!(message(&from, &[1]).contains("with respect to its initial value"));
    assert!(pullback(&from, &[0], "g", "ct").is_ok());
    let second = function([vector(4), vector(2)], |b, [x, dy]| {
        let window = Window {
            strides: vec![2],
            ..window(1)
        };
        b.select_and_scatter(x, dy, window)
    });
    assert!(message(&second, &[1]).contains("`stablehlo.select_and_scatter`"));
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let pass = |result: Result<Function, Error>| match result {
        Err(Error::Pass { message, .. }) => message,
        other => panic!("{other:?}"),
    };
    let f = function([vector(2)], |b, [x]| b.negate(x));
    assert_eq!(
        pass(gradients(&f, &[0], "g")),
        "`@f` must return a scalar loss"
    );
    assert_eq!(
        pass(pullback(&f, &[1], "g", "ct")),
        "`@f` has no argument 1"
    );
    let nothing = Function::new("nothing");
    assert_eq!(
        pass(pullback(&nothing, &[], "g", "ct")),
        "`@nothing` returns nothing"
    );
    assert_eq!(
        pass(gradients(&nothing, &[], "g")),
        "`@nothing` must return a scalar loss"
    );
    let integer = TensorType::scalar(crate::stablehlo::ElementType::I32);
    let count = function([integer], |_, [x]| Ok(x));
    assert_eq!(
        pass(gradients(&count, &[], "g")),
        "`@f` must return a scalar loss"
    );
}
