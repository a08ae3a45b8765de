//! Places in the network file for a module that was printed without them.

use crate::stablehlo::{Function, Module};

/// Gives the instructions of `module` the locations of `own`, function by
/// function, where both have the same operations on the same values; leaves
/// the others as they are. Returns how many functions were alike.
pub fn borrow_locations(module: &mut Module, own: &Module) -> usize {
    let mut alike = 0;
    for function in &mut module.functions {
        let Ok(twin) = own.function(&function.name) else {
            continue;
        };
        if same(function, twin) {
            alike += 1;
            for (instruction, twin) in function.body.iter_mut().zip(&twin.body) {
                instruction.location = twin.location.clone();
            }
        }
    }
    alike
}

/// Whether the functions are the same but for the numbering of their values.
fn same(a: &Function, b: &Function) -> bool {
    if a.body.len() != b.body.len() || a.arguments.len() != b.arguments.len() {
        return false;
    }
    let mut map = vec![None; a.value_count()];
    for (x, y) in a.arguments.iter().zip(&b.arguments) {
        map[x.value.index()] = Some(y.value);
    }
    a.body.iter().zip(&b.body).all(|(x, y)| {
        map[x.result.index()] = Some(y.result);
        let operands = x.operands.iter().map(|v| map[v.index()]);
        x.op == y.op && operands.eq(y.operands.iter().map(|&v| Some(v)))
    })
}
