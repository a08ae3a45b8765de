//! Element-wise operations.

use std::cmp::Ordering;

/// Element-wise operations of one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// |x|
    Abs,
    /// x^(1/3), negative for negative x.
    Cbrt,
    /// The least integer that is not less.
    Ceil,
    /// cos x
    Cosine,
    /// Number of zero bits before the first one.
    CountLeadingZeros,
    /// e^x
    Exponential,
    /// e^x - 1
    ExponentialMinusOne,
    /// The largest integer that is not greater.
    Floor,
    /// Whether x is neither infinite nor NaN.
    IsFinite,
    /// ln x
    Log,
    /// ln (1 + x)
    LogPlusOne,
    /// 1 / (1 + e^-x)
    Logistic,
    /// -x
    Negate,
    /// Bitwise or logical complement.
    Not,
    /// Number of bits that are one.
    Popcnt,
    /// The nearest integer, halves away from zero.
    RoundNearestAfz,
    /// The nearest integer, halves to the even one.
    RoundNearestEven,
    /// x^(-1/2)
    Rsqrt,
    /// -1, 0 or 1; zeros keep their sign, NaN is NaN.
    Sign,
    /// sin x
    Sine,
    /// x^(1/2)
    Sqrt,
    /// tan x
    Tan,
    /// tanh x
    Tanh,
}

impl UnaryOp {
    /// Whether the result is constant between jumps, so that its derivative is
    /// zero wherever there is one.
    pub fn is_step(self) -> bool {
        matches!(
            self,
            UnaryOp::Ceil
                | UnaryOp::Floor
                | UnaryOp::RoundNearestAfz
                | UnaryOp::RoundNearestEven
                | UnaryOp::Sign
        )
    }
}

/// Element-wise operations of two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// a + b
    Add,
    /// Bitwise or logical and.
    And,
    /// The angle of the point (b, a).
    Atan2,
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
    /// a^b
    Power,
    /// a - b q, where q is a / b rounded towards zero.
    Remainder,
    /// a << b
    ShiftLeft,
    /// a >> b, filled with the sign.
    ShiftRightArithmetic,
    /// a >> b, filled with zeros.
    ShiftRightLogical,
    /// a - b
    Subtract,
    /// Bitwise or logical exclusive or.
    Xor,
}

impl BinaryOp {
    /// Whether it works on bits, which floating-point numbers do not show.
    pub fn is_bitwise(self) -> bool {
        matches!(
            self,
            BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Xor
                | BinaryOp::ShiftLeft
                | BinaryOp::ShiftRightArithmetic
                | BinaryOp::ShiftRightLogical
        )
    }

    /// Whether a and b may change places.
    pub fn commutes(self) -> bool {
        matches!(
            self,
            BinaryOp::Add
                | BinaryOp::And
                | BinaryOp::Maximum
                | BinaryOp::Minimum
                | BinaryOp::Multiply
                | BinaryOp::Or
                | BinaryOp::Xor
        )
    }
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

impl Direction {
    /// Whether it holds of two values in this order.
    pub fn holds(self, order: Ordering) -> bool {
        match self {
            Direction::Eq => order.is_eq(),
            Direction::Ne => order.is_ne(),
            Direction::Ge => order.is_ge(),
            Direction::Gt => order.is_gt(),
            Direction::Le => order.is_le(),
            Direction::Lt => order.is_lt(),
        }
    }
}

names!(UnaryOp {
    Abs => "abs", Cbrt => "cbrt", Ceil => "ceil", Cosine => "cosine",
    CountLeadingZeros => "count_leading_zeros", Exponential => "exponential",
    ExponentialMinusOne => "exponential_minus_one", Floor => "floor", IsFinite => "is_finite",
    Log => "log", LogPlusOne => "log_plus_one", Logistic => "logistic", Negate => "negate",
    Not => "not", Popcnt => "popcnt", RoundNearestAfz => "round_nearest_afz",
    RoundNearestEven => "round_nearest_even", Rsqrt => "rsqrt", Sign => "sign", Sine => "sine",
    Sqrt => "sqrt", Tan => "tan", Tanh => "tanh",
});
names!(BinaryOp {
    Add => "add", And => "and", Atan2 => "atan2", Divide => "divide", Maximum => "maximum",
    Minimum => "minimum", Multiply => "multiply", Or => "or", Power => "power",
    Remainder => "remainder", ShiftLeft => "shift_left",
    ShiftRightArithmetic => "shift_right_arithmetic", ShiftRightLogical => "shift_right_logical",
    Subtract => "subtract", Xor => "xor",
});
names!(Direction { Eq => "EQ", Ne => "NE", Ge => "GE", Gt => "GT", Le => "LE", Lt => "LT" });
