//! The operations, with their attributes. Semantics are those of the
//! [StableHLO specification](https://openxla.org/stablehlo/spec).

/// Names of enumerations, in both directions, from one table each.
macro_rules! names {
    ($type:ident { $($variant:ident => $name:literal),* $(,)? }) => {
        impl $type {
            /// Every variant.
            pub const ALL: &'static [$type] = &[$($type::$variant),*];

            /// Spelling in StableHLO.
            pub fn name(self) -> &'static str {
                match self { $($type::$variant => $name),* }
            }

            /// The variant of a spelling.
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|v| v.name() == text)
            }
        }
    };
}

mod compound;
mod contraction;
mod elementwise;
mod indexing;
mod reduction;

pub use compound::{Compound, Region};
pub use contraction::{Convolution, ConvolutionDims, DotGeneral};
pub use elementwise::{BinaryOp, Direction, UnaryOp};
pub use indexing::{Gather, Scatter};
pub use reduction::{Reducer, Window, kept};

use super::literal::Literal;
use super::types::{ElementType, TensorType};

/// A StableHLO operation without its operands.
#[derive(Debug, Clone, PartialEq)]
pub enum Op {
    /// A constant tensor.
    Constant(Literal),
    /// Indices along `dim`.
    Iota {
        /// Dimension along which values grow.
        dim: usize,
        /// Type of the result.
        ty: TensorType,
    },
    /// Element-wise operation of one operand.
    Unary(UnaryOp),
    /// Element-wise operation of two operands.
    Binary(BinaryOp),
    /// Element-wise comparison.
    Compare(Direction),
    /// Element-wise comparison of floating-point numbers in IEEE's total order,
    /// in which -NaN is least, +NaN is greatest, and -0 comes before +0.
    CompareTotal(Direction),
    /// Element-wise choice: predicate, value if true, value if false.
    Select,
    /// Element-wise restriction: least, value, greatest. The bounds have the
    /// shape of the value, or are scalars.
    Clamp,
    /// Conversion of the element type.
    Convert(ElementType),
    /// The elements' bits as elements of another type of the same width.
    BitcastConvert(ElementType),
    /// Broadcast: operand dimension i becomes result dimension `dims[i]`.
    BroadcastInDim {
        /// Target dimension of each operand dimension.
        dims: Vec<usize>,
        /// Shape of the result.
        shape: Vec<i64>,
    },
    /// The same elements in row-major order in another shape.
    Reshape {
        /// Shape of the result.
        shape: Vec<i64>,
    },
    /// Result dimension i is operand dimension `permutation[i]`.
    Transpose {
        /// The permutation.
        permutation: Vec<usize>,
    },
    /// Reversal along dimensions.
    Reverse {
        /// Dimensions to reverse.
        dims: Vec<usize>,
    },
    /// A strided box.
    Slice {
        /// First index.
        start: Vec<i64>,
        /// One past the last index.
        limit: Vec<i64>,
        /// Step.
        strides: Vec<i64>,
    },
    /// Padding of operand 0 with the scalar operand 1.
    Pad {
        /// Padding before; negative crops.
        low: Vec<i64>,
        /// Padding after; negative crops.
        high: Vec<i64>,
        /// Padding between elements.
        interior: Vec<i64>,
    },
    /// Concatenation along `dim`.
    Concatenate {
        /// The dimension.
        dim: usize,
    },
    /// A box of operand 0 that begins at the scalar operands 1, 2, ..., moved
    /// inside where it reaches out.
    DynamicSlice {
        /// Extent of the box.
        sizes: Vec<i64>,
    },
    /// Operand 0 with operand 1 in place of the box that begins at the scalar
    /// operands 2, 3, ..., moved inside where it reaches out.
    DynamicUpdateSlice,
    /// Slices of operand 0 that begin at the indices in operand 1, moved inside
    /// where they reach out.
    Gather(Gather),
    /// Operand 0 with slices at the indices in operand 1 updated by operand 2;
    /// what lies outside is dropped.
    Scatter(Scatter),
    /// General dot product.
    DotGeneral(DotGeneral),
    /// Convolution.
    Convolution(Convolution),
    /// Reduction of operand 0 along `dims`, from the scalar operand 1.
    Reduce {
        /// The function.
        reducer: Reducer,
        /// Dimensions that vanish.
        dims: Vec<usize>,
    },
    /// Reduction of operand 0 over windows, from the scalar operand 1.
    ReduceWindow {
        /// The function.
        reducer: Reducer,
        /// The window.
        window: Window,
    },
    /// Selects in each window of operand 0 the first maximal cell (GE) and
    /// adds to it the cell of operand 1; the rest is the scalar operand 2.
    SelectAndScatter {
        /// The window (dilations must be 1).
        window: Window,
    },
    /// One result of an operation with several, or with regions.
    Compound {
        /// The operation.
        op: Compound,
        /// Which result.
        result: usize,
    },
}

impl Op {
    /// Name without the dialect prefix.
    pub fn name(&self) -> &'static str {
        match self {
            Op::Constant(_) => "constant",
            Op::Iota { .. } => "iota",
            Op::Unary(op) => op.name(),
            Op::Binary(op) => op.name(),
            Op::Compare(_) | Op::CompareTotal(_) => "compare",
            Op::Select => "select",
            Op::Clamp => "clamp",
            Op::Convert(_) => "convert",
            Op::BitcastConvert(_) => "bitcast_convert",
            Op::BroadcastInDim { .. } => "broadcast_in_dim",
            Op::Reshape { .. } => "reshape",
            Op::Transpose { .. } => "transpose",
            Op::Reverse { .. } => "reverse",
            Op::Slice { .. } => "slice",
            Op::Pad { .. } => "pad",
            Op::Concatenate { .. } => "concatenate",
            Op::DynamicSlice { .. } => "dynamic_slice",
            Op::DynamicUpdateSlice => "dynamic_update_slice",
            Op::Gather(_) => "gather",
            Op::Scatter(_) => "scatter",
            Op::DotGeneral(_) => "dot_general",
            Op::Convolution(_) => "convolution",
            Op::Reduce { .. } => "reduce",
            Op::ReduceWindow { .. } => "reduce_window",
            Op::SelectAndScatter { .. } => "select_and_scatter",
            Op::Compound { op, .. } => op.name(),
        }
    }

    /// The operation of which this is one result of several.
    pub fn compound(&self) -> Option<&Compound> {
        match self {
            Op::Compound { op, .. } => Some(op),
            _ => None,
        }
    }

    /// Whether every result element is computed from the operand elements at
    /// the same index alone.
    pub fn is_elementwise(&self) -> bool {
        matches!(
            self,
            Op::Unary(_)
                | Op::Binary(_)
                | Op::Compare(_)
                | Op::CompareTotal(_)
                | Op::Select
                | Op::Clamp
                | Op::Convert(_)
                | Op::BitcastConvert(_)
        )
    }
}
