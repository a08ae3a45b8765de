//! The forms that IREE must not see are rewritten in regions, too.

use super::{Target, ty};
use crate::simplify::tests::{Draw, assert_same_value, function};
use crate::stablehlo::{
    Compound, Direction, ElementType, Function, Module, Region, TensorType, Window,
};
use crate::tune::tune;

/// Names of all operations, those in regions included.
fn all_names(function: &Function) -> Vec<&'static str> {
    let mut names = Vec::new();
    for instruction in &function.body {
        names.push(instruction.op.name());
        if let Some(op) = instruction.op.compound() {
            for region in op.regions() {
                names.extend(all_names(region));
            }
        }
    }
    names
}

#[test]
fn max_pool_gradients_in_branches_are_rewritten() {
    let (image, cotangent) = (ty(&[1, 2, 6, 6]), ty(&[1, 2, 3, 3]));
    let branch = |stride: i64| {
        let takes = [image.clone(), cotangent.clone()];
        Region::new(function(takes, |b, [x, dy]| {
            let window = Window {
                size: vec![1, 1, 2, 2],
                strides: vec![1, 1, 2, 2],
                ..Window::unit(4)
            };
            let dx = b.select_and_scatter(x, dy, window)?;
            let factor = b.splat_like(stride as f64, dx)?;
            b.multiply(dx, factor)
        }))
    };
    let op = Compound::If {
        on_true: branch(1),
        on_false: branch(3),
    };
    let scalar = TensorType::scalar(ElementType::F32);
    let f = function(
        [scalar, image.clone(), cotangent.clone()],
        |b, [p, x, dy]| {
            let zero = b.scalar_like(0.0, p)?;
            let predicate = b.compare(Direction::Ge, p, zero)?;
            Ok(b.compound(&op, &[predicate, x, dy])?[0])
        },
    );
    assert!(all_names(&f).contains(&"select_and_scatter"));
    let module = Module {
        functions: vec![f.clone()],
        ..Module::default()
    };
    let tuned = tune(&module, Target::Cpu).expect("no failure");
    let after = &tuned.functions[0];
    assert!(!all_names(after).contains(&"select_and_scatter"));
    assert_same_value(&f, after, Draw::Distinct);
    assert_same_value(&f, after, Draw::Ties);
}
