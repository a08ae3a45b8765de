//! Edits of a function that keep it well-typed.

use cnnc::stablehlo::{
    Builder, Convolution, Direction, Function, Instruction, Module, Op, Result, Value,
};

/// The function called `name`.
pub fn function<'m>(module: &'m mut Module, name: &str) -> &'m mut Function {
    let mut functions = module.functions.iter_mut();
    let function = functions.find(|f| f.name == name);
    function.unwrap_or_else(|| panic!("no @{name}"))
}

/// Edits; instructions are meant by their place in the body.
pub trait Edit {
    /// The `nth` (from the end, if negative) of the instructions that
    /// `matches` accepts.
    fn find(&self, nth: isize, matches: impl Fn(&Instruction) -> bool) -> usize;
    /// The instruction that defines an operand.
    fn operand(&self, at: usize, place: usize) -> usize;
    /// The instruction that defines the result called `name`.
    fn result(&self, name: &str) -> usize;
    /// Changes the operation.
    fn set(&mut self, at: usize, change: impl FnOnce(&mut Op));
    /// Leaves an instruction out: its users get one of its operands.
    fn bypass(&mut self, at: usize, place: usize);
    /// Puts something between an instruction and its users.
    fn insert(&mut self, at: usize, make: impl FnOnce(&mut Builder, &Instruction) -> Result<Value>);
    /// Gives an instruction a constant of its own as an operand.
    fn constant(&mut self, at: usize, place: usize, value: f64);
    /// Returns each of two results as the other.
    fn swap_results(&mut self, a: &str, b: &str);
    /// Returns an argument in place of a result.
    fn return_argument(&mut self, result: &str, argument: &str);

    /// [`Edit::find`] by the name of the operation.
    fn named(&self, op: &str, nth: isize) -> usize {
        self.find(nth, |i| i.op.name() == op)
    }

    /// A relu's mask, the last layer's first.
    fn mask(&self, nth: isize) -> usize {
        self.find(nth, |i| i.op == Op::Compare(Direction::Gt))
    }

    /// The selection by that mask.
    fn masked(&self, nth: isize) -> usize;

    /// Changes the attributes of a convolution.
    fn set_convolution(&mut self, at: usize, change: impl FnOnce(&mut Convolution)) {
        self.set(at, |op| match op {
            Op::Convolution(conv) => change(conv),
            other => panic!("{} is no convolution", other.name()),
        });
    }
}

impl Edit for Function {
    fn find(&self, nth: isize, matches: impl Fn(&Instruction) -> bool) -> usize {
        let body = self.body.iter().enumerate();
        let all: Vec<usize> = body.filter(|(_, i)| matches(i)).map(|(at, _)| at).collect();
        let count = all.len() as isize;
        let place = if nth < 0 { nth + count } else { nth };
        assert!(
            (0..count).contains(&place),
            "@{}: {nth} of {count}",
            self.name
        );
        all[place as usize]
    }

    fn operand(&self, at: usize, place: usize) -> usize {
        let value = self.body[at].operands[place];
        self.find(0, |i| i.result == value)
    }

    fn result(&self, name: &str) -> usize {
        let output = self
            .outputs
            .iter()
            .find(|o| o.name.as_deref() == Some(name));
        let value = output.unwrap_or_else(|| panic!("no result {name}")).value;
        self.find(0, |i| i.result == value)
    }

    fn set(&mut self, at: usize, change: impl FnOnce(&mut Op)) {
        change(&mut self.body[at].op);
    }

    fn bypass(&mut self, at: usize, place: usize) {
        let (result, operand) = (self.body[at].result, self.body[at].operands[place]);
        redirect(self, at, result, operand);
        self.body.remove(at);
    }

    fn insert(
        &mut self,
        at: usize,
        make: impl FnOnce(&mut Builder, &Instruction) -> Result<Value>,
    ) {
        let instruction = self.body[at].clone();
        let value = build(self, at, |b| make(b, &instruction));
        redirect(self, at, instruction.result, value);
    }

    fn constant(&mut self, at: usize, place: usize, value: f64) {
        let old = self.operand(at, place);
        let ty = self.ty(self.body[old].result).clone();
        let constant = build(self, old, |b| b.splat(value, ty));
        self.body[at + 1].operands[place] = constant;
    }

    fn swap_results(&mut self, a: &str, b: &str) {
        let place = |name: &str| {
            let named = |o: &cnnc::stablehlo::Output| o.name.as_deref() == Some(name);
            let place = self.outputs.iter().position(named);
            place.unwrap_or_else(|| panic!("no result {name}"))
        };
        let (a, b) = (place(a), place(b));
        let first = self.outputs[a].value;
        self.outputs[a].value = self.outputs[b].value;
        self.outputs[b].value = first;
    }

    fn return_argument(&mut self, result: &str, argument: &str) {
        let named = |a: &&cnnc::stablehlo::Argument| a.name.as_deref() == Some(argument);
        let value = self
            .arguments
            .iter()
            .find(named)
            .expect("an argument")
            .value;
        let named = |o: &&mut cnnc::stablehlo::Output| o.name.as_deref() == Some(result);
        self.outputs.iter_mut().find(named).expect("a result").value = value;
    }

    fn masked(&self, nth: isize) -> usize {
        let mask = self.body[self.mask(nth)].result;
        self.find(0, |i| i.op == Op::Select && i.operands[0] == mask)
    }
}

/// Builds instructions behind the one at `at`.
fn build(f: &mut Function, at: usize, make: impl FnOnce(&mut Builder) -> Result<Value>) -> Value {
    let end = f.body.len();
    let mut builder = Builder::new(std::mem::take(f));
    builder.location = builder.function.body[at].location.clone();
    let value = make(&mut builder).expect("well-typed instructions");
    *f = builder.function;
    let made: Vec<Instruction> = f.body.drain(end..).collect();
    f.body.splice(at + 1..at + 1, made);
    value
}

/// Gives `to` to the users of `from` that come after it.
fn redirect(f: &mut Function, at: usize, from: Value, to: Value) {
    let start = match f.body.iter().position(|i| i.result == to) {
        Some(place) => place.max(at) + 1,
        None => at + 1,
    };
    let operands = f.body[start..].iter_mut().flat_map(|i| &mut i.operands);
    let outputs = f.outputs.iter_mut().map(|o| &mut o.value);
    for value in operands.chain(outputs).filter(|value| **value == from) {
        *value = to;
    }
}
