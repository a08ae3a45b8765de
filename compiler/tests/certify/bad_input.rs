//! Modules that cannot be certified: one error that names what is wrong.

use cnnc::autodiff;
use cnnc::certify::point::{Draw, draw};
use cnnc::certify::{Options, Random, Subject, certify};
use cnnc::stablehlo::{Builder, Location, Module, TensorType, mlir};

use crate::examples;
use crate::subjects::{of_loss, random};

fn linear() -> Module {
    examples::example("linear").portable(2, &[]).unwrap()
}

fn error(module: Module) -> String {
    Subject::new(module).unwrap_err().to_string()
}

#[test]
fn a_module_that_is_not_ours() {
    let mut module = linear();
    module.attributes.clear();
    assert_eq!(
        error(module),
        "not a module of cnnc: its `cnnc.manifest` has no version"
    );
}

#[test]
fn missing_functions_are_named() {
    for missing in ["loss", "gradients"] {
        let mut module = linear();
        module.functions.retain(|f| f.name != missing);
        let message = error(module);
        assert!(
            message.starts_with(&format!(
                "the module has no function `@{missing}`; it has @init"
            )),
            "{message}"
        );
    }
}

#[test]
fn gradients_of_something_else() {
    let mut module = linear();
    let gradients = module
        .functions
        .iter_mut()
        .find(|f| f.name == "gradients")
        .unwrap();
    gradients.outputs.pop();
    assert_eq!(
        error(module),
        "`@gradients`: returns [\"loss\", \"dense1.weight.gradient\"] instead of [\"loss\", \
         \"dense1.weight.gradient\", \"dense1.bias.gradient\"]"
    );
    let mut module = linear();
    let gradients = module
        .functions
        .iter_mut()
        .find(|f| f.name == "gradients")
        .unwrap();
    gradients.arguments[0].name = Some("dense7.weight".to_owned());
    assert_eq!(
        error(module),
        "`@gradients`: does not take what `@loss` takes"
    );
}

#[test]
fn unknown_operations_are_named() {
    let text = mlir::print(&linear()).unwrap();
    let unknown = text.replace("stablehlo.exponential", "stablehlo.cholesky");
    let message = mlir::parse(&unknown).unwrap_err().to_string();
    assert!(
        message.ends_with("unknown operation `stablehlo.cholesky`"),
        "{message}"
    );
}

#[test]
fn dynamic_shapes_have_a_line() {
    let dynamic = "\"builtin.module\"() ({\n\"func.func\"() <{function_type = (tensor<?xf32>) -> \
                   tensor<?xf32>, sym_name = \"f\"}> ({\n^bb0(%0: tensor<?xf32>):\n  %1 = \
                   \"stablehlo.negate\"(%0) : (tensor<?xf32>) -> tensor<?xf32>\n  \
                   \"func.return\"(%1) : (tensor<?xf32>) -> ()\n}) : () -> ()\n}) : () -> ()\n";
    assert_eq!(
        mlir::parse(dynamic).unwrap_err().to_string(),
        "-:2:1: dynamic shape in `tensor<?xf32>`; tensors of static shape are known here"
    );
}

/// The sum of the elements of x, spread over a shape, and its gradient.
fn spread(x: &[i64], shape: &[i64]) -> Subject {
    let mut b = Builder::named("loss");
    let x = b.function.argument(Some("x"), TensorType::f32(x));
    b.location = Location::new("big.net", 3, 5);
    let dims: Vec<usize> = (0..b.shape(x).len()).collect();
    let wide = b.broadcast(x, &dims, shape).unwrap();
    let all: Vec<usize> = (0..shape.len()).collect();
    let sum = b.sum(wide, &all).unwrap();
    b.function.output(Some("loss"), sum);
    let gradients = autodiff::gradients(&b.function, &[0], "gradients").unwrap();
    of_loss(b.function, gradients)
}

/// 2^40 numbers would be 88 TiB of them with what goes with each.
#[test]
fn arguments_too_large_for_memory() {
    let subject = spread(&[1 << 20, 1 << 20], &[1 << 20, 1 << 20]);
    let drawn = draw(&subject, &["loss"], Draw::Real, &mut Random::new(0));
    assert_eq!(
        drawn.unwrap_err().to_string(),
        "`@loss` takes `x`, tensor<1048576x1048576xf32>: with it the arguments need \
         96757023244288 bytes in a certificate; the limit is 8589934592"
    );
}

/// The arguments fit, a value does not: the operation is named, with its line.
#[test]
fn values_too_large_for_memory() {
    let subject = spread(&[1 << 10], &[1 << 10, 1 << 40]);
    let values = random(&subject, 0);
    let error = certify(&subject, &values, &Options::default()).unwrap_err();
    let error = error.to_string();
    assert!(
        error.starts_with(
            "big.net:3:5: `stablehlo.broadcast_in_dim`: tensor<1024x1099511627776xf32> needs "
        ),
        "{error}"
    );
    assert!(error.ends_with("; the limit is 8589934592"), "{error}");
}

/// Neither has a size whose product overflows.
#[test]
fn sizes_beyond_every_integer() {
    let subject = spread(&[1 << 10], &[1 << 10, i64::MAX / 2]);
    let values = random(&subject, 0);
    let error = certify(&subject, &values, &Options::default()).unwrap_err();
    assert!(error.to_string().starts_with("big.net:3:5: "), "{error}");
}
