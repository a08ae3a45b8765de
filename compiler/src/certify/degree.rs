//! How likely a wrong formula is to pass.
//!
//! On the piece that the real values choose, every value is a polynomial in
//! the random elements, in the results of stand-ins (which look random), and
//! in inverses of earlier values. A difference of two such formulas that is
//! not the zero formula becomes, times its denominators, a polynomial that is
//! not zero, and such a one of total degree d vanishes at a random point of
//! the field with probability at most d / p (Schwartz and Zippel). Added to
//! this are the chances that two different arguments of a stand-in, or an
//! argument and zero, fall together, and that a denominator vanishes.

mod size;

use std::collections::HashMap;
use std::fmt;

use serde::Serialize;

use crate::reference::{MOST_POWER, Prime};
use crate::stablehlo::{BinaryOp, Compound, Function, Op, Reducer, Scalar, UnaryOp, Value};
use size::{Pair, Size};

/// A bound on the probability that a certificate of a wrong module says exact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Confidence {
    /// Total degree of the polynomials that are compared, denominators
    /// cleared.
    pub degree: f64,
    /// Elements that come from stand-ins for transcendental functions.
    pub stand_ins: f64,
    /// Elements that something is divided by.
    pub denominators: f64,
    /// Independent choices of the random elements.
    pub rounds: usize,
    /// The bound for what is checked at one of them.
    pub once: f64,
    /// The bound for what is checked at all of them.
    pub probability: f64,
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let points = if self.rounds == 1 { "point" } else { "points" };
        write!(
            f,
            "What is wrong passes at {} random {points} with probability at most {:.1e}, at one \
             with {:.1e} (degree {}, {} stand-ins, {} denominators, p = 2^61 - 1).",
            self.rounds,
            self.probability,
            self.once,
            self.degree,
            self.stand_ins,
            self.denominators
        )
    }
}

/// The bound for comparisons of results, and of their derivatives, of these
/// functions at `rounds` random points.
pub fn of_derivatives<'a>(
    functions: impl IntoIterator<Item = &'a Function>,
    rounds: usize,
) -> Confidence {
    let walk = Walk {
        derivatives: true,
        ..Walk::default()
    };
    // A gradient is multiplied by a random direction, or by a learning rate.
    confidence(walk, functions, Size::VARIABLE, rounds)
}

/// The bound for comparisons of results of these functions at `rounds` random
/// points.
pub fn of_results<'a>(
    functions: impl IntoIterator<Item = &'a Function>,
    rounds: usize,
) -> Confidence {
    confidence(Walk::default(), functions, Size::default(), rounds)
}

fn confidence<'a>(
    mut walk: Walk,
    functions: impl IntoIterator<Item = &'a Function>,
    factor: Size,
    rounds: usize,
) -> Confidence {
    let mut compared = Size::default();
    for function in functions {
        for size in walk.function(function) {
            compared = compared.max(size);
        }
    }
    let degree = walk.cleared(compared.times(factor));
    let p = Prime::ORDER as f64;
    let together = walk.stand_ins * (walk.stand_ins + 1.0) * walk.argument;
    let vanish: f64 = walk.denominators.iter().map(|d| d.count * d.degree).sum();
    let once = ((degree + together + vanish) / p).min(1.0);
    Confidence {
        degree,
        stand_ins: walk.stand_ins,
        denominators: walk.denominators.iter().fold(0.0, |sum, d| sum + d.count),
        rounds,
        once,
        probability: once.powi(i32::try_from(rounds).unwrap_or(i32::MAX)),
    }
}

/// Elements of one kind that something is divided by.
struct Denominator {
    count: f64,
    degree: f64,
}

#[derive(Default)]
struct Walk {
    /// Whether derivatives are compared, too.
    derivatives: bool,
    denominators: Vec<Denominator>,
    stand_ins: f64,
    /// Largest degree of an argument of a stand-in.
    argument: f64,
}

impl Walk {
    /// Degrees of what is compared.
    fn function(&mut self, function: &Function) -> Vec<Size> {
        let arguments = function.arguments.iter().map(|argument| {
            let moves = function.ty(argument.value).element.is_float();
            let size = if moves {
                Size::VARIABLE
            } else {
                Size::default()
            };
            Pair {
                value: size,
                tangent: size,
            }
        });
        let results = self.results(function, arguments.collect());
        let size = |pair: &Pair| match self.derivatives {
            true => pair.value.max(pair.tangent),
            false => pair.value,
        };
        results.iter().map(size).collect()
    }

    /// The results of a function of these arguments.
    fn results(&mut self, function: &Function, arguments: Vec<Pair>) -> Vec<Pair> {
        let mut pairs: HashMap<Value, Pair> = HashMap::new();
        let mut divisors: Vec<Value> = Vec::new();
        for (argument, pair) in function.arguments.iter().zip(arguments) {
            pairs.insert(argument.value, pair);
        }
        for instruction in &function.body {
            let operand = |i: usize| {
                let value = instruction.operands.get(i);
                value
                    .and_then(|v| pairs.get(v))
                    .copied()
                    .unwrap_or_default()
            };
            let (a, b) = (operand(0), operand(1));
            let count = function.ty(instruction.result).elements() as f64;
            let pair = match &instruction.op {
                _ if !function.ty(instruction.result).element.is_float() => Pair::default(),
                Op::Binary(BinaryOp::Multiply) | Op::DotGeneral(_) | Op::Convolution(_) => {
                    a.times(b)
                }
                Op::Binary(BinaryOp::Divide) if b.constant() => a,
                Op::Binary(BinaryOp::Divide) => {
                    let root = root(function, instruction.operands.get(1).copied());
                    if let Some(root) = root.filter(|root| !divisors.contains(root)) {
                        divisors.push(root);
                        self.divide(b.value, function.ty(root).elements() as f64);
                    }
                    let quotient = a.value.inverted();
                    Pair {
                        value: quotient,
                        tangent: a.tangent.max(quotient.times(b.tangent)).inverted(),
                    }
                }
                Op::Binary(BinaryOp::Power) => {
                    let exponent = instruction.operands.get(1);
                    let exponent = exponent.and_then(|&v| splat(function, v));
                    self.power(a, b, exponent, count)
                }
                Op::Binary(BinaryOp::Atan2) => self.atan2(a, b, count),
                Op::Reduce {
                    reducer: Reducer::Multiply,
                    ..
                }
                | Op::ReduceWindow {
                    reducer: Reducer::Multiply,
                    ..
                } => {
                    let operand = instruction.operands.first();
                    let all = operand.map_or(0, |&v| function.ty(v).elements()) as f64;
                    a.product(all).times(b)
                }
                // A cell may be updated by every update.
                Op::Scatter(scatter) if scatter.reducer == Some(Reducer::Multiply) => {
                    let updates = instruction.operands.get(2);
                    let all = updates.map_or(0, |&v| function.ty(v).elements()) as f64;
                    a.times(operand(2).product(all))
                }
                // The branch that is taken.
                Op::Compound {
                    op: op @ (Compound::Case { .. } | Compound::If { .. }),
                    result,
                } => {
                    let taken = (1..instruction.operands.len())
                        .map(operand)
                        .collect::<Vec<_>>();
                    let regions = op.regions().into_iter();
                    let results = regions.map(|region| {
                        let results = self.results(region, taken.clone());
                        results.get(*result).copied().unwrap_or_default()
                    });
                    results.fold(Pair::default(), Pair::max)
                }
                // How often the others run their regions is not known.
                Op::Compound {
                    op: Compound::Reduce { .. } | Compound::While { .. },
                    ..
                } => Pair::unbounded(),
                Op::Unary(op) => self.unary(*op, a, count),
                _ => {
                    let operands = instruction.operands.iter();
                    let sizes = operands.filter_map(|v| pairs.get(v).copied());
                    sizes.fold(Pair::default(), Pair::max)
                }
            };
            pairs.insert(instruction.result, pair);
        }
        let outputs = function.outputs.iter();
        outputs
            .map(|o| pairs.get(&o.value).copied().unwrap_or_default())
            .collect()
    }

    fn unary(&mut self, op: UnaryOp, x: Pair, count: f64) -> Pair {
        match op {
            UnaryOp::Abs | UnaryOp::Negate | UnaryOp::Not => return x,
            // Constants, which the real values choose.
            op if op.is_step() => return Pair::default(),
            _ if x.constant() => return x,
            _ => {}
        }
        self.stand_ins += count;
        self.argument = self.argument.max(self.cleared(x.value));
        let one = Size::VARIABLE;
        let (value, slope) = match op {
            UnaryOp::Log | UnaryOp::LogPlusOne | UnaryOp::Sqrt => {
                // Only the slope divides, by the argument or by twice the root.
                if self.derivatives {
                    let by = if op == UnaryOp::Sqrt { one } else { x.value };
                    self.divide(by, count);
                }
                (one, Size::default().inverted())
            }
            UnaryOp::Rsqrt => {
                self.divide(one, count);
                let inverse = Size::default().inverted();
                (inverse, inverse.times(inverse).times(inverse))
            }
            UnaryOp::Cbrt => {
                let squared = one.times(one);
                self.divide(squared, count);
                (one, Size::default().inverted())
            }
            // The quotient of two stand-ins.
            UnaryOp::Tan => {
                self.stand_ins += count;
                self.divide(one, count);
                let value = one.inverted();
                (value, value.times(value))
            }
            // Quotients of polynomials in the stand-in for e^x.
            UnaryOp::Tanh | UnaryOp::Logistic => {
                let squared = one.times(one);
                self.divide(squared, count);
                let value = squared.inverted();
                (value, value.times(value))
            }
            _ => (one, one),
        };
        Pair {
            value,
            tangent: slope.times(x.tangent),
        }
    }

    /// x^n for the whole part n of the exponent, times a stand-in of a stand-in
    /// for the rest. Of an exponent that is not constant nothing is known but
    /// that larger whole parts than [`MOST_POWER`] are left to the rest.
    fn power(&mut self, x: Pair, y: Pair, exponent: Option<f64>, count: f64) -> Pair {
        let whole = exponent.map_or(MOST_POWER, f64::floor);
        let is_whole = exponent == Some(whole);
        let whole = if whole.abs() <= MOST_POWER {
            whole
        } else {
            0.0
        };
        if is_whole && whole >= 1.0 {
            let slope = x.value.power(whole - 1.0);
            return Pair {
                value: x.value.power(whole),
                tangent: slope.times(x.tangent),
            };
        }
        self.divide(x.value, count);
        let mut value = x.value.power(whole.abs());
        if whole < 0.0 || exponent.is_none() {
            value.inverses += whole.abs();
        }
        if !is_whole {
            // The logarithm, and the exponential of a multiple of it.
            self.stand_ins += 2.0 * count;
            let log = Size::VARIABLE.times(y.value);
            let degree = self.cleared(x.value).max(self.cleared(log));
            self.argument = self.argument.max(degree);
            value = value.times(Size::VARIABLE);
        }
        let by_base = value.times(y.value).inverted().times(x.tangent);
        let by_exponent = value.times(Size::VARIABLE).times(y.tangent);
        let tangent = if y.constant() {
            by_base
        } else {
            by_base.max(by_exponent)
        };
        Pair { value, tangent }
    }

    fn atan2(&mut self, y: Pair, x: Pair, count: f64) -> Pair {
        let sides = y.max(x);
        self.stand_ins += count;
        self.argument = self.argument.max(self.cleared(sides.value));
        self.divide(sides.value.power(2.0), count);
        Pair {
            value: Size::VARIABLE,
            tangent: sides.value.inverted().times(sides.tangent),
        }
    }

    fn divide(&mut self, by: Size, count: f64) {
        let degree = self.cleared(by);
        self.denominators.push(Denominator { count, degree });
    }

    /// Total degree after multiplication by the denominators, each to the
    /// highest power at which its inverse can stand.
    fn cleared(&self, size: Size) -> f64 {
        if size.inverses == 0.0 {
            return size.variables;
        }
        let all: f64 = self.denominators.iter().map(|d| d.count * d.degree).sum();
        size.variables + size.inverses * all
    }
}

/// The value of all elements of `value`, if it is constant.
fn splat(function: &Function, value: Value) -> Option<f64> {
    let instruction = function.body.iter().find(|i| i.result == value)?;
    match &instruction.op {
        Op::Constant(literal) => literal.splat_value().map(Scalar::as_f64),
        Op::BroadcastInDim { .. } | Op::Reshape { .. } => {
            splat(function, *instruction.operands.first()?)
        }
        _ => None,
    }
}

/// The value whose elements `value` repeats.
fn root(function: &Function, value: Option<Value>) -> Option<Value> {
    let value = value?;
    let definition = function.body.iter().find(|i| i.result == value);
    match definition {
        Some(instruction) => match &instruction.op {
            Op::BroadcastInDim { .. } | Op::Reshape { .. } | Op::Transpose { .. } => {
                root(function, instruction.operands.first().copied())
            }
            Op::Constant(literal) if literal.splat_value().map(Scalar::as_f64).is_some() => None,
            _ => Some(value),
        },
        None => Some(value),
    }
}

#[cfg(test)]
mod tests;
