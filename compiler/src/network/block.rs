//! Blocks: their arguments, and their expansion where they are used.

use super::codes::{expansion, names, options};
use super::definitions::DefinitionId;
use super::expander::Expander;
use super::frame::Frame;
use super::instance::IdentityId;
use super::value::{LayerId, Operand, Value};
use super::waiting::{Block, Waiting, What};
use cnnc_grammar::ast::{self, Argument, Body, Hyper, Name, Statement};
use cnnc_grammar::diagnostics::nearest;
use cnnc_grammar::{Diagnostic, Span};
use std::collections::{BTreeMap, VecDeque};

/// Blocks inside one another.
const DEEPEST: usize = 64;

/// The arguments of a use, sorted.
#[derive(Default)]
struct Sorted {
    operands: Vec<Operand>,
    named: Vec<(usize, Operand, Span)>,
    hypers: BTreeMap<String, (Option<Value>, Span)>,
    /// Hyper-parameters that were given without a name.
    unnamed: usize,
    /// Whether a name is not known.
    misspelt: bool,
}

impl Expander<'_> {
    /// The block or net `id` with these arguments.
    pub(super) fn block_layer(
        &mut self,
        id: DefinitionId,
        callee: &Name,
        arguments: &[Argument],
        span: Span,
    ) -> Option<LayerId> {
        let defined = *self.definitions.get(id)?;
        let name = defined.ast.name.text.as_str();
        let before = self.faults;
        let mut sorted = Sorted::default();
        for argument in arguments {
            self.sort(defined.ast, argument, &mut sorted);
        }
        let inputs = inputs(&defined.ast.body).count();
        // One that uses itself, perhaps in a default, or has no input has been
        // reported.
        if defined.recursive || inputs == 0 {
            return None;
        }
        let identity = self.identity(span, name);
        let instance = self.instances.inside(identity);
        // Defaults see the names of the block, not those around its use.
        let frame = Frame {
            file: defined.file,
            instance,
            name: name.to_string(),
            used: Some(span),
            fed: Some(VecDeque::new()),
            scope: BTreeMap::new(),
            rounds: Vec::new(),
        };
        let hypers = self.in_frame(frame, |expander| {
            let mut hypers = Vec::new();
            for hyper in &defined.ast.hypers {
                let given = sorted.hypers.get(&hyper.name.text);
                let value = match (given, &hyper.default) {
                    (Some((value, _)), _) => value.clone(),
                    (None, Some(default)) => expander.hyper_value(&hyper.name.text, default),
                    // A misspelt name may well be the missing one.
                    (None, None) if sorted.misspelt => None,
                    (None, None) => {
                        expander.report_missing_hyper(defined.ast, hyper, callee.span);
                        None
                    }
                };
                expander.declare(&hyper.name, value.clone());
                hypers.push((hyper.name.clone(), value));
            }
            hypers
        });
        if self.faults > before {
            return None;
        }
        let named = sorted.named.iter();
        let what = What::Block(Block {
            definition: id,
            hypers,
            named: named
                .map(|(index, operand, _)| (*index, *operand))
                .collect(),
            inputs,
        });
        Some(self.wait(Waiting {
            what,
            operands: sorted.operands,
            span,
            identity,
        }))
    }

    /// Puts an argument where it belongs: a tensor feeds an input, another value
    /// is a hyper-parameter.
    fn sort(&mut self, block: &ast::Definition, argument: &Argument, sorted: &mut Sorted) {
        let Some(name) = &argument.name else {
            let value = self.eval(&argument.value);
            if let Some(operand) = value.as_ref().and_then(Value::operand) {
                sorted.operands.push(operand);
                return;
            }
            let Some(hyper) = block.hypers.get(sorted.unnamed) else {
                self.report_too_many_values(block, argument);
                return;
            };
            sorted.unnamed += 1;
            self.give(block, &hyper.name.text, value, argument, sorted);
            return;
        };
        let text = name.text.as_str();
        let input = inputs(&block.body).position(|input| input.name.text == text);
        if let Some(index) = input {
            let value = self.eval(&argument.value);
            let operand = value.as_ref().and_then(Value::operand);
            let known = sorted.named.iter().find(|(known, _, _)| *known == index);
            match (operand, known) {
                (_, Some((_, _, first))) => {
                    let first = *first;
                    self.report_twice(block, text, argument.span, first);
                }
                (Some(operand), None) => sorted.named.push((index, operand, argument.span)),
                (None, None) => {
                    if let Some(value) = value {
                        self.report(Diagnostic::new(
                            names::WRONG_SORT,
                            format!("the input `{text}` cannot be {}", value.describe()),
                            argument.value.span,
                            "expected a tensor",
                        ));
                    }
                    self.faults += 1;
                }
            }
            return;
        }
        if !block.hypers.iter().any(|hyper| hyper.name.text == text) {
            self.report_unknown_hyper(block, name);
            sorted.misspelt = true;
            return;
        }
        let value = self.hyper_value(text, &argument.value);
        self.give(block, text, value, argument, sorted);
    }

    fn give(
        &mut self,
        block: &ast::Definition,
        hyper: &str,
        value: Option<Value>,
        argument: &Argument,
        sorted: &mut Sorted,
    ) {
        if let Some((_, first)) = sorted.hypers.get(hyper) {
            self.report_twice(block, hyper, argument.span, *first);
            return;
        }
        if value.is_none() {
            self.faults += 1;
        }
        sorted
            .hypers
            .insert(hyper.to_string(), (value, argument.span));
    }

    /// Expands the body of a block that is fed `operands`.
    pub(super) fn expand(
        &mut self,
        block: &Block,
        identity: IdentityId,
        operands: Vec<Operand>,
        span: Span,
    ) -> Option<Value> {
        let defined = *self.definitions.get(block.definition)?;
        let name = defined.ast.name.text.as_str();
        self.step(span)?;
        if self.frames.len() > DEEPEST {
            self.report(
                Diagnostic::new(
                    expansion::LIMIT,
                    format!("`{name}` is nested too deeply in other blocks"),
                    span,
                    "too deep",
                )
                .with_note(format!("blocks may stand {DEEPEST} deep in one another")),
            );
            return None;
        }
        if operands.len() != block.free() {
            let count = operands.len() + block.named.len();
            let takes = match block.inputs {
                1 => "1 tensor".to_string(),
                inputs => format!("{inputs} tensors"),
            };
            self.report_tensor_count(name, &takes, count, span);
            return None;
        }
        let mut free = operands.into_iter();
        let fed: VecDeque<Operand> = (0..block.inputs)
            .filter_map(|index| {
                let named = block.named.iter().find(|(known, _)| *known == index);
                named.map(|(_, operand)| *operand).or_else(|| free.next())
            })
            .collect();
        let instance = self.instances.inside(identity);
        self.instances.apply(identity);
        let frame = Frame {
            file: defined.file,
            instance,
            name: name.to_string(),
            used: Some(span),
            fed: Some(fed),
            scope: BTreeMap::new(),
            rounds: Vec::new(),
        };
        self.in_frame(frame, |expander| {
            for (name, value) in &block.hypers {
                expander.declare(name, value.clone());
            }
            let value = expander.body_value(&defined.ast.body)?;
            if value.operand().is_some() {
                return Some(value);
            }
            let place = defined.ast.body.result.as_ref();
            expander.report(
                Diagnostic::new(
                    names::WRONG_SORT,
                    format!(
                        "the value of a block is a tensor, but this is {}",
                        value.describe()
                    ),
                    place.map_or(defined.ast.name.span, |result| result.span),
                    "expected a tensor",
                )
                .with_hint("feed it, as in `x |> ...`"),
            );
            None
        })
    }

    fn report_missing_hyper(&mut self, block: &ast::Definition, hyper: &Hyper, use_span: Span) {
        let (block, name) = (&block.name.text, &hyper.name.text);
        let error = Diagnostic::new(
            options::MISSING_OPTION,
            format!("`{block}` needs `{name}`"),
            use_span,
            format!("`{name}` is missing"),
        )
        .with_place(hyper.span, "has no default")
        .with_hint(format!("write `{block}({name}=...)`"));
        // The place of the use is the error's own.
        let frame = self.frames.pop();
        self.report(error);
        self.frames.extend(frame);
    }

    fn report_unknown_hyper(&mut self, block: &ast::Definition, name: &Name) {
        let known: Vec<&str> = block
            .hypers
            .iter()
            .map(|hyper| hyper.name.text.as_str())
            .chain(inputs(&block.body).map(|input| input.name.text.as_str()))
            .collect();
        let error = Diagnostic::new(
            options::UNKNOWN_OPTION,
            format!("`{}` has no option `{}`", block.name.text, name.text),
            name.span,
            "unknown option",
        )
        .with_place(block.name.span, "defined here");
        self.report(match nearest(&name.text, known.iter().copied()) {
            Some(near) => error.with_hint(format!("did you mean `{near}`?")),
            None if known.is_empty() => error,
            None => error.with_hint(format!("it takes `{}`", known.join("`, `"))),
        });
    }

    fn report_too_many_values(&mut self, block: &ast::Definition, argument: &Argument) {
        let name = &block.name.text;
        let hypers: Vec<&str> = block
            .hypers
            .iter()
            .map(|hyper| hyper.name.text.as_str())
            .collect();
        let (count, note) = match hypers.as_slice() {
            [] => ("no values".to_string(), "no hyper-parameters".to_string()),
            [only] => ("1 value".to_string(), format!("`{only}`")),
            all => (
                format!("{} values", all.len()),
                format!("`{}`", all.join("`, `")),
            ),
        };
        self.report(
            Diagnostic::new(
                options::ARGUMENT_COUNT,
                format!("`{name}` takes {count} beside its tensors"),
                argument.span,
                "one too many",
            )
            .with_place(block.name.span, format!("has {note}")),
        );
    }

    fn report_twice(&mut self, block: &ast::Definition, name: &str, again: Span, first: Span) {
        self.report(
            Diagnostic::new(
                options::TWICE,
                format!("`{name}` of `{}` is given twice", block.name.text),
                again,
                "given again",
            )
            .with_place(first, "given first"),
        );
    }
}

/// The inputs of a definition.
pub(super) fn inputs(body: &Body) -> impl Iterator<Item = &ast::Input> {
    body.statements
        .iter()
        .filter_map(|statement| match statement {
            Statement::Input(input) => Some(input),
            _ => None,
        })
}
