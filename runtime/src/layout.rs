//! Storage layouts: how a tuned program keeps a parameter, against its canonical form.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// `stored = reshape(transpose(reshape(canonical, view), permutation), shape)`.
///
/// A convolution's OIHW weight kept as HWIO, for example:
/// `view = [32, 1, 3, 3]`, `permutation = [2, 3, 1, 0]`, `shape = [3, 3, 1, 32]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    /// Shape the canonical elements are read as before the transposition.
    pub view: Vec<usize>,
    /// Axis `i` of the transposed tensor is axis `permutation[i]` of the view.
    pub permutation: Vec<usize>,
    /// Shape of the tensor as the program takes it.
    pub shape: Vec<usize>,
}

/// Why a layout cannot hold a tensor.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LayoutError {
    /// The permutation is none of the view's axes.
    #[error("permutation {permutation:?} does not name each of the {rank} axes of view once")]
    Permutation {
        /// As found.
        permutation: Vec<usize>,
        /// Rank of the view.
        rank: usize,
    },
    /// A shape of the layout holds another number of elements than the tensor.
    #[error("{what} {shape:?} holds {found} elements, the tensor holds {expected}")]
    Elements {
        /// `view`, `stored shape` or `data`.
        what: &'static str,
        /// As found.
        shape: Vec<usize>,
        /// Its number of elements, or a note that it overflows.
        found: String,
        /// The tensor's number of elements.
        expected: usize,
    },
}

/// Number of elements of a shape, or `None` when it overflows `usize`.
pub fn element_count(shape: &[usize]) -> Option<usize> {
    shape
        .iter()
        .try_fold(1usize, |count, &size| count.checked_mul(size))
}

impl Stored {
    /// Checks the layout against a tensor of `elements` elements.
    ///
    /// # Errors
    /// A [`LayoutError`] naming the part that does not fit.
    pub fn check(&self, elements: usize) -> Result<(), LayoutError> {
        let mut axes = self.permutation.clone();
        axes.sort_unstable();
        if !axes.iter().copied().eq(0..self.view.len()) {
            return Err(LayoutError::Permutation {
                permutation: self.permutation.clone(),
                rank: self.view.len(),
            });
        }
        for (what, shape) in [("view", &self.view), ("stored shape", &self.shape)] {
            let found = element_count(shape);
            if found != Some(elements) {
                return Err(LayoutError::Elements {
                    what,
                    shape: shape.clone(),
                    found: found.map_or_else(|| "too many".into(), |count| count.to_string()),
                    expected: elements,
                });
            }
        }
        Ok(())
    }

    /// Canonical elements (row-major) to stored ones (row-major in `shape`).
    ///
    /// # Errors
    /// As [`Stored::check`].
    pub fn pack<T: Copy>(&self, canonical: &[T]) -> Result<Vec<T>, LayoutError> {
        self.check(canonical.len())?;
        let mut stored = Vec::with_capacity(canonical.len());
        self.for_each_source(|source| stored.extend(canonical.get(source)));
        Ok(stored)
    }

    /// Stored elements back to canonical ones: the inverse of [`Stored::pack`].
    ///
    /// # Errors
    /// As [`Stored::check`].
    pub fn unpack<T: Copy>(&self, stored: &[T]) -> Result<Vec<T>, LayoutError> {
        self.check(stored.len())?;
        let mut canonical = stored.to_vec();
        let mut values = stored.iter();
        self.for_each_source(|source| {
            if let (Some(cell), Some(&value)) = (canonical.get_mut(source), values.next()) {
                *cell = value;
            }
        });
        Ok(canonical)
    }

    /// Calls `visit` with the canonical index of each stored element, in stored order.
    fn for_each_source(&self, mut visit: impl FnMut(usize)) {
        if self.view.contains(&0) {
            return;
        }
        let mut strides = vec![1usize; self.view.len()];
        for axis in (1..self.view.len()).rev() {
            strides[axis - 1] = strides[axis] * self.view[axis];
        }
        let sizes: Vec<usize> = self.permutation.iter().map(|&a| self.view[a]).collect();
        let steps: Vec<usize> = self.permutation.iter().map(|&a| strides[a]).collect();
        let mut index = vec![0usize; sizes.len()];
        let mut source = 0usize;
        'cells: loop {
            visit(source);
            for axis in (0..sizes.len()).rev() {
                index[axis] += 1;
                source += steps[axis];
                if index[axis] < sizes[axis] {
                    continue 'cells;
                }
                source -= steps[axis] * sizes[axis];
                index[axis] = 0;
            }
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// OIHW [2,3,1,2] to HWIO [1,2,3,2]; the numbers are `numpy.arange(12).reshape(2,3,1,2)
    /// .transpose(2,3,1,0).ravel()`.
    #[test]
    fn oihw_to_hwio() {
        let layout = Stored {
            view: vec![2, 3, 1, 2],
            permutation: vec![2, 3, 1, 0],
            shape: vec![1, 2, 3, 2],
        };
        let canonical: Vec<i32> = (0..12).collect();
        let stored = layout.pack(&canonical).expect("the layout fits");
        assert_eq!(stored, [0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11]);
        assert_eq!(layout.unpack(&stored).expect("the layout fits"), canonical);
    }

    /// Rows in C,H,W order to rows in H,W,C order, as a dense layer after a flatten wants them:
    /// `numpy.arange(12).reshape(3,2,2).transpose(1,0,2).reshape(6,2).ravel()`.
    #[test]
    fn view_differs_from_the_shape() {
        let layout = Stored {
            view: vec![3, 2, 2],
            permutation: vec![1, 0, 2],
            shape: vec![6, 2],
        };
        let canonical: Vec<i32> = (0..12).collect();
        let stored = layout.pack(&canonical).expect("the layout fits");
        assert_eq!(stored, [0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11]);
    }

    #[test]
    fn faults_name_their_values() {
        let layout = |view: &[usize], permutation: &[usize], shape: &[usize]| Stored {
            view: view.to_vec(),
            permutation: permutation.to_vec(),
            shape: shape.to_vec(),
        };
        let message = |layout: Stored| layout.check(6).expect_err("a fault").to_string();
        assert_eq!(
            message(layout(&[2, 3], &[1, 1], &[6])),
            "permutation [1, 1] does not name each of the 2 axes of view once"
        );
        assert_eq!(
            message(layout(&[2, 4], &[1, 0], &[6])),
            "view [2, 4] holds 8 elements, the tensor holds 6"
        );
        assert_eq!(
            message(layout(&[2, 3], &[1, 0], &[usize::MAX, 2])),
            format!(
                "stored shape [{}, 2] holds too many elements, the tensor holds 6",
                usize::MAX
            )
        );
    }

    fn layouts() -> impl Strategy<Value = Stored> {
        prop::collection::vec(1usize..5, 0..5).prop_flat_map(|view| {
            let axes: Vec<usize> = (0..view.len()).collect();
            Just(axes)
                .prop_shuffle()
                .prop_map(move |permutation| Stored {
                    shape: permutation.iter().map(|&axis| view[axis]).collect(),
                    view: view.clone(),
                    permutation,
                })
        })
    }

    proptest! {
        /// Unlike the code, computes the canonical index of each stored cell by division.
        #[test]
        fn pack_places_each_cell_and_unpack_undoes_it(layout in layouts()) {
            let count = element_count(&layout.view).expect("small");
            let canonical: Vec<usize> = (0..count).collect();
            let stored = layout.pack(&canonical).expect("the layout fits");
            for (place, &value) in stored.iter().enumerate() {
                let (mut rest, mut coordinates) = (place, vec![0; layout.view.len()]);
                for (&axis, &size) in layout.permutation.iter().zip(&layout.shape).rev() {
                    coordinates[axis] = rest % size;
                    rest /= size;
                }
                let source = coordinates
                    .iter()
                    .zip(&layout.view)
                    .fold(0, |index, (&coordinate, &size)| index * size + coordinate);
                prop_assert_eq!(value, source);
            }
            prop_assert_eq!(layout.unpack(&stored).expect("the layout fits"), canonical);
        }
    }
}
