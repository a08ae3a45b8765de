//! Groups of a dimension moved to another one.

use super::Builder;
use crate::stablehlo::Result;
use crate::stablehlo::function::Value;

impl Builder {
    /// Splits dimension `from` into (groups, rest) and moves the groups in
    /// front of dimension `to`: sizes (g r, t) become (r, g t). `x` itself for
    /// one group.
    ///
    /// # Errors
    /// If `groups` does not divide the size of `from`.
    pub fn move_groups(&mut self, x: Value, from: usize, to: usize, groups: i64) -> Result<Value> {
        if groups == 1 {
            return Ok(x);
        }
        let shape = self.shape(x);
        let rest = shape[from] / groups;
        let mut split = shape.clone();
        split.splice(from..=from, [groups, rest]);
        let after = |dim: usize| if dim > from { dim + 1 } else { dim };
        let permutation: Vec<usize> = (0..shape.len())
            .flat_map(|dim| match dim {
                dim if dim == from => vec![from + 1],
                dim if dim == to => vec![from, after(to)],
                dim => vec![after(dim)],
            })
            .collect();
        let mut merged = shape;
        merged[from] = rest;
        merged[to] *= groups;
        let x = self.reshape(x, &split)?;
        let x = self.transpose(x, &permutation)?;
        self.reshape(x, &merged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stablehlo::{Op, TensorType};

    #[test]
    fn groups_move_in_front_of_the_other_dimension() {
        let mut b = Builder::named("f");
        let x = b.function.argument(None, TensorType::f32([6, 5, 4]));
        let y = b.move_groups(x, 0, 2, 3).unwrap();
        assert_eq!(b.shape(y), [2, 5, 12]);
        // [3, 2, 5, 4] to [2, 5, 3, 4]
        let transpose = Op::Transpose {
            permutation: vec![1, 2, 0, 3],
        };
        assert_eq!(b.function.body[1].op, transpose);
        assert_eq!(b.move_groups(x, 0, 2, 1).unwrap(), x);
    }
}
