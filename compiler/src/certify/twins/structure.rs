//! Which positions of an image compute the same function of the parameters.

use super::intern::{Class, Interner, Making};
use super::pairing::Pairing;
use super::pool::{Pool, image_shape, positions};
use crate::network::{Conv, Layer, LayerOp, Network, Window};

/// The positions of one channel of a tensor by what they compute: positions of
/// equal class are the same function of the parameters in every channel. Made
/// by [`Twins::classes`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classes {
    height: usize,
    width: usize,
    classes: Vec<Class>,
}

impl Classes {
    /// Whether two positions, row-major, are the same function.
    pub fn twins(&self, a: usize, b: usize) -> bool {
        match (self.classes.get(a), self.classes.get(b)) {
            (Some(a), Some(b)) => a == b,
            _ => false,
        }
    }

    /// Whether all of these positions are the same function.
    pub fn all_twins(&self, cells: &[usize]) -> bool {
        cells.windows(2).all(|pair| self.twins(pair[0], pair[1]))
    }

    /// The class at a row and column; 0 outside, where padding is 0.
    fn at(&self, row: i64, column: i64) -> Class {
        self.inside(row, column).unwrap_or(Class::ZERO)
    }

    fn inside(&self, row: i64, column: i64) -> Option<Class> {
        let row = usize::try_from(row).ok().filter(|&row| row < self.height)?;
        let column = usize::try_from(column).ok().filter(|&c| c < self.width)?;
        self.classes.get(row * self.width + column).copied()
    }
}

/// Compares positions of a network's tensors by structure alone, without any
/// parameter.
///
/// A cell of a convolution is made of what lies under its taps, recursively
/// down to the pixels: two cells whose taps lie over the same things, or in
/// the padding, which is 0, are the same function of the parameters. The
/// converse need not hold: functions can agree by algebra, or on one piece of
/// the network, where the structure differs.
#[derive(Debug)]
pub struct Twins<'n> {
    network: &'n Network,
    pools: Vec<Pool>,
    interner: Interner,
}

impl<'n> Twins<'n> {
    /// Ready for images of `network`.
    pub fn new(network: &'n Network) -> Self {
        Twins {
            network,
            pools: Pool::all(network),
            interner: Interner::default(),
        }
    }

    /// The max-pools of the network.
    pub fn pools(&self) -> &[Pool] {
        &self.pools
    }

    /// For each max-pool the classes of its input, for one image in C, H, W
    /// order. `None` where positions have no meaning any more, as behind a
    /// dense layer, or `image` has another size.
    pub fn classes(&mut self, image: &[f32]) -> Vec<Option<Classes>> {
        self.interner.clear();
        let mut tensors: Vec<Option<Classes>> = vec![None; self.network.tensors.len()];
        if let Some(input) = self.network.inputs.first()
            && let Some(slot) = tensors.get_mut(input.tensor.0)
        {
            *slot = self.pixels(&self.network.tensor(input.tensor).shape, image);
        }
        let is_pool = |layer: &Layer| matches!(layer.op, LayerOp::MaxPool(_));
        let last = self.network.layers.iter().rposition(is_pool).unwrap_or(0);
        for layer in self.network.layers.iter().take(last) {
            let made = self.layer(layer, &tensors);
            if let Some(slot) = tensors.get_mut(layer.output.0) {
                *slot = made;
            }
        }
        let input = |pool: &Pool| tensors.get(pool.tensor.0).cloned().flatten();
        self.pools.iter().map(input).collect()
    }

    fn pixels(&mut self, shape: &[i64], image: &[f32]) -> Option<Classes> {
        let [channels, height, width] = image_shape(shape)?;
        let size = height * width;
        if image.len() != channels * size {
            return None;
        }
        let classes = (0..size).map(|at| {
            let values = (0..channels).filter_map(|c| image.get(c * size + at));
            self.pixel(values)
        });
        Some(Classes {
            height,
            width,
            classes: classes.collect(),
        })
    }

    fn pixel<'v>(&mut self, values: impl Iterator<Item = &'v f32> + Clone) -> Class {
        // A pixel that is 0 in every channel cannot be told from padding.
        if values.clone().all(|&value| value == 0.0) {
            return Class::ZERO;
        }
        let channels = values.zip(0..).map(|(value, channel)| {
            // The two zeros are one number.
            let bits = (value + 0.0).to_bits();
            self.interner.class(Making::Pixel { channel, bits })
        });
        let channels: Vec<Class> = channels.collect();
        self.interner.fold(Making::Op("pixel"), channels)
    }

    fn layer(&mut self, layer: &Layer, tensors: &[Option<Classes>]) -> Option<Classes> {
        let input = |index: usize| {
            let id = layer.inputs.get(index)?;
            tensors.get(id.0)?.as_ref()
        };
        match &layer.op {
            LayerOp::Conv(conv) | LayerOp::DepthwiseConv(conv) => {
                let mut ids = layer.parameters.iter().map(|id| id.0 as u32);
                let making = Making::Layer {
                    weight: ids.next()?,
                    bias: ids.next(),
                };
                Some(self.conv(conv, making, input(0)?))
            }
            LayerOp::Relu | LayerOp::Identity => input(0).cloned(),
            LayerOp::MaxPool(window) => Some(self.max_pool(window, input(0)?)),
            LayerOp::Add => self.pairs(Pairing::ADD, input(0)?, input(1)?),
            LayerOp::Subtract => self.pairs(Pairing::SUBTRACT, input(0)?, input(1)?),
            LayerOp::Multiply => self.pairs(Pairing::MULTIPLY, input(0)?, input(1)?),
            _ => None,
        }
    }

    fn conv(&mut self, conv: &Conv, making: Making, x: &Classes) -> Classes {
        let no_bias = matches!(making, Making::Layer { bias: None, .. });
        let extent = |axis: usize, size: usize| {
            let covers = (conv.kernel[axis] - 1) * conv.dilation[axis] + 1;
            positions(size, conv.padding[axis], covers, conv.stride[axis])
        };
        let mut under = Vec::new();
        self.slide([extent(0, x.height), extent(1, x.width)], |interner, at| {
            under.clear();
            for i in 0..conv.kernel[0] {
                for j in 0..conv.kernel[1] {
                    let place = |axis: usize, tap: i64| {
                        at[axis] * conv.stride[axis] + tap * conv.dilation[axis]
                            - conv.padding[axis][0]
                    };
                    under.push(x.at(place(0, i), place(1, j)));
                }
            }
            if no_bias && under.iter().all(|&class| class == Class::ZERO) {
                return Class::ZERO;
            }
            interner.fold(making, under.iter().copied())
        })
    }

    /// The maximum of equal functions is that function, and order does not
    /// matter.
    fn max_pool(&mut self, window: &Window, x: &Classes) -> Classes {
        let extent = |axis: usize, size: usize| {
            let covers = window.size[axis];
            positions(size, window.padding[axis], covers, window.stride[axis])
        };
        let mut under: Vec<Class> = Vec::new();
        self.slide([extent(0, x.height), extent(1, x.width)], |interner, at| {
            let start = [0, 1].map(|axis| at[axis] * window.stride[axis] - window.padding[axis][0]);
            under.clear();
            for row in start[0]..start[0] + window.size[0] {
                under
                    .extend((start[1]..start[1] + window.size[1]).filter_map(|c| x.inside(row, c)));
            }
            under.sort_unstable();
            under.dedup();
            match under[..] {
                [one] => one,
                _ => interner.fold(Making::Op("max"), under.iter().copied()),
            }
        })
    }

    fn slide(
        &mut self,
        [height, width]: [usize; 2],
        mut class: impl FnMut(&mut Interner, [i64; 2]) -> Class,
    ) -> Classes {
        let mut classes = Vec::with_capacity(height * width);
        for row in 0..height as i64 {
            for column in 0..width as i64 {
                classes.push(class(&mut self.interner, [row, column]));
            }
        }
        Classes {
            height,
            width,
            classes,
        }
    }

    fn pairs(&mut self, pairing: Pairing, a: &Classes, b: &Classes) -> Option<Classes> {
        if (a.height, a.width) != (b.height, b.width) {
            return None;
        }
        let pairs = a.classes.iter().zip(&b.classes);
        let classes = pairs.map(|(&a, &b)| pairing.class(&mut self.interner, a, b));
        Some(Classes {
            classes: classes.collect(),
            ..*a
        })
    }
}

/// The classes of a batch: for each max-pool of a network, of each example.
#[derive(Debug, Clone, PartialEq)]
pub struct Structure {
    /// The max-pools.
    pub pools: Vec<Pool>,
    /// For each of them the classes of each example, where there are any.
    pub classes: Vec<Vec<Option<Classes>>>,
}

impl Structure {
    /// Of images one after the other, each in C, H, W order.
    pub fn of(network: &Network, images: &[f32]) -> Self {
        let mut twins = Twins::new(network);
        let size = network
            .inputs
            .first()
            .map_or(1, |input| network.tensor(input.tensor).size());
        let size = usize::try_from(size).unwrap_or(1).max(1);
        let mut classes = vec![Vec::new(); twins.pools().len()];
        for image in images.chunks_exact(size) {
            for (all, one) in classes.iter_mut().zip(twins.classes(image)) {
                all.push(one);
            }
        }
        Structure {
            pools: twins.pools,
            classes,
        }
    }
}
