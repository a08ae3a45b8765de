//! Where functions with jumps and bounds have a derivative, and what is not
//! looked into.

use cnnc::certify::audit::{Options, audit};
use cnnc::certify::degree::of_derivatives;
use cnnc::certify::execute::run_integers;
use cnnc::reference::Tensor;
use cnnc::stablehlo::{
    Builder, Compound, Direction, ElementType, Function, Location, Op, Region, Result, TensorType,
    UnaryOp, Value,
};

fn function(build: impl FnOnce(&mut Builder, Value) -> Result<Value>) -> Function {
    let mut b = Builder::named("f");
    let x = b.function.argument(Some("x"), TensorType::f32([4]));
    b.location = Location::new("f.mlir", 3, 5);
    let y = build(&mut b, x).unwrap();
    b.function.output(None, y);
    b.function
}

/// At 0, 0.25, 2 and -1.5, which move: apart and on the kink.
fn found(build: impl FnOnce(&mut Builder, Value) -> Result<Value>) -> [u64; 2] {
    let x = Tensor::from_f64(TensorType::f32([4]), &[0.0, 0.25, 2.0, -1.5]).unwrap();
    let audit = audit(&function(build), &[x], &Options::new(1)).unwrap();
    let [site] = &audit.sites[..] else {
        panic!("{audit}");
    };
    let total = site.total();
    assert_eq!(total.decisions(), total.apart + total.tied);
    [total.apart, total.tied]
}

#[test]
fn jumps_and_bounds_are_kinks() {
    let unary = |op| found(|b, x| b.push(Op::Unary(op), &[x]));
    assert_eq!(unary(UnaryOp::Abs), [3, 1]);
    assert_eq!(unary(UnaryOp::Sign), [3, 1]);
    // At whole numbers, and halfway between them.
    assert_eq!(unary(UnaryOp::Floor), [2, 2]);
    assert_eq!(unary(UnaryOp::Ceil), [2, 2]);
    assert_eq!(unary(UnaryOp::RoundNearestEven), [3, 1]);
    assert_eq!(unary(UnaryOp::RoundNearestAfz), [3, 1]);
    let clamped = found(|b, x| {
        let (low, high) = (b.scalar_like(0.0, x)?, b.scalar_like(2.0, x)?);
        b.clamp(low, x, high)
    });
    assert_eq!(clamped, [2, 2]);
}

/// Doubles the argument while its sum is less than 100.
fn doubled() -> Function {
    let region = |build: &dyn Fn(&mut Builder, Value) -> Result<Value>| {
        let mut b = Builder::named("region");
        let x = b.function.argument(None, TensorType::f32([4]));
        let y = build(&mut b, x).unwrap();
        b.function.output(None, y);
        Region::new(b.function)
    };
    let repeat = Compound::While {
        condition: region(&|b, x| {
            let sum = b.sum(x, &[0])?;
            let most = b.splat_like(100.0, sum)?;
            b.compare(Direction::Lt, sum, most)
        }),
        body: region(&|b, x| b.add(x, x)),
    };
    function(|b, x| Ok(b.compound(&repeat, &[x])?[0]))
}

#[test]
fn what_regions_decide_and_add_is_not_watched() {
    let x = Tensor::from_f64(TensorType::f32([4]), &[1.0, 2.0, 3.0, 4.0]).unwrap();
    let refused = audit(&doubled(), std::slice::from_ref(&x), &Options::new(1));
    assert_eq!(
        refused.unwrap_err().to_string(),
        "f.mlir:3:5: `stablehlo.while`: has regions, whose decisions are not audited"
    );
    let refused = run_integers(&doubled(), &[x]).unwrap_err().to_string();
    assert!(
        refused.ends_with("`stablehlo.while`: has regions, whose sums are not watched"),
        "{refused}"
    );
}

/// x^3 has degree 3 and a derivative of as much, along a random direction; the
/// product of 4 elements degree 4; that of a loop is not known.
#[test]
fn degrees_of_powers_products_and_loops() {
    let degree = |f: &Function| of_derivatives([f], 1).degree;
    let linear = function(|b, x| b.add(x, x));
    let least = degree(&linear);
    let cube = function(|b, x| {
        let three = b.scalar_like(3.0, x)?;
        let three = b.broadcast(three, &[], &[4])?;
        b.power(x, three)
    });
    assert_eq!(degree(&cube), least + 2.0);
    let product = function(|b, x| b.reduce(cnnc::stablehlo::Reducer::Multiply, x, &[0]));
    assert_eq!(degree(&product), least + 3.0);
    let root = function(|b, x| {
        let half = b.splat_like(0.5, x)?;
        b.power(x, half)
    });
    // A logarithm and an exponential for each element.
    assert_eq!(of_derivatives([&root], 1).stand_ins, 8.0);
    assert_eq!(of_derivatives([&doubled()], 1).once, 1.0);
    // Of branches the larger one counts.
    let branch = |f: &Function| Region::new(f.clone());
    let choice = Compound::If {
        on_true: branch(&linear),
        on_false: branch(&cube),
    };
    let chosen = function(|b, x| {
        let sure = b.splat(1.0, TensorType::scalar(ElementType::I1))?;
        Ok(b.compound(&choice, &[sure, x])?[0])
    });
    assert_eq!(degree(&chosen), degree(&cube));
}
