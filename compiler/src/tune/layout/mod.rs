//! Layout assignment: convolutions in NHWC x HWIO, everything between them
//! without transposes, parameters stored as their users want them.
//!
//! IREE's convolutions are some sixty times faster channels-last than
//! channels-first. The pass gives every value of the module a storage
//! [`Layout`], spreads the wishes of the convolutions over the operations that
//! do not care (`assign`), and rewrites each function on stored values
//! (`apply`), with a transpose only where two wishes meet. The border stays:
//! data arguments and results other than parameters and their gradients keep
//! the canonical layout. Parameters are stored as the first function wants
//! them, and the manifest records how.
//!
//! Before:
//! ```mlir
//! %1 = stablehlo.convolution(%x, %w) [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]
//! %2 = stablehlo.reshape %1 : tensor<8x32x4x4xf32> -> tensor<8x512xf32>
//! %3 = stablehlo.dot_general %2, %w1, contracting_dims = [1] x [0]
//! ```
//! After, with `%w` stored HWIO and the rows of `%w1` stored in H, W, C order:
//! ```mlir
//! %1 = stablehlo.convolution(%x, %w) [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
//! %2 = stablehlo.reshape %1 : tensor<8x4x4x32xf32> -> tensor<8x512xf32>
//! %3 = stablehlo.dot_general %2, %w1, contracting_dims = [1] x [0]
//! ```

mod apply;
mod assign;
mod convolution;
mod dot;
mod owners;
mod reshape;
#[cfg(test)]
pub(super) mod tests;

pub(crate) use convolution::is_weight_gradient;
pub use owners::Owners;

use std::collections::HashMap;

use crate::stablehlo::{Function, Module, Result};

/// How the elements of one dimension are stored.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Inner {
    /// In order.
    Plain,
    /// The dimension is split into `factors` and these are transposed by
    /// `permutation`.
    Permuted {
        /// Sizes whose product is the dimension.
        factors: Vec<i64>,
        /// Stored factor i is factor `permutation[i]`.
        permutation: Vec<usize>,
    },
}

/// How a tensor is stored: its dimensions in another order, and elements
/// permuted inside dimensions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Stored dimension i is dimension `order[i]`.
    pub order: Vec<usize>,
    /// For each (logical) dimension, what happens inside.
    pub inner: Vec<Inner>,
}

impl Layout {
    /// The layout that moves nothing.
    pub fn canonical(rank: usize) -> Self {
        Layout {
            order: (0..rank).collect(),
            inner: vec![Inner::Plain; rank],
        }
    }

    /// Whether it moves nothing.
    pub fn is_canonical(&self) -> bool {
        self.order.is_sorted() && self.inner.iter().all(|i| *i == Inner::Plain)
    }

    /// The stored position of each dimension.
    pub fn positions(&self) -> Vec<usize> {
        let mut positions = vec![0; self.order.len()];
        for (position, &dim) in self.order.iter().enumerate() {
            positions[dim] = position;
        }
        positions
    }

    /// The stored shape of a tensor of this logical shape.
    pub fn stored_shape(&self, shape: &[i64]) -> Vec<i64> {
        self.order.iter().map(|&d| shape[d]).collect()
    }

    /// The layout as one reshape to a view, one transpose, one reshape.
    pub fn as_view(&self, shape: &[i64]) -> (Vec<i64>, Vec<usize>) {
        let mut view = Vec::new();
        let mut first = Vec::new();
        for (dim, inner) in self.inner.iter().enumerate() {
            first.push(view.len());
            match inner {
                Inner::Plain => view.push(shape[dim]),
                Inner::Permuted { factors, .. } => view.extend(factors),
            }
        }
        let mut permutation = Vec::new();
        for &dim in &self.order {
            match &self.inner[dim] {
                Inner::Plain => permutation.push(first[dim]),
                Inner::Permuted { permutation: p, .. } => {
                    permutation.extend(p.iter().map(|i| first[dim] + i));
                }
            }
        }
        (view, permutation)
    }
}

/// Layouts of parameters by name.
pub type ParameterLayouts = HashMap<String, Layout>;

/// Assigns layouts to the whole module and rewrites it. `owners` says which
/// arguments are parameters, or stored as one; the functions that train are
/// asked first how.
///
/// # Errors
/// If an operation is rewritten into something ill-typed, which would be a
/// fault of this pass.
pub fn run(module: &Module, owners: &Owners) -> Result<(Module, ParameterLayouts)> {
    let mut layouts = ParameterLayouts::new();
    let mut order: Vec<usize> = (0..module.functions.len()).collect();
    order.sort_by_key(|&i| match module.functions[i].name.as_str() {
        "train_step" => 0,
        "gradients" => 1,
        "init" => 3,
        _ => 2,
    });
    let mut result = module.clone();
    for index in order {
        let function = &module.functions[index];
        let assigned = assign::assign(function, owners, &layouts);
        for argument in &function.arguments {
            if let Some(name) = owners.of(argument.name.as_deref()) {
                layouts
                    .entry(name.to_owned())
                    .or_insert_with(|| assigned[argument.value.index()].clone());
            }
        }
        result.functions[index] = apply::apply(function, &assigned, owners, &layouts)?;
    }
    Ok((result, layouts))
}

/// The layout of a function's border value: that of its parameter, else
/// canonical.
fn border_layout(
    function: &Function,
    value: crate::stablehlo::Value,
    name: Option<&str>,
    owners: &Owners,
    layouts: &ParameterLayouts,
) -> Layout {
    owners
        .of(name)
        .and_then(|name| layouts.get(name).cloned())
        .unwrap_or_else(|| Layout::canonical(function.ty(value).rank()))
}
