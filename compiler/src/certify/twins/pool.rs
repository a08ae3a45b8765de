//! The max-pools of a network and the cells under their windows.

use cnnc_grammar::Span;

use crate::network::{LayerOp, Network, TensorId, Window};

/// A max-pool of a network.
#[derive(Debug, Clone, PartialEq)]
pub struct Pool {
    /// Name of the layer.
    pub name: String,
    /// Its text.
    pub span: Span,
    /// Channels, height and width of its input.
    pub input: [usize; 3],
    /// Its window.
    pub window: Window,
    /// Whether its input is the result of a relu, so that a window whose
    /// largest cell is 0 has derivative 0 in all of them.
    pub rectified: bool,
    pub(super) tensor: TensorId,
}

impl Pool {
    /// The max-pools of a network, in order of their layers.
    pub fn all(network: &Network) -> Vec<Pool> {
        let layers = network.layers.iter();
        let pools = layers.filter_map(|layer| {
            let LayerOp::MaxPool(window) = &layer.op else {
                return None;
            };
            let &tensor = layer.inputs.first()?;
            Some(Pool {
                name: layer.name.clone(),
                span: layer.span,
                input: image_shape(&network.tensors.get(tensor.0)?.shape)?,
                window: window.clone(),
                rectified: network
                    .layers
                    .iter()
                    .any(|maker| maker.output == tensor && maker.op == LayerOp::Relu),
                tensor,
            })
        });
        pools.collect()
    }

    /// Cells of the input.
    pub fn cells(&self) -> usize {
        self.input.iter().product()
    }

    /// Rows and columns of windows.
    pub fn windows(&self) -> [usize; 2] {
        let window = &self.window;
        [0, 1].map(|axis| {
            positions(
                self.input[axis + 1],
                window.padding[axis],
                window.size[axis],
                window.stride[axis],
            )
        })
    }

    /// The cells of one channel under each window, windows and cells in
    /// row-major order. Padding has no cells.
    pub fn cells_under(&self) -> Vec<Vec<usize>> {
        let [rows, columns] = self.windows();
        let mut under = Vec::with_capacity(rows * columns);
        for row in 0..rows {
            for column in 0..columns {
                let columns = self.along(1, column);
                let cells = self.along(0, row).flat_map(|y| {
                    let start = y * self.input[2];
                    columns.clone().map(move |x| start + x)
                });
                under.push(cells.collect());
            }
        }
        under
    }

    /// Indices along an axis under the window at a position.
    fn along(&self, axis: usize, position: usize) -> std::ops::Range<usize> {
        let start = position as i64 * self.window.stride[axis] - self.window.padding[axis][0];
        let limit = self.input[axis + 1] as i64;
        let clamp = |place: i64| place.clamp(0, limit) as usize;
        clamp(start)..clamp(start + self.window.size[axis])
    }
}

/// Channels, height and width.
pub(super) fn image_shape(shape: &[i64]) -> Option<[usize; 3]> {
    match shape {
        [c, h, w] => Some([
            usize::try_from(*c).ok()?,
            usize::try_from(*h).ok()?,
            usize::try_from(*w).ok()?,
        ]),
        _ => None,
    }
}

/// Positions of a window that covers so many of `size` cells.
pub(super) fn positions(size: usize, padding: [i64; 2], covers: i64, stride: i64) -> usize {
    let padded = size as i64 + padding.iter().sum::<i64>();
    usize::try_from((padded - covers).div_euclid(stride.max(1)) + 1).unwrap_or(0)
}
