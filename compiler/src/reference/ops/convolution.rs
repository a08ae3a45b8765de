//! Convolutions with every attribute.
//!
//! The operands are brought into the orders [batch, cells, features] and
//! [taps, input features, output features]. Then each output position is the
//! sum, over the taps that lie on a cell, of a row of the input times a matrix
//! of the kernel; the inner loop runs along the output features.

use super::dot::ordered;
use super::{Elements, unlike};
use crate::reference::integer;
use crate::reference::number::Number;
use crate::reference::tensor::{Data, Tensor, extents};
use crate::reference::walk::{Sliding, row_major};
use crate::stablehlo::{Convolution, TensorType};

pub(super) fn convolution<T: Number>(
    conv: &Convolution,
    x: &Tensor<T>,
    w: &Tensor<T>,
    ty: &TensorType,
) -> Elements<T> {
    let plan = Plan::new(conv, &x.extents(), &w.extents(), &extents(ty));
    match (x.data(), w.data()) {
        (Data::Numbers(x), Data::Numbers(w)) => {
            let zero = T::from_f64(0.0);
            // The padding is 0, which a weight of infinity turns into NaN.
            let padding = w.iter().any(|w| !w.shadow().is_finite()).then_some(zero);
            let add = |sum: T, x: T, w: T| sum + x * w;
            Ok(Data::Numbers(plan.run(x, w, zero, padding, add)))
        }
        (Data::Integers(x), Data::Integers(w)) => {
            let add = |sum: i64, x: i64, w: i64| sum.wrapping_add(x.wrapping_mul(w));
            let mut sums = plan.run(x, w, 0, None, add);
            for sum in &mut sums {
                *sum = integer::wrap(ty.element, *sum);
            }
            Ok(Data::Integers(sums))
        }
        _ => Err(unlike()),
    }
}

/// Sizes and orders of a convolution.
struct Plan {
    x_shape: Vec<usize>,
    w_shape: Vec<usize>,
    x_order: Vec<usize>,
    w_order: Vec<usize>,
    /// From [batch, positions, features] to the order of the result.
    y_order: Vec<usize>,
    spatial: Vec<Sliding>,
    reversed: Vec<bool>,
    feature_groups: usize,
    batch_groups: usize,
    /// Batch of the result.
    batch: usize,
    /// Input features of a group.
    inputs: usize,
    /// Output features of all groups.
    outputs: usize,
}

impl Plan {
    fn new(conv: &Convolution, x: &[usize], w: &[usize], y: &[usize]) -> Self {
        let dims = &conv.dims;
        let around = |first: &[usize], spatial: &[usize], last: &[usize]| -> Vec<usize> {
            [first, spatial, last].concat()
        };
        let spatial = (0..dims.input_spatial.len())
            .map(|i| Sliding {
                cells: x[dims.input_spatial[i]],
                positions: y[dims.output_spatial[i]],
                taps: w[dims.kernel_spatial[i]],
                stride: conv.strides[i],
                tap_dilation: conv.rhs_dilation[i],
                cell_dilation: conv.lhs_dilation[i],
                low: conv.padding[i][0],
            })
            .collect();
        let produced = around(
            &[dims.output_batch],
            &dims.output_spatial,
            &[dims.output_feature],
        );
        let mut y_order = vec![0; produced.len()];
        for (position, &dim) in produced.iter().enumerate() {
            y_order[dim] = position;
        }
        Plan {
            x_shape: x.to_vec(),
            w_shape: w.to_vec(),
            x_order: around(
                &[dims.input_batch],
                &dims.input_spatial,
                &[dims.input_feature],
            ),
            w_order: around(
                &[],
                &dims.kernel_spatial,
                &[dims.kernel_input, dims.kernel_output],
            ),
            y_order,
            spatial,
            reversed: conv.window_reversal.clone(),
            feature_groups: usize::try_from(conv.feature_group_count).unwrap_or(1),
            batch_groups: usize::try_from(conv.batch_group_count).unwrap_or(1),
            batch: y[dims.output_batch],
            inputs: w[dims.kernel_input],
            outputs: w[dims.kernel_output],
        }
    }

    /// Taps that lie in the padding or between cells count as `padding`, if
    /// that is given, and not at all otherwise.
    fn run<V: Copy>(
        &self,
        x: &[V],
        w: &[V],
        zero: V,
        padding: Option<V>,
        add: impl Fn(V, V, V) -> V,
    ) -> Vec<V> {
        let x = ordered(x, &self.x_shape, &self.x_order);
        let w = ordered(w, &self.w_shape, &self.w_order);
        let size = |count: fn(&Sliding) -> usize| -> Vec<usize> {
            self.spatial.iter().map(count).collect()
        };
        let (cells, positions, taps) = (size(|s| s.cells), size(|s| s.positions), size(|s| s.taps));
        let cell_count: usize = cells.iter().product();
        let features = self.inputs * self.feature_groups;
        let groups = self.feature_groups.max(self.batch_groups);
        let group_outputs = self.outputs / groups;
        let padding_row = padding.map(|value| vec![value; self.inputs]);
        let position_count: usize = positions.iter().product();
        let mut y = vec![zero; self.batch * position_count * self.outputs];
        for (place, under) in self.cells_under(&positions, &taps, &cells).enumerate() {
            for batch in 0..self.batch {
                let at = (batch * position_count + place) * self.outputs;
                for group in 0..groups {
                    let output = group * group_outputs;
                    let sums = &mut y[at + output..at + output + group_outputs];
                    let (image, feature) = if self.batch_groups > 1 {
                        (group * self.batch + batch, 0)
                    } else {
                        (batch, group * self.inputs)
                    };
                    for &(tap, cell) in &under {
                        let row = match (cell, &padding_row) {
                            (Some(cell), _) => {
                                let at = (image * cell_count + cell) * features + feature;
                                &x[at..at + self.inputs]
                            }
                            (None, Some(row)) => row,
                            (None, None) => continue,
                        };
                        for (input, &x) in row.iter().enumerate() {
                            let at = (tap * self.inputs + input) * self.outputs + output;
                            let weights = &w[at..at + group_outputs];
                            for (sum, &w) in sums.iter_mut().zip(weights) {
                                *sum = add(*sum, x, w);
                            }
                        }
                    }
                }
            }
        }
        let mut produced = vec![self.batch];
        produced.extend(&positions);
        produced.push(self.outputs);
        ordered(&y, &produced, &self.y_order)
    }

    /// For each position of the window, row-major, the taps with the cells
    /// that they lie on, as row-major numbers.
    fn cells_under(
        &self,
        positions: &[usize],
        taps: &[usize],
        cells: &[usize],
    ) -> impl Iterator<Item = Vec<(usize, Option<usize>)>> {
        let count: usize = positions.iter().product();
        let tap_strides = row_major(taps);
        let cell_strides = row_major(cells);
        let position_strides = row_major(positions);
        let positions = positions.to_vec();
        (0..count).map(move |place| {
            let mut under = vec![(0, Some(0))];
            for (dim, sliding) in self.spatial.iter().enumerate() {
                let position = place / position_strides[dim] as usize % positions[dim];
                let mut next = Vec::with_capacity(under.len() * sliding.taps);
                for &(tap, cell) in &under {
                    for i in 0..sliding.taps {
                        let own = sliding.cell(position, i);
                        // Reversal is of the weights, not of the cells.
                        let i = if self.reversed[dim] {
                            sliding.taps - 1 - i
                        } else {
                            i
                        };
                        let cell = cell
                            .zip(own)
                            .map(|(cell, own)| cell + own * cell_strides[dim] as usize);
                        next.push((tap + i * tap_strides[dim] as usize, cell));
                    }
                }
                under = next;
            }
            under
        })
    }
}
