//! Whether two functions compute the same: on random arguments, exactly, over
//! the prime field.

use crate::reference::{Data, Exact, Prime, Tensor, run};
use crate::stablehlo::{Function, TensorType};

/// How the real values are drawn that decide comparisons. The field elements
/// beside them are random and independent of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Draw {
    /// No two elements of one tensor are equal, and none is 0.
    Distinct,
    /// Integers from -2 to 2: zeros and ties abound.
    Ties,
}

/// SplitMix64, the same in every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// A number in 0..count.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    /// Real values that are exact in f64 and stay so in sums and products of
    /// a few thousand.
    fn shadows(&mut self, count: usize, draw: Draw) -> Vec<f64> {
        match draw {
            Draw::Ties => (0..count).map(|_| self.below(5) as f64 - 2.0).collect(),
            Draw::Distinct => {
                let middle = count as f64 / 2.0;
                let mut values: Vec<f64> = (0..count)
                    .map(|i| (i as f64 - middle + 0.25) / 4.0)
                    .collect();
                for i in (1..count).rev() {
                    let other = self.below(i + 1);
                    values.swap(i, other);
                }
                values
            }
        }
    }

    fn tensor(&mut self, ty: &TensorType, draw: Draw) -> Tensor<Exact> {
        let count = usize::try_from(ty.elements()).expect("a small tensor");
        let tensor = if ty.element.is_float() {
            let shadows = self.shadows(count, draw);
            let values = shadows
                .into_iter()
                .map(|s| Exact::new(Prime::new(self.bits()), s));
            Tensor::numbers(ty.clone(), values.collect())
        } else {
            let values = (0..count).map(|_| self.below(4) as i64);
            Tensor::integers(ty.clone(), values.collect())
        };
        tensor.expect("as many elements as the type has")
    }
}

/// Asserts that two functions of the same arguments have the same results.
pub(crate) fn assert_same_value(before: &Function, after: &Function, draw: Draw) {
    assert_same_value_of(before, after, draw, |_, tensor| tensor.clone());
}

/// Asserts that two functions have the same results where each value at the
/// border of the second is stored otherwise: `store` says how, from its name.
pub(crate) fn assert_same_value_of(
    before: &Function,
    after: &Function,
    draw: Draw,
    store: impl Fn(&str, &Tensor<Exact>) -> Tensor<Exact>,
) {
    let difference = difference(before, after, draw, store);
    assert_eq!(difference, None, "{draw:?}");
}

/// The first result that differs, with both values.
fn difference(
    before: &Function,
    after: &Function,
    draw: Draw,
    store: impl Fn(&str, &Tensor<Exact>) -> Tensor<Exact>,
) -> Option<String> {
    let mut random = Random(before.body.len() as u64);
    for _ in 0..2 {
        let arguments: Vec<Tensor<Exact>> = before
            .arguments
            .iter()
            .map(|a| random.tensor(before.ty(a.value), draw))
            .collect();
        let named = before.arguments.iter().zip(&arguments);
        let stored: Vec<Tensor<Exact>> = named
            .map(|(a, tensor)| store(a.name.as_deref().unwrap_or_default(), tensor))
            .collect();
        let expected = run(before, &arguments).expect("a function that runs");
        let found = run(after, &stored).expect("a function that runs");
        assert_eq!(expected.len(), found.len(), "number of results");
        for (index, (expected, found)) in expected.iter().zip(&found).enumerate() {
            let name = before.outputs[index].name.as_deref().unwrap_or_default();
            let expected = store(name, expected);
            if expected.ty() != found.ty() || elements(&expected) != elements(found) {
                return Some(format!(
                    "result {index} {name}: {expected:?} became {found:?}"
                ));
            }
        }
    }
    None
}

/// The field elements, or the integers.
fn elements(tensor: &Tensor<Exact>) -> Vec<i64> {
    match tensor.data() {
        Data::Numbers(values) => values
            .iter()
            .map(|v| v.element.representative() as i64)
            .collect(),
        Data::Integers(values) => values.clone(),
    }
}

#[test]
fn a_wrong_formula_is_caught() {
    use crate::stablehlo::{BinaryOp, Op};
    let ty = TensorType::f32([3]);
    let build = |op| super::function([ty.clone(), ty.clone()], |b, x| b.push(Op::Binary(op), &x));
    let (sum, product) = (build(BinaryOp::Add), build(BinaryOp::Multiply));
    let own = |_: &str, tensor: &Tensor<Exact>| tensor.clone();
    assert_eq!(difference(&sum, &sum, Draw::Distinct, own), None);
    assert!(difference(&sum, &product, Draw::Distinct, own).is_some());
}
