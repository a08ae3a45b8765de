//! Tensors in host memory, in canonical layout.

use eerie::runtime::{BufferView, Value};

use crate::device::{IreeError, Runtime};
use crate::layout::{LayoutError, Stored};
use crate::manifest::Dtype;

/// The elements of a tensor, row-major.
#[derive(Debug, Clone, PartialEq)]
pub enum Elements {
    /// 32-bit floats.
    F32(Vec<f32>),
    /// 32-bit signed integers.
    I32(Vec<i32>),
    /// 64-bit signed integers.
    I64(Vec<i64>),
    /// 32-bit unsigned integers.
    U32(Vec<u32>),
    /// 64-bit unsigned integers.
    U64(Vec<u64>),
}

/// Runs one expression for whichever vector `$elements` holds.
macro_rules! each {
    ($elements:expr, $values:ident => $body:expr) => {
        match $elements {
            Elements::F32($values) => $body,
            Elements::I32($values) => $body,
            Elements::I64($values) => $body,
            Elements::U32($values) => $body,
            Elements::U64($values) => $body,
        }
    };
}

/// As `each!`, with the result in the same variant.
macro_rules! map {
    ($elements:expr, $values:ident => $body:expr) => {
        match $elements {
            Elements::F32($values) => Elements::F32($body),
            Elements::I32($values) => Elements::I32($body),
            Elements::I64($values) => Elements::I64($body),
            Elements::U32($values) => Elements::U32($body),
            Elements::U64($values) => Elements::U64($body),
        }
    };
}

impl Elements {
    /// Number of elements.
    pub fn len(&self) -> usize {
        each!(self, values => values.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Type of the elements.
    pub fn dtype(&self) -> Dtype {
        match self {
            Elements::F32(_) => Dtype::F32,
            Elements::I32(_) => Dtype::I32,
            Elements::I64(_) => Dtype::I64,
            Elements::U32(_) => Dtype::U32,
            Elements::U64(_) => Dtype::U64,
        }
    }

    /// The values as floats, if that is what they are.
    pub fn as_f32(&self) -> Option<&[f32]> {
        match self {
            Elements::F32(values) => Some(values),
            _ => None,
        }
    }

    /// So many zeros.
    pub fn zeros(dtype: Dtype, count: usize) -> Self {
        match dtype {
            Dtype::F32 => Elements::F32(vec![0.0; count]),
            Dtype::I32 => Elements::I32(vec![0; count]),
            Dtype::I64 => Elements::I64(vec![0; count]),
            Dtype::U32 => Elements::U32(vec![0; count]),
            Dtype::U64 => Elements::U64(vec![0; count]),
        }
    }

    /// The bytes of the elements, little-endian.
    pub fn to_le_bytes(&self) -> Vec<u8> {
        each!(self, values => values.iter().flat_map(|value| value.to_le_bytes()).collect())
    }

    /// Elements from little-endian bytes; a remainder shorter than one element is dropped.
    pub fn from_le_bytes(dtype: Dtype, bytes: &[u8]) -> Self {
        macro_rules! decode {
            ($type:ty) => {
                bytes
                    .as_chunks()
                    .0
                    .iter()
                    .map(|chunk| <$type>::from_le_bytes(*chunk))
                    .collect()
            };
        }
        match dtype {
            Dtype::F32 => Elements::F32(decode!(f32)),
            Dtype::I32 => Elements::I32(decode!(i32)),
            Dtype::I64 => Elements::I64(decode!(i64)),
            Dtype::U32 => Elements::U32(decode!(u32)),
            Dtype::U64 => Elements::U64(decode!(u64)),
        }
    }

    /// See [`Stored::pack`].
    pub(crate) fn pack(&self, layout: &Stored) -> Result<Self, LayoutError> {
        Ok(map!(self, values => layout.pack(values)?))
    }

    /// See [`Stored::unpack`].
    pub(crate) fn unpack(&self, layout: &Stored) -> Result<Self, LayoutError> {
        Ok(map!(self, values => layout.unpack(values)?))
    }

    /// Copies the elements into a new device buffer.
    pub(crate) fn upload(&self, runtime: &Runtime, shape: &[usize]) -> Result<Value, IreeError> {
        each!(self, values => Ok(runtime.buffer(shape, values)?.into()))
    }

    /// Copies a device buffer to the host. Integers take their signedness from `dtype`, since
    /// IREE's buffers do not keep it.
    pub(crate) fn download(value: &Value, dtype: Dtype) -> Result<Self, IreeError> {
        fn read<T: eerie::runtime::BufferElement>(
            buffer: &BufferView<T>,
        ) -> Result<Vec<T>, IreeError> {
            buffer
                .read()
                .map_err(|error| IreeError::new("read a buffer", &error))
        }
        let elements = match value {
            Value::F32(buffer) => Elements::F32(read(buffer)?),
            Value::I32(buffer) => Elements::I32(read(buffer)?),
            Value::I64(buffer) => Elements::I64(read(buffer)?),
            Value::U32(buffer) => Elements::U32(read(buffer)?),
            Value::U64(buffer) => Elements::U64(read(buffer)?),
            other => {
                return Err(IreeError {
                    action: "read a buffer",
                    message: format!("expected {dtype}, the program returned {other:?}"),
                });
            }
        };
        Ok(elements.reinterpret(dtype))
    }

    fn reinterpret(self, dtype: Dtype) -> Self {
        match (self, dtype) {
            (Elements::I32(values), Dtype::U32) => {
                Elements::U32(values.into_iter().map(i32::cast_unsigned).collect())
            }
            (Elements::I64(values), Dtype::U64) => {
                Elements::U64(values.into_iter().map(i64::cast_unsigned).collect())
            }
            (elements, _) => elements,
        }
    }
}

/// A tensor with its name.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedTensor {
    /// Name as in the manifest.
    pub name: String,
    /// Canonical shape.
    pub shape: Vec<usize>,
    /// Elements, row-major.
    pub elements: Elements,
}

impl NamedTensor {
    /// Euclidean norm of the values, in f64; NaN where one of them is.
    pub fn norm(&self) -> f64 {
        let square: f64 = match self.elements.as_f32() {
            Some(values) => values.iter().map(|&v| f64::from(v) * f64::from(v)).sum(),
            None => 0.0,
        };
        square.sqrt()
    }

    /// Row-major index and value of the first float that is NaN or infinite.
    pub fn first_non_finite(&self) -> Option<(usize, f32)> {
        let values = self.elements.as_f32()?;
        let index = values.iter().position(|value| !value.is_finite())?;
        values.get(index).map(|&value| (index, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_little_endian() {
        let elements = Elements::F32(vec![1.0, -2.5]);
        // IEEE 754: 1.0 = 3f800000, -2.5 = c0200000.
        let bytes = [0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0];
        assert_eq!(elements.to_le_bytes(), bytes);
        assert_eq!(Elements::from_le_bytes(Dtype::F32, &bytes), elements);
        assert_eq!(
            Elements::from_le_bytes(Dtype::U64, &bytes),
            Elements::U64(vec![0xc020_0000_3f80_0000])
        );
    }

    #[test]
    fn norm_and_first_fault() {
        let tensor = |values: &[f32]| NamedTensor {
            name: "w".into(),
            shape: vec![values.len()],
            elements: Elements::F32(values.to_vec()),
        };
        assert_eq!(tensor(&[3.0, 4.0]).norm(), 5.0);
        assert_eq!(tensor(&[3.0, 4.0]).first_non_finite(), None);
        let fault = tensor(&[0.0, f32::NEG_INFINITY, f32::NAN]).first_non_finite();
        assert_eq!(fault, Some((1, f32::NEG_INFINITY)));
    }
}
