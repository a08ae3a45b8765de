//! The operations, with their attributes. Semantics are those of the
//! [StableHLO specification](https://openxla.org/stablehlo/spec).

use super::literal::Literal;
use super::types::{ElementType, TensorType};

/// Element-wise operations of one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// |x|
    Abs,
    /// cos x
    Cosine,
    /// e^x
    Exponential,
    /// ln x
    Log,
    /// -x
    Negate,
    /// Bitwise or logical complement.
    Not,
    /// x^(-1/2)
    Rsqrt,
    /// x^(1/2)
    Sqrt,
    /// tanh x
    Tanh,
    /// 1 / (1 + e^-x)
    Logistic,
}

/// Element-wise operations of two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// a + b
    Add,
    /// Bitwise or logical and.
    And,
    /// a / b
    Divide,
    /// The larger; NaN if either is NaN.
    Maximum,
    /// The smaller; NaN if either is NaN.
    Minimum,
    /// a b
    Multiply,
    /// Bitwise or logical or.
    Or,
    /// a << b
    ShiftLeft,
    /// a >> b, filled with zeros.
    ShiftRightLogical,
    /// a - b
    Subtract,
    /// Bitwise or logical exclusive or.
    Xor,
}

/// Comparison directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// a == b
    Eq,
    /// a != b
    Ne,
    /// a >= b
    Ge,
    /// a > b
    Gt,
    /// a <= b
    Le,
    /// a < b
    Lt,
}

/// The binary function of a reduction. Its neutral element is the only
/// initial value that the compiler emits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reducer {
    /// Sum.
    Add,
    /// Maximum.
    Max,
    /// Minimum.
    Min,
}

impl Reducer {
    /// The element-wise operation that the reduction repeats.
    pub fn op(self) -> BinaryOp {
        match self {
            Reducer::Add => BinaryOp::Add,
            Reducer::Max => BinaryOp::Maximum,
            Reducer::Min => BinaryOp::Minimum,
        }
    }

    /// The value that changes nothing: 0, -inf (or the least integer), +inf
    /// (or the greatest).
    pub fn neutral(self, element: ElementType) -> f64 {
        let bits = element.bits();
        let unsigned = matches!(
            element,
            ElementType::Ui8 | ElementType::Ui32 | ElementType::Ui64
        );
        match self {
            Reducer::Add => 0.0,
            Reducer::Max if element.is_float() => f64::NEG_INFINITY,
            Reducer::Min if element.is_float() => f64::INFINITY,
            Reducer::Max if unsigned || bits == 1 => 0.0,
            Reducer::Min if bits == 1 => 1.0,
            Reducer::Max => -(2f64.powi(bits as i32 - 1)),
            Reducer::Min => 2f64.powi(bits as i32 - i32::from(!unsigned)) - 1.0,
        }
    }
}

/// Which dimension of each tensor plays which role in a convolution.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ConvolutionDims {
    /// Batch dimension of the input.
    pub input_batch: usize,
    /// Feature dimension of the input.
    pub input_feature: usize,
    /// Spatial dimensions of the input.
    pub input_spatial: Vec<usize>,
    /// Input-feature dimension of the kernel.
    pub kernel_input: usize,
    /// Output-feature dimension of the kernel.
    pub kernel_output: usize,
    /// Spatial dimensions of the kernel.
    pub kernel_spatial: Vec<usize>,
    /// Batch dimension of the output.
    pub output_batch: usize,
    /// Feature dimension of the output.
    pub output_feature: usize,
    /// Spatial dimensions of the output.
    pub output_spatial: Vec<usize>,
}

impl ConvolutionDims {
    /// NCHW x OIHW -> NCHW, for any number of spatial dimensions.
    pub fn nchw(spatial: usize) -> Self {
        let axes: Vec<usize> = (2..2 + spatial).collect();
        ConvolutionDims {
            input_batch: 0,
            input_feature: 1,
            input_spatial: axes.clone(),
            kernel_input: 1,
            kernel_output: 0,
            kernel_spatial: axes.clone(),
            output_batch: 0,
            output_feature: 1,
            output_spatial: axes,
        }
    }
}

/// Attributes of `convolution`. Sizes of vectors equal the number of spatial
/// dimensions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Convolution {
    /// Roles of the dimensions.
    pub dims: ConvolutionDims,
    /// Window strides.
    pub strides: Vec<i64>,
    /// Low and high padding; may be negative.
    pub padding: Vec<[i64; 2]>,
    /// Dilation of the input.
    pub lhs_dilation: Vec<i64>,
    /// Dilation of the kernel.
    pub rhs_dilation: Vec<i64>,
    /// Whether the kernel is traversed backwards.
    pub window_reversal: Vec<bool>,
    /// Groups over input and output features.
    pub feature_group_count: i64,
    /// Groups over the input batch and output features.
    pub batch_group_count: i64,
}

/// A window sliding over all dimensions of a tensor.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Window {
    /// Extent.
    pub size: Vec<i64>,
    /// Step.
    pub strides: Vec<i64>,
    /// Dilation of the operand.
    pub base_dilations: Vec<i64>,
    /// Dilation of the window.
    pub window_dilations: Vec<i64>,
    /// Low and high padding.
    pub padding: Vec<[i64; 2]>,
}

impl Window {
    /// A window of size and stride 1 in every dimension.
    pub fn unit(rank: usize) -> Self {
        Window {
            size: vec![1; rank],
            strides: vec![1; rank],
            base_dilations: vec![1; rank],
            window_dilations: vec![1; rank],
            padding: vec![[0, 0]; rank],
        }
    }
}

/// Attributes of `dot_general`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct DotGeneral {
    /// Batching dimensions of the left operand.
    pub lhs_batch: Vec<usize>,
    /// Batching dimensions of the right operand.
    pub rhs_batch: Vec<usize>,
    /// Contracting dimensions of the left operand.
    pub lhs_contract: Vec<usize>,
    /// Contracting dimensions of the right operand.
    pub rhs_contract: Vec<usize>,
}

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
    /// Element-wise choice: predicate, value if true, value if false.
    Select,
    /// Conversion of the element type.
    Convert(ElementType),
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
}

impl Op {
    /// Name without the dialect prefix.
    pub fn name(&self) -> &'static str {
        match self {
            Op::Constant(_) => "constant",
            Op::Iota { .. } => "iota",
            Op::Unary(op) => op.name(),
            Op::Binary(op) => op.name(),
            Op::Compare(_) => "compare",
            Op::Select => "select",
            Op::Convert(_) => "convert",
            Op::BroadcastInDim { .. } => "broadcast_in_dim",
            Op::Reshape { .. } => "reshape",
            Op::Transpose { .. } => "transpose",
            Op::Reverse { .. } => "reverse",
            Op::Slice { .. } => "slice",
            Op::Pad { .. } => "pad",
            Op::Concatenate { .. } => "concatenate",
            Op::DotGeneral(_) => "dot_general",
            Op::Convolution(_) => "convolution",
            Op::Reduce { .. } => "reduce",
            Op::ReduceWindow { .. } => "reduce_window",
            Op::SelectAndScatter { .. } => "select_and_scatter",
        }
    }

    /// Whether every result element is computed from the operand elements at
    /// the same index alone.
    pub fn is_elementwise(&self) -> bool {
        matches!(
            self,
            Op::Unary(_) | Op::Binary(_) | Op::Compare(_) | Op::Select | Op::Convert(_)
        )
    }
}

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

names!(UnaryOp {
    Abs => "abs", Cosine => "cosine", Exponential => "exponential", Log => "log",
    Negate => "negate", Not => "not", Rsqrt => "rsqrt", Sqrt => "sqrt", Tanh => "tanh",
    Logistic => "logistic",
});
names!(BinaryOp {
    Add => "add", And => "and", Divide => "divide", Maximum => "maximum",
    Minimum => "minimum", Multiply => "multiply", Or => "or", ShiftLeft => "shift_left",
    ShiftRightLogical => "shift_right_logical", Subtract => "subtract", Xor => "xor",
});
names!(Direction { Eq => "EQ", Ne => "NE", Ge => "GE", Gt => "GT", Le => "LE", Lt => "LT" });
names!(Reducer { Add => "add", Max => "maximum", Min => "minimum" });
