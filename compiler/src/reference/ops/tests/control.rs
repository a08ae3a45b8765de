//! Operations with regions, from text, as the specification and other
//! compilers write them.

use crate::reference::{
    Dual, Error, Exact, Limits, Number, Options, Prime, Tensor, run, run_observed, run_with,
};
use crate::stablehlo::{ElementType, Function, TensorType, mlir};

/// The only function of a module of generic text: `body`, which takes
/// `arguments`, and returns values of these types.
fn function(arguments: &str, results: &str, body: &str) -> Function {
    let text = format!(
        "\"builtin.module\"() ({{\n\"func.func\"() <{{function_type = ({types}) -> ({results}), \
         sym_name = \"f\"}}> ({{\n^bb0({arguments}):\n{body}\n}}) : () -> ()\n}}) : () -> ()",
        types = types(arguments),
    );
    let module = mlir::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    module.functions.into_iter().next().unwrap()
}

/// `%a: T, %b: U` without the names.
fn types(arguments: &str) -> String {
    let arguments = arguments.split(", ").filter(|a| !a.is_empty());
    let types: Vec<&str> = arguments.filter_map(|a| a.split(": ").nth(1)).collect();
    types.join(", ")
}

fn i64s(shape: &[i64], values: &[i64]) -> Tensor<f64> {
    Tensor::integers(TensorType::new(shape, ElementType::I64), values.to_vec()).unwrap()
}

fn i32(value: i64) -> Tensor<f64> {
    Tensor::integers(TensorType::scalar(ElementType::I32), vec![value]).unwrap()
}

fn real(values: &[f64]) -> Tensor<f64> {
    Tensor::from_f64(TensorType::f32([values.len() as i64]), values).unwrap()
}

/// Adds one as long as the first is less than `%ten`; both are from outside.
const COUNT: &str = r#"
  %0:2 = "stablehlo.while"(%i, %sum) ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %c = "stablehlo.compare"(%a, %ten) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %s = "stablehlo.add"(%b, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %t = "stablehlo.add"(%a, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    "stablehlo.return"(%t, %s) : (tensor<i64>, tensor<i64>) -> ()
  }) : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>)
  "func.return"(%0#0, %0#1) : (tensor<i64>, tensor<i64>) -> ()"#;

fn count() -> Function {
    let arguments = "%i: tensor<i64>, %sum: tensor<i64>, %one: tensor<i64>, %ten: tensor<i64>";
    function(arguments, "tensor<i64>, tensor<i64>", COUNT)
}

/// The specification's example begins at 1 and 0 and prints 10 and 10; from 1
/// to 10 there are 9 turns.
#[test]
fn while_by_the_specification() {
    let run = |i, one| {
        let arguments = [i, 0, one, 10].map(|v| i64s(&[], &[v]));
        run(&count(), &arguments)
    };
    assert_eq!(run(1, 1).unwrap(), [i64s(&[], &[10]), i64s(&[], &[9])]);
    assert_eq!(run(0, 1).unwrap(), [i64s(&[], &[10]), i64s(&[], &[10])]);
    // No turn at all.
    assert_eq!(run(10, 1).unwrap(), [i64s(&[], &[10]), i64s(&[], &[0])]);
}

/// One operation, run once, is one instruction for each result.
#[test]
fn results_of_one_operation() {
    let function = count();
    let names: Vec<&str> = function.body.iter().map(|i| i.op.name()).collect();
    assert_eq!(names, ["while", "while"]);
    assert!(function.body[0].is_same_compound(&function.body[1]));
    // What the loop takes from outside goes round with it.
    assert_eq!(function.body[0].operands.len(), 4);
}

#[test]
fn values_of_a_loop_that_trade_places() {
    let body = r#"
  %0:3 = "stablehlo.while"(%n, %x, %y) ({
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>, %b: tensor<2xf32>):
    %c = "stablehlo.compare"(%i, %zero) <{comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>, %b: tensor<2xf32>):
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
    %j = "stablehlo.subtract"(%i, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    "stablehlo.return"(%j, %b, %a) : (tensor<i64>, tensor<2xf32>, tensor<2xf32>) -> ()
  }) : (tensor<i64>, tensor<2xf32>, tensor<2xf32>) -> (tensor<i64>, tensor<2xf32>, tensor<2xf32>)
  "func.return"(%0#1, %0#2) : (tensor<2xf32>, tensor<2xf32>) -> ()"#;
    let arguments = "%n: tensor<i64>, %x: tensor<2xf32>, %y: tensor<2xf32>, %zero: tensor<i64>";
    let function = function(arguments, "tensor<2xf32>, tensor<2xf32>", body);
    let (x, y) = (real(&[1.0, 2.0]), real(&[3.0, 4.0]));
    let swapped = |n| {
        let arguments = [i64s(&[], &[n]), x.clone(), y.clone(), i64s(&[], &[0])];
        run(&function, &arguments).unwrap()
    };
    assert_eq!(swapped(3), [y.clone(), x.clone()]);
    assert_eq!(swapped(4), [x.clone(), y.clone()]);
}

/// x^(2^n) by squaring n times. Over the field the derivative is that of the
/// power, exactly: the number of turns is an integer and does not move.
#[test]
fn a_loop_over_dual_numbers_of_the_field() {
    let body = r#"
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
  %one = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
  %0:2 = "stablehlo.while"(%n, %x) ({
  ^bb0(%i: tensor<i64>, %a: tensor<f32>):
    %c = "stablehlo.compare"(%i, %zero) <{comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i64>, %a: tensor<f32>):
    %j = "stablehlo.subtract"(%i, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %b = "stablehlo.multiply"(%a, %a) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%j, %b) : (tensor<i64>, tensor<f32>) -> ()
  }) : (tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>)
  "func.return"(%0#1) : (tensor<f32>) -> ()"#;
    let function = function("%n: tensor<i64>, %x: tensor<f32>", "tensor<f32>", body);
    let x = Dual {
        value: Exact::new(Prime::new(3), 1.5),
        tangent: Exact::from_f64(1.0),
    };
    let n = Tensor::integers(TensorType::scalar(ElementType::I64), vec![4]).unwrap();
    let x = Tensor::numbers(TensorType::f32([]), vec![x]).unwrap();
    let results = run(&function, &[n, x]).unwrap();
    let y = results[0].as_numbers()[0];
    assert_eq!(y.value.element, Prime::new(43_046_721));
    // 16 * 3^15
    assert_eq!(y.tangent.element, Prime::new(229_582_512));
}

#[test]
fn a_loop_without_end_is_refused() {
    let body = r#"
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<0xi1>):
    %c = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<0xi1>):
    "stablehlo.return"(%a) : (tensor<0xi1>) -> ()
  }) : (tensor<0xi1>) -> tensor<0xi1>
  "func.return"(%0) : (tensor<0xi1>) -> ()"#;
    let function = function("%x: tensor<0xi1>", "tensor<0xi1>", body);
    let nothing = Tensor::integers(TensorType::new([0], ElementType::I1), vec![]).unwrap();
    let options = Options {
        turns: 1000,
        ..Options::default()
    };
    let refused = run_with::<f64>(&function, &[nothing], options, |_| {});
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.ends_with("`stablehlo.while`: does not end within 1000 turns"),
        "{refused}"
    );
}

#[test]
fn what_a_region_computes_is_within_the_limit() {
    let body = r#"
  %0 = "stablehlo.if"(%p) ({
    %a = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1048576x1048576xf32>
    %b = "stablehlo.slice"(%a) <{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 1, 1>, strides = array<i64: 1, 1>}> : (tensor<1048576x1048576xf32>) -> tensor<1x1xf32>
    %c = "stablehlo.reshape"(%b) : (tensor<1x1xf32>) -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }, {
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) : (tensor<i1>) -> tensor<f32>
  "func.return"(%0) : (tensor<f32>) -> ()"#;
    let function = function("%p: tensor<i1>, %x: tensor<f32>", "tensor<f32>", body);
    let x = Tensor::<f64>::from_f64(TensorType::f32([]), &[2.0]).unwrap();
    let run = |p| {
        let p = Tensor::integers(TensorType::scalar(ElementType::I1), vec![p]).unwrap();
        run(&function, &[p, x.clone()])
    };
    assert_eq!(run(0).unwrap(), std::slice::from_ref(&x));
    match run(1) {
        Err(Error::TooLarge { op, live, .. }) => {
            assert_eq!((op, live), ("broadcast_in_dim", 0));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn results_of_a_compound_operation_count() {
    let arguments = [1, 0, 1, 10].map(|v| i64s(&[], &[v]));
    // The two results, and the two values that go round.
    let limited = |bytes| run_observed(&count(), &arguments, Limits { bytes }, |_, _| {});
    assert!(limited(31).is_err());
    assert!(limited(80).is_ok());
}

#[test]
fn case_by_the_specification() {
    let body = r#"
  %0:2 = "stablehlo.case"(%i) ({
    "stablehlo.return"(%x, %x) : (tensor<2xi64>, tensor<2xi64>) -> ()
  }, {
    "stablehlo.return"(%y, %y) : (tensor<2xi64>, tensor<2xi64>) -> ()
  }) : (tensor<i32>) -> (tensor<2xi64>, tensor<2xi64>)
  "func.return"(%0#0, %0#1) : (tensor<2xi64>, tensor<2xi64>) -> ()"#;
    let arguments = "%i: tensor<i32>, %x: tensor<2xi64>, %y: tensor<2xi64>";
    let function = function(arguments, "tensor<2xi64>, tensor<2xi64>", body);
    let (x, y) = (i64s(&[2], &[0, 0]), i64s(&[2], &[1, 1]));
    for (index, expected) in [(-1, &y), (0, &x), (1, &y), (2, &y)] {
        let found = run(&function, &[i32(index), x.clone(), y.clone()]).unwrap();
        assert_eq!(found, [expected.clone(), expected.clone()], "{index}");
    }
}

#[test]
fn if_by_the_specification() {
    let body = r#"
  %ten = "stablehlo.constant"() <{value = dense<10> : tensor<i32>}> : () -> tensor<i32>
  %eleven = "stablehlo.constant"() <{value = dense<11> : tensor<i32>}> : () -> tensor<i32>
  %0 = "stablehlo.if"(%p) ({
    "stablehlo.return"(%ten) : (tensor<i32>) -> ()
  }, {
    "stablehlo.return"(%eleven) : (tensor<i32>) -> ()
  }) : (tensor<i1>) -> tensor<i32>
  "func.return"(%0) : (tensor<i32>) -> ()"#;
    let function = function("%p: tensor<i1>", "tensor<i32>", body);
    for (p, expected) in [(1, 10), (0, 11)] {
        let p = Tensor::integers(TensorType::scalar(ElementType::I1), vec![p]).unwrap();
        assert_eq!(run(&function, &[p]).unwrap(), [i32(expected)]);
    }
}

#[test]
fn sort_by_the_specification() {
    let body = r#"
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>, %c: tensor<i64>, %d: tensor<i64>):
    %p = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }) : (tensor<2x3xi64>, tensor<2x3xi64>) -> (tensor<2x3xi64>, tensor<2x3xi64>)
  "func.return"(%0#0, %0#1) : (tensor<2x3xi64>, tensor<2x3xi64>) -> ()"#;
    let arguments = "%x: tensor<2x3xi64>, %y: tensor<2x3xi64>";
    let function = function(arguments, "tensor<2x3xi64>, tensor<2x3xi64>", body);
    let x = i64s(&[2, 3], &[1, 2, 3, 3, 2, 1]);
    let y = i64s(&[2, 3], &[3, 2, 1, 1, 2, 3]);
    let sorted = run(&function, &[x, y]).unwrap();
    assert_eq!(sorted[0], i64s(&[2, 3], &[3, 2, 3, 1, 2, 1]));
    assert_eq!(sorted[1], i64s(&[2, 3], &[1, 2, 1, 3, 2, 3]));
}

/// Distances to a value from outside; -1 is the last dimension.
#[test]
fn sort_by_a_value_from_outside() {
    let body = r#"
  %0 = "stablehlo.sort"(%x) <{dimension = -1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.subtract"(%a, %center) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %d = "stablehlo.subtract"(%b, %center) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %e = "stablehlo.abs"(%c) : (tensor<f32>) -> tensor<f32>
    %g = "stablehlo.abs"(%d) : (tensor<f32>) -> tensor<f32>
    %p = "stablehlo.compare"(%e, %g) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }) : (tensor<5xf32>) -> tensor<5xf32>
  "func.return"(%0) : (tensor<5xf32>) -> ()"#;
    let function = function(
        "%x: tensor<5xf32>, %center: tensor<f32>",
        "tensor<5xf32>",
        body,
    );
    let center = Tensor::from_f64(TensorType::f32([]), &[2.0]).unwrap();
    let x = real(&[0.0, 5.0, 1.0, 4.0, 2.5]);
    let sorted = run(&function, &[x, center]).unwrap();
    // 0 and 4 are as far; 0 stood first.
    assert_eq!(sorted, [real(&[2.5, 1.0, 0.0, 4.0, 5.0])]);
}

/// `jnp.argmax` as JAX writes it: the largest value with the least index.
#[test]
fn reduce_of_two_tensors() {
    let body = r#"
  %i = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<2x4xi32>
  %low = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %0:2 = "stablehlo.reduce"(%x, %i, %low, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
    %p = "stablehlo.compare"(%a, %c) <{comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %q = "stablehlo.compare"(%a, %c) <{comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %r = "stablehlo.compare"(%b, %d) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %s = "stablehlo.and"(%q, %r) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %t = "stablehlo.or"(%p, %s) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %u = "stablehlo.select"(%p, %a, %c) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %v = "stablehlo.select"(%t, %b, %d) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%u, %v) : (tensor<f32>, tensor<i32>) -> ()
  }) : (tensor<2x4xf32>, tensor<2x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
  "func.return"(%0#0, %0#1) : (tensor<2xf32>, tensor<2xi32>) -> ()"#;
    let function = function("%x: tensor<2x4xf32>", "tensor<2xf32>, tensor<2xi32>", body);
    let values = [1.0, 7.0, 7.0, 0.0, -3.0, -4.0, -2.0, -2.0];
    let x = Tensor::from_f64(TensorType::f32([2, 4]), &values).unwrap();
    let found = run::<f64>(&function, &[x]).unwrap();
    assert_eq!(found[0], real(&[7.0, -2.0]));
    assert_eq!(found[1].as_integers(), [1, 2]);
}

#[test]
fn optimization_barrier_by_the_specification() {
    let body = r#"
  %0:2 = "stablehlo.optimization_barrier"(%x, %y) : (tensor<f32>, tensor<i64>) -> (tensor<f32>, tensor<i64>)
  "func.return"(%0#1, %0#0) : (tensor<i64>, tensor<f32>) -> ()"#;
    let function = function(
        "%x: tensor<f32>, %y: tensor<i64>",
        "tensor<i64>, tensor<f32>",
        body,
    );
    let x = Tensor::from_f64(TensorType::f32([]), &[0.5]).unwrap();
    let found = run(&function, &[x.clone(), i64s(&[], &[1])]).unwrap();
    assert_eq!(found, [i64s(&[], &[1]), x]);
}
