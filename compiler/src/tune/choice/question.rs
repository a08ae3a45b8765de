//! Choices as programs to be timed.

use std::collections::HashMap;

use super::super::{Options, WINOGRAD, run_all};
use super::{Form, Site};
use crate::iree::Target;
use crate::stablehlo::{Builder, Function, Instruction, Module, Op, Result, Value};

/// A convolution with several forms, alone.
#[derive(Debug, Clone)]
pub struct Question {
    /// What cost tables call it.
    pub key: String,
    /// The forms; the first is taken where nothing was measured.
    pub forms: Vec<Form>,
    pub(in crate::tune) subject: Function,
}

/// The choices in the tuning of a module, each once. A weight gradient comes
/// after the convolutions that it may share work with.
///
/// # Errors
/// As [`tune_with`](super::super::tune_with).
pub fn questions(module: &Module, target: Target, options: &Options) -> Result<Vec<Question>> {
    let passes = options.passes(target)?;
    let Some(first) = passes.iter().position(|pass| pass.name == WINOGRAD) else {
        return Ok(Vec::new());
    };
    let staged = run_all(&passes[..first], module, options)?;
    let mut found: Vec<Question> = Vec::new();
    for function in &staged.functions {
        for instruction in &function.body {
            let Some(site) = site(function, instruction) else {
                continue;
            };
            if found.iter().any(|known| known.key == site.key) {
                continue;
            }
            found.push(Question {
                subject: subject(function, instruction)?,
                key: site.key,
                forms: site.forms,
            });
        }
    }
    found.sort_by_key(|question| question.key.starts_with("weight"));
    Ok(found)
}

impl Question {
    /// Name of the function in [`Question::in_form`]'s modules.
    pub const FUNCTION: &str = "subject";

    /// A module with one function, whose result is that of the convolution and
    /// of those that have an image in common with it, tuned with `form` for it.
    ///
    /// # Errors
    /// As [`tune_with`](super::super::tune_with).
    pub fn in_form(&self, form: Form, target: Target, options: &Options) -> Result<Module> {
        let mut options = options.clone();
        options.costs.insert(&self.key, [(form, 1)]);
        let passes = options.passes(target)?;
        let first = passes.iter().position(|pass| pass.name == WINOGRAD);
        let module = Module {
            name: Self::FUNCTION.to_owned(),
            functions: vec![self.subject.clone()],
            ..Module::default()
        };
        run_all(&passes[first.unwrap_or(0)..], &module, &options)
    }

    /// Shapes of the function's arguments.
    pub fn arguments(&self) -> impl Iterator<Item = &[i64]> {
        let arguments = self.subject.arguments.iter();
        arguments.map(|argument| &self.subject.ty(argument.value).shape[..])
    }
}

fn site(function: &Function, instruction: &Instruction) -> Option<Site> {
    let Op::Convolution(conv) = &instruction.op else {
        return None;
    };
    let [x, w] = instruction.operands[..] else {
        return None;
    };
    let y = &function.ty(instruction.result).shape;
    Site::of(conv, function.ty(x), function.ty(w), y)
}

/// The instruction as a function of what it reads; a weight gradient with the
/// convolutions that read the image or the cotangent, whose tiles or padded
/// copies it may use.
fn subject(function: &Function, instruction: &Instruction) -> Result<Function> {
    let gradient = site(function, instruction).is_some_and(|s| s.key.starts_with("weight"));
    let related = |other: &&Instruction| {
        let shared = other
            .operands
            .iter()
            .any(|o| instruction.operands.contains(o));
        let convolution = matches!(other.op, Op::Convolution(_));
        other.result == instruction.result || (gradient && convolution && shared)
    };
    let definitions = function.definitions();
    let mut copy = Copy {
        function,
        definitions: &definitions,
        builder: Builder::new(Function::new(Question::FUNCTION)),
        map: HashMap::new(),
    };
    let mut results = Vec::new();
    for found in function.body.iter().filter(related) {
        results.push(copy.instruction(found)?);
    }
    let mut subject = copy.builder.function;
    for result in results {
        subject.output(None, result);
    }
    Ok(subject)
}

struct Copy<'f> {
    function: &'f Function,
    definitions: &'f [Option<usize>],
    builder: Builder,
    map: HashMap<Value, Value>,
}

impl Copy<'_> {
    fn instruction(&mut self, found: &Instruction) -> Result<Value> {
        let mut operands = Vec::new();
        for &operand in &found.operands {
            operands.push(self.value(operand)?);
        }
        self.builder.push(found.op.clone(), &operands)
    }

    /// An argument, or the reversal of one, which a kernel's form may take in.
    fn value(&mut self, value: Value) -> Result<Value> {
        if let Some(&known) = self.map.get(&value) {
            return Ok(known);
        }
        let defined = self.definitions.get(value.index()).copied().flatten();
        let reversal = defined
            .and_then(|index| self.function.body.get(index))
            .filter(|found| matches!(found.op, Op::Reverse { .. }));
        let copied = match reversal {
            Some(reversal) => self.instruction(reversal)?,
            None => {
                let ty = self.function.ty(value).clone();
                self.builder.function.argument(None, ty)
            }
        };
        self.map.insert(value, copied);
        Ok(copied)
    }
}
