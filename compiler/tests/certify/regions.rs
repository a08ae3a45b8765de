//! Certificates of modules whose functions work in regions.

use cnnc::certify::{Options, Verdict, certify};
use cnnc::stablehlo::{
    Builder, Compound, ElementType, Function, Module, Op, Region, TensorType, UnaryOp,
};

use crate::examples;
use crate::subjects::{random, subject};

/// The function with all that it does in the branch that is taken, and a
/// turn of a loop around what it returns; every result times `factor`.
fn within(function: &Function, factor: f64) -> Function {
    let mut region = function.clone();
    region.name = "region".to_owned();
    region.arguments.iter_mut().for_each(|a| a.name = None);
    region.outputs.iter_mut().for_each(|o| o.name = None);
    let mut b = Builder::named(function.name.clone());
    let arguments: Vec<_> = function
        .arguments
        .iter()
        .map(|a| {
            let ty = function.ty(a.value).clone();
            b.function.argument(a.name.as_deref(), ty)
        })
        .collect();
    let takes = |b: &mut Builder, f: &Function| -> Vec<_> {
        let values = f.arguments.iter().map(|a| f.ty(a.value).clone());
        values.map(|ty| b.function.argument(None, ty)).collect()
    };
    let mut zeros = Builder::named("zeros");
    takes(&mut zeros, function);
    let mut scaled = Builder::named("scaled");
    for output in &function.outputs {
        let ty = function.ty(output.value).clone();
        let zero = zeros.splat(0.0, ty.clone()).unwrap();
        zeros.function.output(None, zero);
        scaled.function.argument(None, ty);
    }
    let turn = TensorType::scalar(ElementType::I1);
    let again = scaled.function.argument(None, turn.clone());
    let mut condition = scaled.function.clone();
    condition.output(None, again);
    let results: Vec<_> = scaled.function.arguments.iter().map(|a| a.value).collect();
    for value in results {
        let next = if value == again {
            scaled.push(Op::Unary(UnaryOp::Not), &[value]).unwrap()
        } else if scaled.ty(value).element.is_float() {
            let factor = scaled.splat_like(factor, value).unwrap();
            scaled.multiply(value, factor).unwrap()
        } else {
            value
        };
        scaled.function.output(None, next);
    }
    let choice = Compound::If {
        on_true: Region::new(region),
        on_false: Region::new(zeros.function),
    };
    let repeat = Compound::While {
        condition: Region::new(condition),
        body: Region::new(scaled.function),
    };
    let sure = b.splat(1.0, turn).unwrap();
    let operands = [&[sure], &arguments[..]].concat();
    let mut results = b.compound(&choice, &operands).unwrap();
    results.push(sure);
    let results = b.compound(&repeat, &results).unwrap();
    for (output, value) in function.outputs.iter().zip(results) {
        b.function.output(output.name.as_deref(), value);
    }
    b.function.attributes = function.attributes.clone();
    b.function
}

/// The linear net with the functions that are certified in regions, and the
/// results of `@gradients` times a factor.
fn linear(factor: f64) -> Module {
    let mut module = examples::example("linear").portable(2, &[]).unwrap();
    for function in module.functions.iter_mut().filter(|f| f.name != "init") {
        let factor = if function.name == "gradients" {
            factor
        } else {
            1.0
        };
        *function = within(function, factor);
    }
    module
}

#[test]
fn functions_in_regions_are_certified() {
    let subject = subject(&linear(1.0));
    let certificate = certify(&subject, &random(&subject, 3), &Options::default()).unwrap();
    for gradient in &certificate.gradients {
        assert_eq!(gradient.verdict, Verdict::Exact, "{}", gradient.parameter);
    }
    assert!(certificate.holds(), "{certificate}");
    // How large a loop makes its formulas is not bounded.
    assert_eq!(certificate.confidence.probability, 1.0);
}

#[test]
fn a_wrong_gradient_in_a_region_is_found() {
    let subject = subject(&linear(1.0 + f64::from(f32::EPSILON)));
    let certificate = certify(&subject, &random(&subject, 3), &Options::default()).unwrap();
    assert!(!certificate.holds());
    for gradient in &certificate.gradients {
        assert!(!gradient.verdict.holds(), "{}", gradient.parameter);
    }
}
