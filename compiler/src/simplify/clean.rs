//! Merging of equal instructions and removal of unused ones.

use std::collections::HashMap;

use crate::stablehlo::{Function, Instruction, Value};

/// Keeps the first of several instructions with the same operation and
/// operands.
pub fn merge_equal(function: &Function) -> Function {
    let mut result = function.clone();
    let mut map: HashMap<Value, Value> = HashMap::new();
    let mut seen: HashMap<String, Vec<Instruction>> = HashMap::new();
    result.body.clear();
    for instruction in &function.body {
        let mut instruction = instruction.clone();
        for operand in &mut instruction.operands {
            *operand = map.get(operand).copied().unwrap_or(*operand);
        }
        let key = format!("{} {:?}", instruction.op.name(), instruction.operands);
        let alike = seen.entry(key).or_default();
        let twin = alike.iter().find(|other| {
            other.op == instruction.op
                && other.stop_gradient == instruction.stop_gradient
                && function.ty(other.result) == function.ty(instruction.result)
        });
        match twin {
            Some(twin) => {
                map.insert(instruction.result, twin.result);
            }
            None => {
                alike.push(instruction.clone());
                result.body.push(instruction);
            }
        }
    }
    for output in &mut result.outputs {
        output.value = map.get(&output.value).copied().unwrap_or(output.value);
    }
    result
}

/// Drops instructions whose results nobody uses.
pub fn drop_unused(function: &Function) -> Function {
    let mut used = vec![false; function.value_count()];
    for output in &function.outputs {
        used[output.value.index()] = true;
    }
    for instruction in function.body.iter().rev() {
        if used[instruction.result.index()] {
            for operand in &instruction.operands {
                used[operand.index()] = true;
            }
        }
    }
    let mut result = function.clone();
    result.body.retain(|i| used[i.result.index()]);
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stablehlo::{Builder, TensorType};

    #[test]
    fn equal_instructions_merge_and_unused_ones_go() {
        let mut b = Builder::named("f");
        let x = b.function.argument(None, TensorType::f32([2]));
        let one = b.negate(x).unwrap();
        let two = b.negate(x).unwrap();
        b.exponential(x).unwrap();
        let sum = b.add(one, two).unwrap();
        b.function.output(None, sum);
        let cleaned = drop_unused(&merge_equal(&b.function));
        let names: Vec<&str> = cleaned.body.iter().map(|i| i.op.name()).collect();
        assert_eq!(names, ["negate", "add"]);
        assert_eq!(cleaned.body[1].operands, [one, one]);
    }

    #[test]
    fn constants_of_opposite_zero_stay_apart() {
        let mut b = Builder::named("f");
        let plus = b.splat(0.0, TensorType::f32([])).unwrap();
        let minus = b.splat(-0.0, TensorType::f32([])).unwrap();
        let sum = b.add(plus, minus).unwrap();
        b.function.output(None, sum);
        assert_eq!(merge_equal(&b.function).body.len(), 3);
    }
}
