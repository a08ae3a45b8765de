//! Regions as closed functions: what they use of the function around them
//! becomes an argument, and an operand of their operation.

use std::collections::{HashMap, HashSet};

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, RegionLike, RegionRef};

use super::block::{Reading, address};
use super::{location, text_of};
use crate::stablehlo::Result;
use crate::stablehlo::error::Error;
use crate::stablehlo::function::{Function, Location, Value};
use crate::stablehlo::mlir::spelled::{Kind, Texts};
use crate::stablehlo::op::{Compound, Op, Region};
use crate::stablehlo::types::TensorType;

/// How deep regions may lie in each other.
const MOST_DEPTH: usize = 64;

/// A value from around a region: its address, and its type.
pub(super) struct Captured {
    address: usize,
    ty: TensorType,
}

impl<'c, 'a> Reading<'_, 'c, 'a> {
    /// The region as a function of its block's arguments and of `captured`.
    pub(super) fn region(
        &self,
        region: RegionRef<'c, 'a>,
        captured: &[Captured],
        place: &Location,
    ) -> Result<Function> {
        let refuse = |message: String| Error::Syntax {
            message,
            location: place.clone(),
        };
        if self.depth == MOST_DEPTH {
            return Err(refuse(format!("regions lie deeper than {MOST_DEPTH}")));
        }
        let block = region
            .first_block()
            .ok_or_else(|| refuse("a region has no block".to_owned()))?;
        let mut inner = Reading {
            function: Function::new("region"),
            library: self.library,
            values: HashMap::new(),
            calls: self.calls.clone(),
            depth: self.depth + 1,
        };
        for index in 0..block.argument_count() {
            inner.argument(block, index, None, place)?;
        }
        for captured in captured {
            let value = inner.function.argument(None, captured.ty.clone());
            inner.values.insert(captured.address, value);
        }
        for value in inner.block(block)? {
            inner.function.output(None, value);
        }
        Ok(inner.function)
    }

    /// Reads an operation with several results or with regions.
    pub(super) fn compound(
        &mut self,
        operation: OperationRef<'c, 'a>,
        kind: Kind,
        texts: &Texts,
        mut operands: Vec<Value>,
        types: &[TensorType],
        place: Location,
    ) -> Result<()> {
        let name = text_of(operation.name());
        let mut captured = Vec::new();
        for (address, user, place) in captures(operation) {
            let value = self.value(address, &user, &place)?;
            let ty = self.function.ty(value).clone();
            captured.push(Captured { address, ty });
            operands.push(value);
        }
        let mut regions = Vec::new();
        for region in operation.regions() {
            regions.push(self.region(region, &captured, &place)?);
        }
        if let (Kind::While, Some(body)) = (kind, regions.get_mut(1)) {
            // What a loop uses goes round with it.
            let around = body.arguments.len().saturating_sub(captured.len());
            let values: Vec<Value> = body.arguments[around..].iter().map(|a| a.value).collect();
            for value in values {
                body.output(None, value);
            }
        }
        let rank = operands.first().map_or(0, |&v| self.function.ty(v).rank());
        let regions: Vec<Region> = regions.into_iter().map(Region::new).collect();
        let op = kind
            .operation(regions, texts, rank)
            .map_err(|message| Error::Syntax {
                message: format!("`{name}`: {message}"),
                location: place.clone(),
            })?;
        self.check_results(&op, &operands, types.len(), &place)?;
        for (result, ty) in types.iter().enumerate() {
            let op = op.clone();
            let op = Op::Compound { op, result };
            self.push(operation, op, &operands, ty, &place, result)?;
        }
        Ok(())
    }

    /// Refuses a number of results that is not that of the operation.
    fn check_results(
        &self,
        op: &Compound,
        operands: &[Value],
        found: usize,
        place: &Location,
    ) -> Result<()> {
        let types: Vec<&TensorType> = operands.iter().map(|&v| self.function.ty(v)).collect();
        let message = match crate::stablehlo::infer::result_types(op, &types) {
            Ok(types) if types.len() == found => return Ok(()),
            // The values that go round a loop are more than the text shows.
            Ok(types) if matches!(op, Compound::While { .. }) && types.len() > found => {
                return Ok(());
            }
            Ok(types) => format!("has {} results, but the text says {found}", types.len()),
            Err(message) => message,
        };
        Err(Error::Constraint {
            op: op.name(),
            message,
            location: place.clone(),
        })
    }
}

/// Whether regions of `operation` use values of the function around it.
pub(super) fn uses_more(operation: OperationRef<'_, '_>) -> bool {
    !captures(operation).is_empty()
}

/// The addresses of values that regions of `operation` use and do not define,
/// each with its first user, in the order of these.
fn captures(operation: OperationRef<'_, '_>) -> Vec<(usize, String, Location)> {
    let mut walk = Captures {
        defined: HashSet::new(),
        found: Vec::new(),
    };
    walk.regions(operation);
    walk.found
}

struct Captures {
    /// What is defined inside, or was found already.
    defined: HashSet<usize>,
    found: Vec<(usize, String, Location)>,
}

impl Captures {
    fn regions(&mut self, operation: OperationRef<'_, '_>) {
        for region in operation.regions() {
            let Some(block) = region.first_block() else {
                continue;
            };
            for index in 0..block.argument_count() {
                if let Ok(argument) = block.argument(index) {
                    self.defined.insert(address(argument));
                }
            }
            let mut next = block.first_operation();
            while let Some(operation) = next {
                next = operation.next_in_block();
                for operand in operation.operands() {
                    if self.defined.insert(address(operand)) {
                        let user = text_of(operation.name());
                        let place = location(operation.location());
                        self.found.push((address(operand), user, place));
                    }
                }
                self.regions(operation);
                for result in operation.results() {
                    self.defined.insert(address(result));
                }
            }
        }
    }
}
