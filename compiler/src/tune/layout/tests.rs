//! Layouts against stores made by hand, element by element.

mod functions;
mod random;
mod reshapes;

use std::collections::HashMap;

use super::{Inner, Layout, Owners, ParameterLayouts, run};
use crate::reference::{Exact, Tensor};
use crate::simplify::tests::{Draw, assert_same_value_of};
use crate::stablehlo::{Function, Module, TensorType};

/// For each element as stored, its place in the canonical tensor.
fn places(shape: &[i64], layout: &Layout) -> Vec<usize> {
    let elements: i64 = shape.iter().product();
    let mut places = vec![usize::MAX; elements as usize];
    for place in 0..elements {
        let index = digits(place, shape);
        let stored = index
            .iter()
            .zip(&layout.inner)
            .zip(shape)
            .map(|((&i, inner), &size)| match inner {
                Inner::Plain => (i, size),
                Inner::Permuted {
                    factors,
                    permutation,
                } => {
                    let parts = digits(i, factors);
                    let moved: Vec<i64> = permutation.iter().map(|&p| parts[p]).collect();
                    let sizes: Vec<i64> = permutation.iter().map(|&p| factors[p]).collect();
                    (number(&moved, &sizes), size)
                }
            });
        let stored: Vec<(i64, i64)> = stored.collect();
        let (index, sizes): (Vec<i64>, Vec<i64>) = layout.order.iter().map(|&d| stored[d]).unzip();
        places[number(&index, &sizes) as usize] = place as usize;
    }
    places
}

/// A row-major number taken apart.
fn digits(mut number: i64, sizes: &[i64]) -> Vec<i64> {
    let mut digits = vec![0; sizes.len()];
    for (digit, &size) in digits.iter_mut().zip(sizes).rev() {
        *digit = number % size;
        number /= size;
    }
    digits
}

/// The row-major number of an index.
fn number(index: &[i64], sizes: &[i64]) -> i64 {
    index
        .iter()
        .zip(sizes)
        .fold(0, |number, (&i, &size)| number * size + i)
}

/// The tensor as `layout` stores it.
pub(in crate::tune) fn stored(layout: &Layout, tensor: &Tensor<Exact>) -> Tensor<Exact> {
    let shape = &tensor.ty().shape;
    let values = tensor.as_numbers();
    let moved = places(shape, layout).into_iter().map(|place| values[place]);
    let sizes: Vec<i64> = layout.order.iter().map(|&d| shape[d]).collect();
    Tensor::numbers(TensorType::f32(sizes), moved.collect()).expect("as many elements")
}

/// What the pass makes of a function in which the arguments called w... are
/// parameters, and how it stores them; asserts that it computes the same.
fn laid_out(function: &Function) -> (Function, ParameterLayouts) {
    let names = function.arguments.iter().filter_map(|a| a.name.clone());
    let owners: Owners = names.filter(|name| name.starts_with('w')).collect();
    let module = Module {
        functions: vec![function.clone()],
        ..Module::default()
    };
    let (module, layouts) = run(&module, &owners).expect("no failure");
    let after = &module.functions[0];
    assert_stored(function, after, &layouts, Draw::Distinct);
    assert_stored(function, after, &layouts, Draw::Ties);
    (after.clone(), layouts)
}

/// Asserts that `after` computes what `before` does, with parameters and their
/// gradients stored as `layouts` says.
pub(in crate::tune) fn assert_stored(
    before: &Function,
    after: &Function,
    layouts: &HashMap<String, Layout>,
    draw: Draw,
) {
    assert_same_value_of(before, after, draw, |name, tensor| {
        let parameter = name.strip_suffix(".gradient").unwrap_or(name);
        match layouts.get(parameter) {
            Some(layout) => stored(layout, tensor),
            None => tensor.clone(),
        }
    });
}
