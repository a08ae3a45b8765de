//! Modules that cannot be certified: one error that names what is wrong.

use cnnc::certify::Subject;
use cnnc::stablehlo::{Module, mlir};

use crate::examples;

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
fn unknown_operations_and_dynamic_shapes_have_a_line() {
    let text = mlir::print(&linear()).unwrap();
    let unknown = text.replace("stablehlo.exponential", "stablehlo.cholesky");
    let message = mlir::parse(&unknown).unwrap_err().to_string();
    assert!(
        message.ends_with("unknown operation `stablehlo.cholesky`"),
        "{message}"
    );
    let dynamic = "\"builtin.module\"() ({\n\"func.func\"() <{function_type = (tensor<?xf32>) -> \
                   tensor<?xf32>, sym_name = \"f\"}> ({\n^bb0(%0: tensor<?xf32>):\n  %1 = \
                   \"stablehlo.negate\"(%0) : (tensor<?xf32>) -> tensor<?xf32>\n  \
                   \"func.return\"(%1) : (tensor<?xf32>) -> ()\n}) : () -> ()\n}) : () -> ()\n";
    let message = mlir::parse(dynamic).unwrap_err().to_string();
    assert!(
        message.contains("dynamic shape in `tensor<?xf32>`"),
        "{message}"
    );
}
