//! Typed functions to MLIR, in generic form with locations.

use std::collections::HashMap;

use melior::Context;
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::{
    OperationBuilder, OperationLike, OperationMutLike, OperationPrintingFlags, OperationRef,
};
use melior::ir::{
    Attribute as MlirAttribute, Block, BlockLike, Identifier, Location as MlirLocation,
    Module as MlirModule, Region, RegionLike, Type, Value as MlirValue,
};

use super::attribute::Attribute;
use super::{NAME, STOP_GRADIENT, context, spelling};
use crate::stablehlo::Result;
use crate::stablehlo::error::Error;
use crate::stablehlo::function::{Function, Instruction, Location, Module, Value};
use crate::stablehlo::infer;
use crate::stablehlo::op::{Compound, Op, Reducer};
use crate::stablehlo::types::{ElementType, TensorType};

/// Prints a module in MLIR's generic form, with locations.
///
/// # Errors
/// If MLIR refuses an attribute or a type, which would be a fault of this
/// room.
pub fn print(module: &Module) -> Result<String> {
    let context = context();
    let exporter = Exporter { context: &context };
    let unknown = MlirLocation::unknown(&context);
    let mut mlir = MlirModule::new(unknown);
    {
        let mut operation = mlir.as_operation_mut();
        if !module.name.is_empty() {
            operation.set_attribute(
                "sym_name",
                StringAttribute::new(&context, &module.name).into(),
            );
        }
        for (name, attribute) in &module.attributes {
            operation.set_attribute(name, exporter.own(attribute)?);
        }
    }
    for function in &module.functions {
        mlir.body().append_operation(exporter.function(function)?);
    }
    let flags = OperationPrintingFlags::new()
        .print_generic_operation_form()
        .enable_debug_info(true, false);
    mlir.as_operation()
        .to_string_with_flags(flags)
        .map_err(|e| refused(&e.to_string(), &Location::UNKNOWN))
}

fn refused(message: &str, location: &Location) -> Error {
    Error::Syntax {
        message: format!("MLIR refused what was built: {message}"),
        location: location.clone(),
    }
}

fn look_up<'c, 'a>(
    values: &HashMap<Value, MlirValue<'c, 'a>>,
    value: Value,
) -> Result<MlirValue<'c, 'a>> {
    values
        .get(&value)
        .copied()
        .ok_or_else(|| refused("a value is used before it is defined", &Location::UNKNOWN))
}

struct Exporter<'c> {
    context: &'c Context,
}

impl<'c> Exporter<'c> {
    fn attribute(&self, text: &str) -> Result<MlirAttribute<'c>> {
        MlirAttribute::parse(self.context, text)
            .ok_or_else(|| refused(&format!("attribute {text}"), &Location::UNKNOWN))
    }

    fn own(&self, attribute: &Attribute) -> Result<MlirAttribute<'c>> {
        self.attribute(&attribute.to_string())
    }

    fn ty(&self, ty: &TensorType) -> Result<Type<'c>> {
        Type::parse(self.context, &ty.to_string())
            .ok_or_else(|| refused(&format!("type {ty}"), &Location::UNKNOWN))
    }

    fn location(&self, location: &Location) -> MlirLocation<'c> {
        match &location.place {
            Some((file, line, column)) => {
                MlirLocation::new(self.context, file, *line as usize, *column as usize)
            }
            None => MlirLocation::unknown(self.context),
        }
    }

    fn named(
        &self,
        name: &str,
        attribute: MlirAttribute<'c>,
    ) -> (Identifier<'c>, MlirAttribute<'c>) {
        (Identifier::new(self.context, name), attribute)
    }

    fn function(&self, function: &Function) -> Result<melior::ir::operation::Operation<'c>> {
        let unknown = MlirLocation::unknown(self.context);
        let count = function.arguments.len();
        let region = self.region(function, count, &[], "func.return", unknown)?;
        self.build(
            "func.func",
            &[],
            &[],
            self.signature(function)?,
            vec![region],
            unknown,
        )
    }

    /// A region that runs `function`. Its first `count` arguments are those of
    /// the block, the others are values from around it.
    fn region(
        &self,
        function: &Function,
        count: usize,
        around: &[MlirValue<'c, '_>],
        terminator: &str,
        location: MlirLocation<'c>,
    ) -> Result<Region<'c>> {
        let wrap = |e: melior::Error| refused(&e.to_string(), &Location::UNKNOWN);
        let (own, further) = function
            .arguments
            .split_at(count.min(function.arguments.len()));
        let mut arguments = Vec::new();
        for argument in own {
            arguments.push((self.ty(function.ty(argument.value))?, location));
        }
        let block = Block::new(&arguments);
        let mut values: HashMap<Value, MlirValue<'c, '_>> = HashMap::new();
        for (argument, &value) in further.iter().zip(around) {
            values.insert(argument.value, value);
        }
        for (index, argument) in own.iter().enumerate() {
            let value = block.argument(index).map_err(wrap)?;
            values.insert(argument.value, value.into());
        }
        let mut groups: Vec<(&Instruction, OperationRef<'c, '_>)> = Vec::new();
        for instruction in &function.body {
            let number = match &instruction.op {
                Op::Compound { result, .. } => *result,
                _ => 0,
            };
            let same = |(first, _): &&(&Instruction, _)| {
                first.is_same_compound(instruction)
                    && first.stop_gradient == instruction.stop_gradient
            };
            let operation = match groups.iter().find(same) {
                Some((_, operation)) => *operation,
                None => {
                    let mut operands = Vec::new();
                    for &operand in &instruction.operands {
                        operands.push(look_up(&values, operand)?);
                    }
                    let operation = self.instruction(function, instruction, &operands)?;
                    let operation = block.append_operation(operation);
                    if instruction.op.compound().is_some() {
                        groups.push((instruction, operation));
                    }
                    operation
                }
            };
            let result = operation
                .result(number)
                .map_err(|e| refused(&e.to_string(), &instruction.location))?;
            values.insert(instruction.result, result.into());
        }
        let mut results = Vec::new();
        for output in &function.outputs {
            results.push(look_up(&values, output.value)?);
        }
        block.append_operation(self.build(terminator, &results, &[], vec![], vec![], location)?);
        let region = Region::new();
        region.append_block(block);
        Ok(region)
    }

    fn signature(&self, function: &Function) -> Result<Vec<(Identifier<'c>, MlirAttribute<'c>)>> {
        let types = |values: &mut dyn Iterator<Item = Value>| -> String {
            values
                .map(|v| function.ty(v).to_string())
                .collect::<Vec<_>>()
                .join(", ")
        };
        let names = |names: &mut dyn Iterator<Item = &Option<String>>| -> Option<Attribute> {
            let entries: Vec<Attribute> = names
                .map(|name| {
                    let entries = name
                        .iter()
                        .map(|n| (format!("\"{NAME}\""), Attribute::String(n.clone())));
                    Attribute::Dict(entries.collect())
                })
                .collect();
            let any = entries.iter().any(|e| *e != Attribute::Dict(Vec::new()));
            any.then_some(Attribute::Array(entries))
        };
        let ty = format!(
            "({}) -> ({})",
            types(&mut function.arguments.iter().map(|a| a.value)),
            types(&mut function.outputs.iter().map(|o| o.value)),
        );
        let mut attributes = vec![
            self.named(
                "sym_name",
                StringAttribute::new(self.context, &function.name).into(),
            ),
            self.named("function_type", self.attribute(&ty)?),
        ];
        for (key, list) in [
            (
                "arg_attrs",
                names(&mut function.arguments.iter().map(|a| &a.name)),
            ),
            (
                "res_attrs",
                names(&mut function.outputs.iter().map(|o| &o.name)),
            ),
        ] {
            if let Some(list) = list {
                attributes.push(self.named(key, self.own(&list)?));
            }
        }
        for (name, attribute) in &function.attributes {
            attributes.push(self.named(name, self.own(attribute)?));
        }
        Ok(attributes)
    }

    fn instruction(
        &self,
        function: &Function,
        instruction: &Instruction,
        operands: &[MlirValue<'c, '_>],
    ) -> Result<melior::ir::operation::Operation<'c>> {
        let ty = function.ty(instruction.result);
        let location = self.location(&instruction.location);
        let mut attributes = Vec::new();
        for (name, text) in spelling::attributes(&instruction.op) {
            attributes.push(self.named(name, self.attribute(&text)?));
        }
        if instruction.stop_gradient {
            attributes.push(self.named(STOP_GRADIENT, MlirAttribute::unit(self.context)));
        }
        let regions = match &instruction.op {
            Op::Reduce { reducer, .. } | Op::ReduceWindow { reducer, .. } => {
                vec![self.reducer(*reducer, ty.element, location)?]
            }
            Op::SelectAndScatter { .. } => vec![
                self.body(
                    "stablehlo.compare",
                    ty.element,
                    ElementType::I1,
                    vec![self.named(
                        "comparison_direction",
                        self.attribute("#stablehlo<comparison_direction GE>")?,
                    )],
                    location,
                )?,
                self.reducer(Reducer::Add, ty.element, location)?,
            ],
            Op::Scatter(scatter) => vec![match scatter.reducer {
                Some(reducer) => self.reducer(reducer, ty.element, location)?,
                None => self.replacement(ty.element, location)?,
            }],
            _ => Vec::new(),
        };
        let name = format!("stablehlo.{}", instruction.op.name());
        let Some(op) = instruction.op.compound() else {
            let ty = self.ty(ty)?;
            return self.build(&name, operands, &[ty], attributes, regions, location);
        };
        let types: Vec<&TensorType> = instruction
            .operands
            .iter()
            .map(|&v| function.ty(v))
            .collect();
        let results = infer::result_types(op, &types)
            .map_err(|message| refused(&message, &instruction.location))?;
        let results = results.iter().map(|ty| self.ty(ty));
        let results = results.collect::<Result<Vec<_>>>()?;
        // How many arguments a region's block has, and how many operands the
        // operation: the others are used from around.
        let (arguments, own) = match op {
            Compound::Barrier | Compound::While { .. } => (operands.len(), operands.len()),
            Compound::Case { .. } | Compound::If { .. } => (0, 1),
            Compound::Reduce { .. } => (2 * results.len(), 2 * results.len()),
            Compound::Sort { .. } => (2 * results.len(), results.len()),
        };
        let (own, around) = operands.split_at(own.min(operands.len()));
        let regions = op.regions().into_iter();
        let regions =
            regions.map(|r| self.region(r, arguments, around, "stablehlo.return", location));
        let regions = regions.collect::<Result<Vec<_>>>()?;
        self.build(&name, own, &results, attributes, regions, location)
    }

    /// A region of two scalar arguments that returns the second.
    fn replacement(&self, element: ElementType, location: MlirLocation<'c>) -> Result<Region<'c>> {
        let mut function = Function::new("replace");
        function.argument(None, TensorType::scalar(element));
        let second = function.argument(None, TensorType::scalar(element));
        function.output(None, second);
        self.region(&function, 2, &[], "stablehlo.return", location)
    }

    fn reducer(
        &self,
        reducer: Reducer,
        element: ElementType,
        location: MlirLocation<'c>,
    ) -> Result<Region<'c>> {
        let name = format!("stablehlo.{}", reducer.op().name());
        self.body(&name, element, element, Vec::new(), location)
    }

    /// A region of two scalar arguments that returns one operation of them.
    fn body(
        &self,
        name: &str,
        element: ElementType,
        result: ElementType,
        attributes: Vec<(Identifier<'c>, MlirAttribute<'c>)>,
        location: MlirLocation<'c>,
    ) -> Result<Region<'c>> {
        let scalar = self.ty(&TensorType::scalar(element))?;
        let result = self.ty(&TensorType::scalar(result))?;
        let block = Block::new(&[(scalar, location), (scalar, location)]);
        let wrap = |e: melior::Error| refused(&e.to_string(), &Location::UNKNOWN);
        let arguments = [
            block.argument(0).map_err(wrap)?.into(),
            block.argument(1).map_err(wrap)?.into(),
        ];
        let operation = self.build(name, &arguments, &[result], attributes, vec![], location)?;
        let operation = block.append_operation(operation);
        let value = operation.result(0).map_err(wrap)?.into();
        block.append_operation(self.build(
            "stablehlo.return",
            &[value],
            &[],
            vec![],
            vec![],
            location,
        )?);
        let region = Region::new();
        region.append_block(block);
        Ok(region)
    }

    fn build(
        &self,
        name: &str,
        operands: &[MlirValue<'c, '_>],
        results: &[Type<'c>],
        attributes: Vec<(Identifier<'c>, MlirAttribute<'c>)>,
        regions: Vec<Region<'c>>,
        location: MlirLocation<'c>,
    ) -> Result<melior::ir::operation::Operation<'c>> {
        OperationBuilder::new(name, location)
            .add_operands(operands)
            .add_results(results)
            .add_attributes(&attributes)
            .add_regions_vec(regions)
            .build()
            .map_err(|e| refused(&e.to_string(), &Location::UNKNOWN))
    }
}
