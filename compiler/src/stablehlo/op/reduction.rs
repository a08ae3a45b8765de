//! Functions of reductions, and the windows that they slide over.

use super::elementwise::BinaryOp;
use crate::stablehlo::types::ElementType;

/// The binary function of a reduction. Its neutral element is the only
/// initial value that the compiler emits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reducer {
    /// Sum.
    Add,
    /// Bitwise or logical and.
    And,
    /// Maximum.
    Max,
    /// Minimum.
    Min,
    /// Product.
    Multiply,
    /// Bitwise or logical or.
    Or,
}

impl Reducer {
    /// The element-wise operation that the reduction repeats.
    pub fn op(self) -> BinaryOp {
        match self {
            Reducer::Add => BinaryOp::Add,
            Reducer::And => BinaryOp::And,
            Reducer::Max => BinaryOp::Maximum,
            Reducer::Min => BinaryOp::Minimum,
            Reducer::Multiply => BinaryOp::Multiply,
            Reducer::Or => BinaryOp::Or,
        }
    }

    /// The value that changes nothing: 0, 1, -inf (or the least integer), +inf
    /// (or the greatest).
    pub fn neutral(self, element: ElementType) -> f64 {
        let bits = element.bits();
        let unsigned = element.is_unsigned();
        match self {
            Reducer::Add | Reducer::Or => 0.0,
            Reducer::Multiply => 1.0,
            // All bits set.
            Reducer::And if unsigned => 2f64.powi(bits as i32) - 1.0,
            Reducer::And if bits == 1 => 1.0,
            Reducer::And => -1.0,
            Reducer::Max if element.is_float() => f64::NEG_INFINITY,
            Reducer::Min if element.is_float() => f64::INFINITY,
            Reducer::Max if unsigned || bits == 1 => 0.0,
            Reducer::Min if bits == 1 => 1.0,
            Reducer::Max => -(2f64.powi(bits as i32 - 1)),
            Reducer::Min => 2f64.powi(bits as i32 - i32::from(!unsigned)) - 1.0,
        }
    }
}

/// The dimensions that remain of `rank` where `dims` vanish.
pub fn kept(rank: usize, dims: &[usize]) -> Vec<usize> {
    (0..rank).filter(|d| !dims.contains(d)).collect()
}

names!(Reducer {
    Add => "add", And => "and", Max => "maximum", Min => "minimum", Multiply => "multiply",
    Or => "or",
});

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
