//! Tensor types.

use std::fmt;

/// Element type of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementType {
    /// Boolean.
    I1,
    /// Signed 8-bit integer.
    I8,
    /// Signed 32-bit integer.
    I32,
    /// Signed 64-bit integer.
    I64,
    /// Unsigned 8-bit integer.
    Ui8,
    /// Unsigned 32-bit integer.
    Ui32,
    /// Unsigned 64-bit integer.
    Ui64,
    /// IEEE single precision.
    F32,
    /// IEEE double precision.
    F64,
}

impl ElementType {
    /// Every element type.
    pub const ALL: [ElementType; 9] = [
        ElementType::I1,
        ElementType::I8,
        ElementType::I32,
        ElementType::I64,
        ElementType::Ui8,
        ElementType::Ui32,
        ElementType::Ui64,
        ElementType::F32,
        ElementType::F64,
    ];

    /// MLIR spelling.
    pub fn name(self) -> &'static str {
        match self {
            ElementType::I1 => "i1",
            ElementType::I8 => "i8",
            ElementType::I32 => "i32",
            ElementType::I64 => "i64",
            ElementType::Ui8 => "ui8",
            ElementType::Ui32 => "ui32",
            ElementType::Ui64 => "ui64",
            ElementType::F32 => "f32",
            ElementType::F64 => "f64",
        }
    }

    /// The type of an MLIR spelling.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.name() == text)
    }

    /// Whether derivatives can flow through values of this type.
    pub fn is_float(self) -> bool {
        matches!(self, ElementType::F32 | ElementType::F64)
    }

    /// Whether it is an integer type without negative values.
    pub fn is_unsigned(self) -> bool {
        matches!(
            self,
            ElementType::Ui8 | ElementType::Ui32 | ElementType::Ui64
        )
    }

    /// Width in bits.
    pub fn bits(self) -> u32 {
        match self {
            ElementType::I1 => 1,
            ElementType::I8 | ElementType::Ui8 => 8,
            ElementType::I32 | ElementType::Ui32 | ElementType::F32 => 32,
            ElementType::I64 | ElementType::Ui64 | ElementType::F64 => 64,
        }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A ranked tensor type of static shape, printed as MLIR does
/// (`tensor<2x3xf32>`).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TensorType {
    /// Sizes of the dimensions.
    pub shape: Vec<i64>,
    /// Element type.
    pub element: ElementType,
}

impl TensorType {
    /// A type of this shape and element type.
    pub fn new(shape: impl Into<Vec<i64>>, element: ElementType) -> Self {
        TensorType {
            shape: shape.into(),
            element,
        }
    }

    /// An f32 tensor.
    pub fn f32(shape: impl Into<Vec<i64>>) -> Self {
        Self::new(shape, ElementType::F32)
    }

    /// A scalar.
    pub fn scalar(element: ElementType) -> Self {
        Self::new(Vec::new(), element)
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Number of elements; saturates at `i64::MAX`.
    pub fn elements(&self) -> i64 {
        self.shape
            .iter()
            .fold(1i64, |product, &size| product.saturating_mul(size))
    }

    /// The same shape with another element type.
    pub fn with_element(&self, element: ElementType) -> Self {
        Self::new(self.shape.clone(), element)
    }

    /// The same element type with another shape.
    pub fn with_shape(&self, shape: impl Into<Vec<i64>>) -> Self {
        Self::new(shape, self.element)
    }
}

impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("tensor<")?;
        for size in &self.shape {
            write!(f, "{size}x")?;
        }
        write!(f, "{}>", self.element)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_mlir() {
        assert_eq!(TensorType::f32([2, 3]).to_string(), "tensor<2x3xf32>");
        assert_eq!(
            TensorType::scalar(ElementType::Ui64).to_string(),
            "tensor<ui64>"
        );
    }

    #[test]
    fn element_names_round_trip() {
        for element in ElementType::ALL {
            assert_eq!(ElementType::parse(element.name()), Some(element));
        }
        assert_eq!(ElementType::parse("complex<f32>"), None);
    }
}
