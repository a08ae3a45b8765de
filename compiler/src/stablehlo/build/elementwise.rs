//! Element-wise operations, and constants shaped like a value.

use super::Builder;
use crate::stablehlo::Result;
use crate::stablehlo::function::Value;
use crate::stablehlo::literal::Literal;
use crate::stablehlo::op::{BinaryOp, Direction, Op, UnaryOp};
use crate::stablehlo::types::{ElementType, TensorType};

macro_rules! unary {
    ($($name:ident => $op:ident, $doc:literal;)*) => {
        $(
            #[doc = $doc]
            ///
            /// # Errors
            /// If the element type does not fit.
            pub fn $name(&mut self, x: Value) -> Result<Value> {
                self.push(Op::Unary(UnaryOp::$op), &[x])
            }
        )*
    };
}

macro_rules! binary {
    ($($name:ident => $op:ident, $doc:literal;)*) => {
        $(
            #[doc = $doc]
            ///
            /// # Errors
            /// If the types of the operands differ or do not fit.
            pub fn $name(&mut self, a: Value, b: Value) -> Result<Value> {
                self.push(Op::Binary(BinaryOp::$op), &[a, b])
            }
        )*
    };
}

impl Builder {
    unary! {
        abs => Abs, "|x|";
        cosine => Cosine, "cos x";
        exponential => Exponential, "e^x";
        exponential_minus_one => ExponentialMinusOne, "e^x - 1, exact near 0.";
        floor => Floor, "The largest integer that is not greater.";
        log => Log, "ln x";
        log_plus_one => LogPlusOne, "ln(1 + x), exact near 0.";
        logistic => Logistic, "1 / (1 + e^-x)";
        negate => Negate, "-x";
        rsqrt => Rsqrt, "x^(-1/2)";
        sign => Sign, "-1, 0 or 1; zeros keep their sign.";
        sine => Sine, "sin x";
        sqrt => Sqrt, "x^(1/2)";
        tanh => Tanh, "tanh x";
    }

    binary! {
        add => Add, "a + b";
        and => And, "Bitwise and.";
        divide => Divide, "a / b";
        maximum => Maximum, "The larger; NaN if either is NaN.";
        minimum => Minimum, "The smaller; NaN if either is NaN.";
        multiply => Multiply, "a b";
        or => Or, "Bitwise or.";
        power => Power, "a^b";
        shift_left => ShiftLeft, "a << b";
        shift_right_logical => ShiftRightLogical, "a >> b, filled with zeros.";
        subtract => Subtract, "a - b";
        xor => Xor, "Bitwise exclusive or.";
    }

    /// Comparison of two tensors of one type.
    ///
    /// # Errors
    /// If the types differ.
    pub fn compare(&mut self, direction: Direction, a: Value, b: Value) -> Result<Value> {
        self.push(Op::Compare(direction), &[a, b])
    }

    /// `on_true` where `predicate`, else `on_false`.
    ///
    /// # Errors
    /// If the types do not fit.
    pub fn select(&mut self, predicate: Value, on_true: Value, on_false: Value) -> Result<Value> {
        self.push(Op::Select, &[predicate, on_true, on_false])
    }

    /// `x` restricted to `min ..= max`; the bounds have its shape, or none.
    ///
    /// # Errors
    /// If the types do not fit.
    pub fn clamp(&mut self, min: Value, x: Value, max: Value) -> Result<Value> {
        self.push(Op::Clamp, &[min, x, max])
    }

    /// Conversion to another element type.
    ///
    /// # Errors
    /// None at present; for symmetry.
    pub fn convert(&mut self, x: Value, element: ElementType) -> Result<Value> {
        self.push(Op::Convert(element), &[x])
    }

    /// A constant of type `ty` with one value everywhere.
    ///
    /// # Errors
    /// None at present; for symmetry.
    pub fn splat(&mut self, value: f64, ty: TensorType) -> Result<Value> {
        self.push(Op::Constant(Literal::splat(value, ty)), &[])
    }

    /// A constant of the type of `like` with one value everywhere.
    ///
    /// # Errors
    /// None at present; for symmetry.
    pub fn splat_like(&mut self, value: f64, like: Value) -> Result<Value> {
        let ty = self.ty(like).clone();
        self.splat(value, ty)
    }

    /// A scalar constant with the element type of `like`.
    ///
    /// # Errors
    /// None at present; for symmetry.
    pub fn scalar_like(&mut self, value: f64, like: Value) -> Result<Value> {
        let ty = TensorType::scalar(self.ty(like).element);
        self.splat(value, ty)
    }
}
