//! Regions and calls read from generic text, and what is refused.

use crate::stablehlo::mlir::{parse, print};
use crate::stablehlo::{Error, Module, Op};

/// A module of these functions.
fn module(functions: &str) -> String {
    format!("\"builtin.module\"() ({{\n{functions}\n}}) : () -> ()")
}

/// A function of a tensor<2xf32> called `%x` that returns one.
fn function(name: &str, attributes: &str, body: &str) -> String {
    format!(
        "\"func.func\"() <{{function_type = (tensor<2xf32>) -> tensor<2xf32>, \
         sym_name = \"{name}\"{attributes}}}> ({{\n^bb0(%x: tensor<2xf32>):\n{body}\n\
         \"func.return\"(%r) : (tensor<2xf32>) -> ()\n}}) : () -> ()"
    )
}

const PRIVATE: &str = ", sym_visibility = \"private\"";

/// `%result = callee(%operand)`
fn call(result: &str, callee: &str, operand: &str) -> String {
    format!(
        "%{result} = \"func.call\"(%{operand}) <{{callee = @{callee}}}> : (tensor<2xf32>) -> \
         tensor<2xf32>\n"
    )
}

fn negate(result: &str, operand: &str) -> String {
    format!("%{result} = \"stablehlo.negate\"(%{operand}) : (tensor<2xf32>) -> tensor<2xf32>\n")
}

fn names(module: &Module) -> Vec<&str> {
    module.functions.iter().map(|f| f.name.as_str()).collect()
}

fn ops(module: &Module, function: usize) -> Vec<&'static str> {
    let body = module.functions[function].body.iter();
    body.map(|i| i.op.name()).collect()
}

#[test]
fn calls_are_replaced_by_what_they_call() {
    let text = module(
        &[
            function(
                "main",
                "",
                &(call("a", "twice", "x") + &call("r", "twice", "a")),
            ),
            function(
                "twice",
                PRIVATE,
                &(call("b", "once", "x") + &call("r", "once", "b")),
            ),
            function("once", PRIVATE, &negate("r", "x")),
            function("unused", PRIVATE, &negate("r", "x")),
            function("shown", "", &call("r", "once", "x")),
        ]
        .join("\n"),
    );
    let module = parse(&text).unwrap();
    // Private functions live on in their callers, if there are any.
    assert_eq!(names(&module), ["main", "unused", "shown"]);
    assert_eq!(ops(&module, 0), ["negate"; 4]);
    assert_eq!(ops(&module, 2), ["negate"]);
    let body = &module.functions[0].body;
    assert_eq!(body[3].operands, [body[2].result]);
}

#[test]
fn a_function_that_returns_its_argument_is_called() {
    let identity = module(
        &[
            function("main", "", &(call("a", "same", "x") + &negate("r", "a"))),
            function("same", PRIVATE, "").replace("%r", "%x"),
        ]
        .join("\n"),
    );
    let module = parse(&identity).unwrap();
    let f = &module.functions[0];
    assert_eq!(f.body[0].operands, [f.arguments[0].value]);
}

/// A composite operation computes what its decomposition does.
#[test]
fn composites_are_replaced_by_their_decomposition() {
    let composite = "%r = \"stablehlo.composite\"(%x) <{decomposition = @inside, name = \"my.op\"}> : \
         (tensor<2xf32>) -> tensor<2xf32>\n";
    let text = module(
        &[
            function("main", "", composite),
            function("inside", PRIVATE, &negate("r", "x")),
        ]
        .join("\n"),
    );
    let module = parse(&text).unwrap();
    assert_eq!(names(&module), ["main"]);
    assert_eq!(ops(&module, 0), ["negate"]);
}

fn message(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn recursion_is_refused_by_name() {
    let text = module(
        &[
            function("main", "", &call("r", "even", "x")),
            function("even", PRIVATE, &call("r", "odd", "x")),
            function("odd", PRIVATE, &call("r", "even", "x")),
        ]
        .join("\n"),
    );
    let message = message(&text);
    assert!(
        message.ends_with("`@even` calls itself: @main -> @even -> @odd -> @even"),
        "{message}"
    );
    assert!(message.starts_with("-:"), "{message}");
}

/// Each of twenty-one functions calls the next one twice.
#[test]
fn calls_that_double_are_refused() {
    let mut functions = vec![function("f21", PRIVATE, &negate("r", "x"))];
    for i in 0..21 {
        let next = format!("f{}", i + 1);
        let body = call("a", &next, "x") + &call("r", &next, "a");
        let private = if i == 0 { "" } else { PRIVATE };
        functions.push(function(&format!("f{i}"), private, &body));
    }
    let message = message(&module(&functions.join("\n")));
    assert!(message.starts_with("-:"), "{message}");
    assert!(
        message.ends_with("calls make more than 1048576 instructions"),
        "{message}"
    );
}

/// A chain of 300 functions.
#[test]
fn calls_that_lie_deep_are_refused() {
    let mut functions = vec![function("f300", PRIVATE, &negate("r", "x"))];
    for i in 0..300 {
        let private = if i == 0 { "" } else { PRIVATE };
        let body = call("r", &format!("f{}", i + 1), "x");
        functions.push(function(&format!("f{i}"), private, &body));
    }
    let message = message(&module(&functions.join("\n")));
    assert!(message.ends_with("calls lie deeper than 256"), "{message}");
}

#[test]
fn a_call_of_nothing_is_refused() {
    let message = message(&module(&function("main", "", &call("r", "missing", "x"))));
    assert!(message.contains("missing"), "{message}");
}

/// `%r = if %p { body } else { %x }`
fn branch(body: &str) -> String {
    let body = format!(
        "%zero = \"stablehlo.constant\"() <{{value = dense<true> : tensor<i1>}}> : () -> tensor<i1>\n\
         %r = \"stablehlo.if\"(%zero) ({{\n{body}\n\"stablehlo.return\"(%y) : (tensor<2xf32>) -> \
         ()\n}}, {{\n\"stablehlo.return\"(%x) : (tensor<2xf32>) -> ()\n}}) : (tensor<i1>) -> \
         tensor<2xf32>"
    );
    module(&function("main", "", &body))
}

#[test]
fn what_a_region_uses_is_an_operand() {
    let module = parse(&branch(&negate("y", "x"))).unwrap();
    let f = &module.functions[0];
    let instruction = &f.body[1];
    assert_eq!(
        instruction.operands,
        [f.body[0].result, f.arguments[0].value]
    );
    let Op::Compound { op, .. } = &instruction.op else {
        panic!("{instruction:?}");
    };
    let [on_true, on_false] = op.regions()[..] else {
        panic!("{op:?}");
    };
    assert_eq!(on_true.arguments.len(), 1);
    assert_eq!(on_true.body.len(), 1);
    assert_eq!(on_false.outputs[0].value, on_false.arguments[0].value);
    // And is used from around again where it is printed.
    let printed = print(&module).unwrap();
    assert_eq!(parse(&printed).unwrap(), module);
}

#[test]
fn an_unknown_operation_in_a_region_is_named_with_its_place() {
    let text = branch("%y = \"stablehlo.cholesky\"(%x) : (tensor<2xf32>) -> tensor<2xf32>");
    match parse(&text) {
        Err(Error::UnknownOp { op, location }) => {
            assert_eq!(op, "stablehlo.cholesky");
            assert_eq!(location.to_string(), "-:6:6");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_dynamic_shape_in_a_region_is_refused_with_its_place() {
    let cast = "%z = \"stablehlo.slice\"(%x) : (tensor<2xf32>) -> tensor<?xf32>";
    let message = message(&branch(&(cast.to_owned() + &negate("y", "x"))));
    assert!(
        message.starts_with("-:6:6: dynamic shape in `tensor<?xf32>`"),
        "{message}"
    );
}

#[test]
fn a_region_of_another_type_is_refused() {
    let text = branch(&negate("y", "x"));
    let wrong = text.replace("\"stablehlo.if\"(%zero)", "\"stablehlo.case\"(%zero)");
    let message = message(&wrong);
    assert!(
        message.ends_with("`stablehlo.case`: (I1) the index is tensor<i1>, not tensor<i32>"),
        "{message}"
    );
    let three = "}, {\n\"stablehlo.return\"(%x) : (tensor<2xf32>) -> ()\n}, {\n";
    let message = self::message(&text.replace("}, {\n", three));
    assert!(
        message.ends_with("`stablehlo.if`: has 3 regions"),
        "{message}"
    );
}

#[test]
fn regions_nested_without_end_are_refused() {
    let mut body = negate("y", "x");
    for _ in 0..70 {
        body = format!(
            "%y = \"stablehlo.if\"(%zero) ({{\n{body}\n\"stablehlo.return\"(%y) : (tensor<2xf32>) \
             -> ()\n}}, {{\n\"stablehlo.return\"(%x) : (tensor<2xf32>) -> ()\n}}) : (tensor<i1>) \
             -> tensor<2xf32>"
        );
    }
    let message = message(&branch(&body));
    assert!(message.ends_with("regions lie deeper than 64"), "{message}");
}

#[test]
fn a_comparison_type_that_does_not_fit_is_refused() {
    let compare = |compare_type: &str| {
        let body = format!(
            "%c = \"stablehlo.compare\"(%x, %x) <{{compare_type = #stablehlo<comparison_type \
             {compare_type}>, comparison_direction = #stablehlo<comparison_direction LT>}}> : \
             (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>\n"
        );
        module(&function("main", "", &(body + &negate("r", "x"))))
    };
    for (compare_type, total) in [("FLOAT", false), ("TOTALORDER", true), ("NOTYPE", false)] {
        let module = parse(&compare(compare_type)).unwrap();
        let op = &module.functions[0].body[0].op;
        assert_eq!(matches!(op, Op::CompareTotal(_)), total, "{compare_type}");
    }
    let message = message(&compare("SIGNED"));
    assert!(message.ends_with("(C3) compare_type SIGNED does not fit the operands, FLOAT does"));
}

#[test]
fn a_scatter_by_an_unknown_update_is_refused() {
    let body = "%i = \"stablehlo.constant\"() <{value = dense<0> : tensor<1xi32>}> : () -> \
         tensor<1xi32>\n%r = \"stablehlo.scatter\"(%x, %i, %x) <{scatter_dimension_numbers = \
         #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({\n\
         ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n%c = \"stablehlo.subtract\"(%a, %b) : \
         (tensor<f32>, tensor<f32>) -> tensor<f32>\n\"stablehlo.return\"(%c) : (tensor<f32>) -> \
         ()\n}) : (tensor<2xf32>, tensor<1xi32>, tensor<2xf32>) -> tensor<2xf32>";
    let text = module(&function("main", "", body));
    let refused = message(&text);
    assert!(
        refused.ends_with("only updates that replace, or by add, and, maximum, minimum, multiply, or, are known here, not by `subtract`"),
        "{refused}"
    );
    // Without entries that are zero, as the dialect prints it.
    assert!(parse(&text.replace("stablehlo.subtract", "stablehlo.add")).is_ok());
    let unknown = text.replace("update_window_dims", "updates");
    assert!(message(&unknown.replace("subtract", "add")).contains("unknown entry `updates`"));
}
