//! Storage layouts of a tuned module, undone and redone by operations of the
//! module's own language, so that they mean here what they mean there.

use crate::reference::{Error, Number, Tensor, run};
use crate::stablehlo::{Builder, Function, Result, TensorType};

/// The canonical tensor reshaped to `view`, transposed by `permutation` and
/// reshaped to `shape`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The canonical shape.
    pub canonical: Vec<i64>,
    /// Shape before the transposition.
    pub view: Vec<i64>,
    /// Dimension i of the transposed tensor is dimension `permutation[i]` of
    /// the view.
    pub permutation: Vec<usize>,
    /// Shape of the stored tensor.
    pub shape: Vec<i64>,
}

impl Stored {
    /// The stored form of a canonical tensor.
    ///
    /// # Errors
    /// If the layout does not fit the tensor.
    pub fn pack<T: Number>(&self, tensor: &Tensor<T>) -> std::result::Result<Tensor<T>, Error> {
        let steps = [&self.view, &self.shape];
        apply(tensor, self.moves(tensor.ty(), steps, &self.permutation))
    }

    /// The canonical form of a stored tensor.
    ///
    /// # Errors
    /// If the layout does not fit the tensor.
    pub fn unpack<T: Number>(&self, tensor: &Tensor<T>) -> std::result::Result<Tensor<T>, Error> {
        let rank = self.permutation.len();
        let place = |dim| self.permutation.iter().position(|&p| p == dim);
        let inverse: Vec<usize> = (0..rank).filter_map(place).collect();
        let dims = |&dim: &usize| self.view.get(dim).copied().unwrap_or(0);
        let transposed: Vec<i64> = self.permutation.iter().map(dims).collect();
        let steps = [&transposed, &self.canonical];
        apply(tensor, self.moves(tensor.ty(), steps, &inverse))
    }

    fn moves(
        &self,
        from: &TensorType,
        [first, last]: [&Vec<i64>; 2],
        permutation: &[usize],
    ) -> Result<Function> {
        let mut b = Builder::named("layout");
        let x = b.function.argument(None, from.clone());
        let x = b.reshape(x, first)?;
        let x = b.transpose(x, permutation)?;
        let x = b.reshape(x, last)?;
        b.function.output(None, x);
        Ok(b.function)
    }
}

fn apply<T: Number>(
    tensor: &Tensor<T>,
    function: Result<Function>,
) -> std::result::Result<Tensor<T>, Error> {
    let unfit = |message: String| Error::Operation {
        op: "transpose",
        message: format!("the layout of a parameter does not fit: {message}"),
        location: crate::stablehlo::Location::UNKNOWN,
    };
    let function = function.map_err(|error| unfit(error.to_string()))?;
    let mut results = run(&function, std::slice::from_ref(tensor))?;
    results.pop().ok_or_else(|| unfit("no result".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `numpy.arange(12).reshape(2,3,1,2).transpose(2,3,1,0).ravel()`
    #[test]
    fn oihw_to_hwio_and_back() {
        let layout = Stored {
            canonical: vec![2, 3, 1, 2],
            view: vec![2, 3, 1, 2],
            permutation: vec![2, 3, 1, 0],
            shape: vec![1, 2, 3, 2],
        };
        let values: Vec<f64> = (0..12).map(f64::from).collect();
        let canonical = Tensor::numbers(TensorType::f32([2, 3, 1, 2]), values).unwrap();
        let stored = layout.pack(&canonical).unwrap();
        let expected = [0., 6., 2., 8., 4., 10., 1., 7., 3., 9., 5., 11.];
        assert_eq!(stored.as_numbers(), expected);
        assert_eq!(stored.ty().shape, [1, 2, 3, 2]);
        assert_eq!(layout.unpack(&stored).unwrap(), canonical);
    }

    /// Rows in C,H,W order to rows in H,W,C order:
    /// `numpy.arange(12).reshape(3,2,2).transpose(1,0,2).reshape(6,2).ravel()`
    #[test]
    fn a_view_within_a_dimension() {
        let layout = Stored {
            canonical: vec![6, 2],
            view: vec![3, 2, 2],
            permutation: vec![1, 0, 2],
            shape: vec![6, 2],
        };
        let values: Vec<f64> = (0..12).map(f64::from).collect();
        let canonical = Tensor::numbers(TensorType::f32([6, 2]), values).unwrap();
        let stored = layout.pack(&canonical).unwrap();
        let expected = [0., 1., 4., 5., 8., 9., 2., 3., 6., 7., 10., 11.];
        assert_eq!(stored.as_numbers(), expected);
        assert_eq!(layout.unpack(&stored).unwrap(), canonical);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let layout = Stored {
            canonical: vec![6, 2],
            view: vec![3, 2, 2],
            permutation: vec![1, 0, 0],
            shape: vec![6, 2],
        };
        let tensor = Tensor::numbers(TensorType::f32([6, 2]), vec![0.0; 12]).unwrap();
        assert!(layout.pack(&tensor).is_err());
        assert!(layout.unpack(&tensor).is_err());
    }
}
