//! Functions of f32 tensors in programs without a manifest: pieces of a step, to be timed.

use std::fmt;

use eerie::runtime::{self as iree, Value};

use crate::data::SplitMix64;
use crate::device::{IreeError, Runtime};
use crate::program::ProgramError;
use crate::reflection::reflect;

/// A loaded function with arguments of its shapes, which stay on the device.
pub struct Piece {
    function: iree::Function,
    arguments: Vec<Value>,
}

impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.arguments.len();
        f.debug_struct("Piece").field("arguments", &count).finish()
    }
}

impl Piece {
    /// Loads `function` of a program. The arguments are made up: the same for the same shapes,
    /// between -1 and 1.
    ///
    /// # Errors
    /// [`ProgramError`] where it is no program, or has no such function.
    pub fn load(
        runtime: &Runtime,
        vmfb: &[u8],
        function: &str,
        shapes: &[Vec<usize>],
    ) -> Result<Self, ProgramError> {
        let reflection = reflect(vmfb)?;
        let loaded = runtime.load(vmfb)?;
        let name = format!("{}.{function}", reflection.module);
        let found = loaded.function(&name);
        let mut random = SplitMix64::new(0);
        let mut argument = |shape: &Vec<usize>| {
            let mut draw = || (random.next() >> 40) as f32 / (1 << 23) as f32 - 1.0;
            let values: Vec<f32> = (0..shape.iter().product()).map(|_| draw()).collect();
            Ok(runtime.buffer(shape, &values)?.into())
        };
        Ok(Piece {
            function: found.map_err(|error| IreeError::new("find a function", &error))?,
            arguments: shapes
                .iter()
                .map(&mut argument)
                .collect::<Result<_, IreeError>>()?,
        })
    }

    /// Runs it once, to its end. The results are dropped.
    ///
    /// # Errors
    /// [`IreeError`] where the arguments do not fit, or it fails.
    pub fn run(&self) -> Result<(), IreeError> {
        let results = self.function.invoke(self.arguments.clone());
        results
            .map(drop)
            .map_err(|error| IreeError::new("run the program", &error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    const SOURCE: &str = "module @pair { func.func @sum(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) \
        -> tensor<2x3xf32> { %c = stablehlo.add %a, %b : tensor<2x3xf32> return %c : tensor<2x3xf32> } }";

    #[test]
    fn a_function_runs_as_often_as_one_likes() {
        let (runtime, vmfb) = (fixture::runtime(), fixture::compile(SOURCE));
        let shapes = [vec![2, 3], vec![2, 3]];
        let piece = Piece::load(&runtime, &vmfb, "sum", &shapes).expect("a program");
        for _ in 0..3 {
            piece.run().expect("arguments that fit");
        }
        let values: Vec<f32> = match &piece.arguments[0] {
            Value::F32(buffer) => buffer.read().expect("values"),
            other => panic!("{other:?}"),
        };
        assert!(values.iter().all(|v| (-1.0..1.0).contains(v)));
        assert!(
            values.windows(2).all(|pair| pair[0] != pair[1]),
            "{values:?}"
        );
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        let (runtime, vmfb) = (fixture::runtime(), fixture::compile(SOURCE));
        let load = |bytes: &[u8], name, shapes: &[Vec<usize>]| {
            Piece::load(&runtime, bytes, name, shapes).map(|piece| piece.run())
        };
        assert!(load(&vmfb, "product", &[]).is_err());
        assert!(load(b"nothing", "sum", &[]).is_err());
        assert!(
            load(&vmfb, "sum", &[vec![2, 3]])
                .expect("it is there")
                .is_err()
        );
        let other = [vec![2, 3], vec![3, 3]];
        assert!(load(&vmfb, "sum", &other).expect("it is there").is_err());
    }
}
