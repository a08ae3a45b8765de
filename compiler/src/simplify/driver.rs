//! The driver of rewrites: it copies a function instruction by instruction and
//! asks each rewrite for a replacement. A rewrite reads and proposes; the
//! driver applies, checks that the type is kept, and names the rewrite in
//! every failure.

use crate::stablehlo::{Builder, Error, Function, Instruction, Op, Reducer, Result, Scalar, Value};

/// The most rounds over a function; more would mean a loop of rewrites.
const ROUNDS: usize = 64;

/// What may replace an instruction.
pub type Pattern<'a> = dyn Fn(&mut Matcher, &Instruction) -> Result<Option<Value>> + 'a;

/// A named rewrite.
#[derive(Clone, Copy)]
pub struct Rewrite<'a> {
    /// For people: `family-what-happens`.
    pub name: &'static str,
    /// A replacement for the instruction, or `None`.
    pub apply: &'a Pattern<'a>,
}

/// The function so far, with look-up from values to instructions.
pub struct Matcher {
    /// Where replacements are built.
    pub builder: Builder,
    /// Shape of the result of the instruction being matched.
    pub result_shape: Vec<i64>,
    definitions: Vec<Option<usize>>,
}

impl Matcher {
    /// The instruction that defines `value`; `None` for arguments.
    pub fn definition(&mut self, value: Value) -> Option<Instruction> {
        let body = &self.builder.function.body;
        for (index, instruction) in body.iter().enumerate().skip(self.known()) {
            let slot = instruction.result.index();
            if self.definitions.len() <= slot {
                self.definitions.resize(slot + 1, None);
            }
            self.definitions[slot] = Some(index);
        }
        let index = (*self.definitions.get(value.index())?)?;
        body.get(index).cloned()
    }

    /// Number of instructions already entered in the table.
    fn known(&self) -> usize {
        self.definitions
            .iter()
            .rev()
            .flatten()
            .next()
            .map_or(0, |index| index + 1)
    }

    /// Operands of the instruction that defines `value`, if `matches` accepts
    /// its operation.
    pub fn operands_if(&mut self, value: Value, matches: fn(&Op) -> bool) -> Option<Vec<Value>> {
        let instruction = self.definition(value)?;
        matches(&instruction.op).then_some(instruction.operands)
    }

    /// The value of all elements of `value`, if it is a constant or the
    /// broadcast of one.
    pub fn splat(&mut self, value: Value) -> Option<f64> {
        let instruction = self.definition(value)?;
        match &instruction.op {
            Op::Constant(literal) => literal.splat_value().map(Scalar::as_f64),
            Op::BroadcastInDim { .. } => self.splat(instruction.operands[0]),
            _ => None,
        }
    }

    /// The dimensions over which an instruction sums, from zero.
    pub fn summed<'i>(&mut self, instruction: &'i Instruction) -> Option<&'i [usize]> {
        match &instruction.op {
            Op::Reduce {
                reducer: Reducer::Add,
                dims,
            } if self.splat(instruction.operands[1]) == Some(0.0) => Some(dims),
            _ => None,
        }
    }

    /// The scalar that `value` repeats, if it is the broadcast of one.
    pub fn repeated_scalar(&mut self, value: Value) -> Option<Value> {
        let instruction = self.definition(value)?;
        let operand = *instruction.operands.first()?;
        let broadcast = matches!(instruction.op, Op::BroadcastInDim { .. });
        (broadcast && self.builder.ty(operand).rank() == 0).then_some(operand)
    }
}

/// One round: each instruction is copied or replaced. Returns the function
/// and whether anything was replaced.
///
/// # Errors
/// If a rewrite fails or changes a type.
pub fn rewrite_once(function: &Function, rewrites: &[Rewrite]) -> Result<(Function, bool)> {
    let mut target = Function::new(function.name.clone());
    target.attributes = function.attributes.clone();
    let mut map: Vec<Option<Value>> = vec![None; function.value_count()];
    for argument in &function.arguments {
        let value = target.argument(
            argument.name.as_deref(),
            function.ty(argument.value).clone(),
        );
        map[argument.value.index()] = Some(value);
    }
    let mut matcher = Matcher {
        builder: Builder::new(target),
        result_shape: Vec::new(),
        definitions: Vec::new(),
    };
    let mut changed = false;
    for instruction in &function.body {
        let mapped = Instruction {
            operands: instruction
                .operands
                .iter()
                .filter_map(|o| map[o.index()])
                .collect(),
            ..instruction.clone()
        };
        matcher.builder.location = instruction.location.clone();
        let expected = function.ty(instruction.result);
        matcher.result_shape = expected.shape.clone();
        let mut value = None;
        for rewrite in rewrites {
            value = (rewrite.apply)(&mut matcher, &mapped)?;
            if let Some(value) = value {
                changed = true;
                if matcher.builder.ty(value) != expected {
                    return Err(Error::Pass {
                        pass: rewrite.name,
                        message: format!("gave {} for {expected}", matcher.builder.ty(value)),
                        location: instruction.location.clone(),
                    });
                }
                break;
            }
        }
        let value = match value {
            Some(value) => value,
            None => {
                let value = matcher.builder.push(mapped.op, &mapped.operands)?;
                if instruction.stop_gradient
                    && let Some(last) = matcher.builder.function.body.last_mut()
                {
                    last.stop_gradient = true;
                }
                value
            }
        };
        map[instruction.result.index()] = Some(value);
    }
    let mut target = matcher.builder.function;
    for output in &function.outputs {
        if let Some(value) = map[output.value.index()] {
            target.output(output.name.as_deref(), value);
        }
    }
    Ok((target, changed))
}

/// Applies rewrites until none fires, in the functions that operations run,
/// too.
///
/// # Errors
/// If a rewrite fails, or they do not come to rest.
pub fn rewrite(function: &Function, rewrites: &[Rewrite]) -> Result<Function> {
    let mut current = function.map_regions(|region| rewrite(region, rewrites))?;
    for _ in 0..ROUNDS {
        let (next, changed) = rewrite_once(&current, rewrites)?;
        // What a replacement made useless must not be matched again.
        current = super::drop_unused(&next);
        if !changed {
            return Ok(current);
        }
    }
    Err(Error::Pass {
        pass: "simplify",
        message: format!(
            "`@{}` does not come to rest in {ROUNDS} rounds",
            function.name
        ),
        location: crate::stablehlo::Location::UNKNOWN,
    })
}
