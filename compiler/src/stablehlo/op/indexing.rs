//! Attributes of operations that index by values.

use super::reduction::Reducer;

/// Attributes of `gather`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Gather {
    /// Dimensions of the result that lie within slices.
    pub offset_dims: Vec<usize>,
    /// Dimensions of the operand, of size 1 in slices, that the result lacks.
    pub collapsed_slice_dims: Vec<usize>,
    /// Dimensions of the operand that go along with those of the indices.
    pub operand_batching_dims: Vec<usize>,
    /// Dimensions of the indices that go along with those of the operand.
    pub start_indices_batching_dims: Vec<usize>,
    /// The dimension of the operand that each component of an index is in.
    pub start_index_map: Vec<usize>,
    /// The dimension of the indices that holds the components of one; their
    /// rank if an index is a scalar.
    pub index_vector_dim: usize,
    /// Extent of a slice.
    pub slice_sizes: Vec<i64>,
    /// A promise that the indices ascend.
    pub indices_are_sorted: bool,
}

/// Attributes of `scatter`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Scatter {
    /// Dimensions of the updates that lie within slices.
    pub update_window_dims: Vec<usize>,
    /// Dimensions of the input that the updates lack.
    pub inserted_window_dims: Vec<usize>,
    /// Dimensions of the input that go along with those of the indices.
    pub input_batching_dims: Vec<usize>,
    /// Dimensions of the indices that go along with those of the input.
    pub scatter_indices_batching_dims: Vec<usize>,
    /// The dimension of the input that each component of an index is in.
    pub scatter_dims_to_operand_dims: Vec<usize>,
    /// The dimension of the indices that holds the components of one; their
    /// rank if an index is a scalar.
    pub index_vector_dim: usize,
    /// A promise that the indices ascend.
    pub indices_are_sorted: bool,
    /// A promise that no cell is updated twice.
    pub unique_indices: bool,
    /// What an update does to a cell; `None` replaces it.
    pub reducer: Option<Reducer>,
}
