use super::{Data, Dual, Error, Exact, Limits, Prime, Tensor, run, run_observed};
use crate::stablehlo::{
    Builder, Direction, ElementType, Function, Literal, Location, Op, Reducer, Scalar, TensorType,
};

/// y = (x + x) x, z = x.
fn square_twice() -> Function {
    let mut b = Builder::named("f");
    let x = b.function.argument(Some("x"), TensorType::f32([2]));
    b.location = Location::new("net.net", 3, 5);
    let double = b.add(x, x).unwrap();
    let y = b.multiply(double, x).unwrap();
    b.function.output(None, y);
    b.function.output(None, x);
    b.function
}

fn f32s(values: &[f64]) -> Tensor<f64> {
    Tensor::from_f64(TensorType::f32([values.len() as i64]), values).unwrap()
}

#[test]
fn runs_a_function_and_returns_its_arguments_too() {
    let results = run(&square_twice(), &[f32s(&[1.0, -3.0])]).unwrap();
    assert_eq!(results, [f32s(&[2.0, 18.0]), f32s(&[1.0, -3.0])]);
}

#[test]
fn runs_over_f32_with_its_rounding() {
    let third = 1.0f32 / 3.0;
    let x = Tensor::numbers(TensorType::f32([2]), vec![third, 16_777_217.0]).unwrap();
    let results = run(&square_twice(), &[x]).unwrap();
    assert_eq!(
        results[0].as_numbers(),
        [2.0 * third * third, 2f32.powi(49)]
    );
    assert_ne!(results[0].to_f64()[0], 2.0 / 3.0 / 3.0);
}

#[test]
fn runs_over_dual_numbers_of_the_field() {
    let x = Dual {
        value: Exact::new(Prime::new(5), 1.0),
        tangent: Exact::new(Prime::new(10), 0.0),
    };
    let tensor = Tensor::numbers(TensorType::f32([2]), vec![x; 2]).unwrap();
    let results = run(&square_twice(), &[tensor]).unwrap();
    // 2 x^2 and its derivative 4 x x'.
    let y = results[0].as_numbers()[0];
    assert_eq!(y.value.element, Prime::new(50));
    assert_eq!(y.tangent.element, Prime::new(200));
}

#[test]
fn observes_every_instruction() {
    let mut seen = Vec::new();
    run_observed(
        &square_twice(),
        &[f32s(&[1.0, 2.0])],
        Limits::default(),
        |i, result| {
            seen.push((i.op.name(), result.to_f64()));
        },
    )
    .unwrap();
    assert_eq!(
        seen,
        [("add", vec![2.0, 4.0]), ("multiply", vec![2.0, 8.0])]
    );
}

#[test]
fn comparisons_and_rounding_follow_the_shadow() {
    let mut b = Builder::named("f");
    let x = b.function.argument(None, TensorType::f32([2]));
    let zero = b.splat_like(0.0, x).unwrap();
    let positive = b.compare(Direction::Gt, x, zero).unwrap();
    let whole = b.convert(x, ElementType::I32).unwrap();
    b.function.output(None, positive);
    b.function.output(None, whole);
    let values = [-2.5, 7.5].map(|shadow| Exact::new(Prime::new(1), shadow));
    let x = Tensor::numbers(TensorType::f32([2]), values.to_vec()).unwrap();
    let results = run(&b.function, &[x]).unwrap();
    assert_eq!(results[0].as_integers(), [0, 1]);
    assert_eq!(results[1].as_integers(), [-2, 7]);
}

#[test]
fn constants_are_exact_in_the_field() {
    let mut b = Builder::named("f");
    let ty = TensorType::f32([]);
    let values = vec![Scalar::of(0.1, ElementType::F32)];
    let tenth = b.push(Op::Constant(Literal { ty, values }), &[]).unwrap();
    b.function.output(None, tenth);
    let results = run::<Exact>(&b.function, &[]).unwrap();
    // 0.1 in f32 is 13421773 / 2^27.
    let element = results[0].as_numbers()[0].element;
    assert_eq!(element * Prime::new(1 << 27), Prime::new(13_421_773));
}

#[test]
fn wrong_arguments_are_refused() {
    let function = square_twice();
    let error = run::<f64>(&function, &[]).unwrap_err();
    assert_eq!(error.to_string(), "`@f` takes 1 arguments, 0 were given");
    let error = run(&function, &[f32s(&[1.0])]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "argument 0 of `@f` is tensor<2xf32>, tensor<1xf32> was given"
    );
}

#[test]
fn elements_must_fit_the_type() {
    let error = Tensor::numbers(TensorType::f32([2]), vec![1.0]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "1 floating-point elements do not make a tensor<2xf32>"
    );
    let integers = TensorType::new([1], ElementType::I32);
    assert!(Tensor::numbers(integers, vec![1.0]).is_err());
    assert!(Tensor::<f64>::integers(TensorType::f32([1]), vec![1]).is_err());
    assert!(Tensor::<f32>::from_f64(TensorType::new([1], ElementType::F64), &[1.0]).is_err());
    assert!(Tensor::<f64>::from_f64(TensorType::f32([-1, -1]), &[1.0]).is_err());
    let wrapped = Tensor::<f64>::integers(TensorType::new([1], ElementType::I8), vec![200]);
    assert_eq!(wrapped.unwrap().data(), &Data::Integers(vec![-56]));
}

#[test]
fn a_number_type_that_cannot_hold_a_result_is_refused() {
    let mut b = Builder::named("f");
    let x = b.function.argument(None, TensorType::f32([1]));
    b.location = Location::new("net.net", 7, 2);
    let wide = b.convert(x, ElementType::F64).unwrap();
    b.function.output(None, wide);
    let x = Tensor::numbers(TensorType::f32([1]), vec![1.0f32]).unwrap();
    assert_eq!(
        run(&b.function, &[x]).unwrap_err().to_string(),
        "net.net:7:2: `stablehlo.convert`: tensor<1xf64> cannot be held by this kind of number"
    );
}

#[test]
fn results_beyond_the_limit_are_refused_before_they_are_made() {
    let mut b = Builder::named("f");
    let x = b.function.argument(None, TensorType::f32([]));
    b.location = Location::new("net.net", 1, 1);
    let large = b.broadcast(x, &[], &[1 << 20, 1 << 20, 1 << 20]).unwrap();
    let y = b.reduce(Reducer::Add, large, &[0, 1, 2]).unwrap();
    b.function.output(None, y);
    let scalar = Tensor::from_f64(TensorType::f32([]), &[1.0]).unwrap();
    let error = run::<f64>(&b.function, &[scalar]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "net.net:1:1: `stablehlo.broadcast_in_dim`: tensor<1048576x1048576x1048576xf32> needs \
         9223372036854775808 bytes beside the 0 in use; the limit is 4294967296"
    );
}

#[test]
fn values_are_dropped_after_their_last_use() {
    // A chain of 100 additions of 80 bytes each never needs more than two.
    let mut b = Builder::named("f");
    let mut x = b.function.argument(None, TensorType::f32([10]));
    for _ in 0..100 {
        x = b.add(x, x).unwrap();
    }
    b.function.output(None, x);
    let ones = [f32s(&[1.0; 10])];
    let limited = |bytes| run_observed(&b.function, &ones, Limits { bytes }, |_, _| {});
    assert_eq!(limited(160).unwrap(), [f32s(&[2f64.powi(100); 10])]);
    assert!(matches!(
        limited(159),
        Err(Error::TooLarge {
            live: 80,
            needed: 80,
            limit: 159,
            ..
        })
    ));
}

#[test]
fn a_value_used_before_its_definition_is_refused() {
    let mut function = square_twice();
    function.body.swap(0, 1);
    assert_eq!(
        run(&function, &[f32s(&[1.0, 2.0])])
            .unwrap_err()
            .to_string(),
        "`@f` uses value 1, which is not defined there"
    );
    let foreign = square_twice().outputs[0].value;
    let mut empty = Function::new("g");
    empty.output(None, foreign);
    assert_eq!(
        run::<f64>(&empty, &[]).unwrap_err().to_string(),
        "`@g` uses value 2, which is not defined there"
    );
}

#[test]
fn a_declared_type_that_the_operation_does_not_give_is_refused() {
    let mut function = square_twice();
    if let Some(first) = function.body.first_mut() {
        first.op = Op::Convert(ElementType::F64);
        first.operands.truncate(1);
    }
    assert_eq!(
        run(&function, &[f32s(&[1.0, 2.0])])
            .unwrap_err()
            .to_string(),
        "net.net:3:5: `stablehlo.convert`: gives tensor<2xf64>, the function says tensor<2xf32>"
    );
}
