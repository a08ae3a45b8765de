//! Random functions around convolutions.

use super::laid_out;
use crate::simplify::tests::{Random, names};
use crate::stablehlo::{
    Builder, Convolution, ConvolutionDims, DotGeneral, Error, Function, Reducer, Result,
    TensorType, Value, Window,
};

/// Most elements of a value.
const LARGEST: i64 = 600;

struct Generator {
    random: Random,
    b: Builder,
    values: Vec<Value>,
    parameters: usize,
}

impl Generator {
    fn any(&mut self) -> Value {
        self.values[self.random.below(self.values.len())]
    }

    fn permutation(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for i in (1..count).rev() {
            order.swap(i, self.random.below(i + 1));
        }
        order
    }

    fn parameter(&mut self, shape: &[i64]) -> Value {
        self.parameters += 1;
        let name = format!("w{}", self.parameters);
        self.b
            .function
            .argument(Some(&name), TensorType::f32(shape))
    }

    /// A convolution of a value of rank 4 whose dimensions play random roles.
    fn convolution(&mut self, x: Value) -> Result<Value> {
        let shape = self.b.shape(x);
        let (x_roles, w_roles, y_roles) = (
            self.permutation(4),
            self.permutation(4),
            self.permutation(4),
        );
        let dims = ConvolutionDims {
            input_batch: x_roles[0],
            input_feature: x_roles[1],
            input_spatial: x_roles[2..].to_vec(),
            kernel_input: w_roles[0],
            kernel_output: w_roles[1],
            kernel_spatial: w_roles[2..].to_vec(),
            output_batch: y_roles[0],
            output_feature: y_roles[1],
            output_spatial: y_roles[2..].to_vec(),
        };
        let mut kernel = vec![0; 4];
        kernel[w_roles[0]] = shape[x_roles[1]];
        kernel[w_roles[1]] = 1 + self.random.below(3) as i64;
        for role in &w_roles[2..] {
            kernel[*role] = 1 + self.random.below(3) as i64;
        }
        let conv = Convolution {
            dims,
            strides: vec![1, 1 + self.random.below(2) as i64],
            padding: vec![[1, 1], [0, self.random.below(2) as i64]],
            lhs_dilation: vec![1; 2],
            rhs_dilation: vec![1; 2],
            window_reversal: vec![false; 2],
            feature_group_count: 1,
            batch_group_count: 1,
        };
        let w = self.parameter(&kernel);
        self.b.convolution(x, w, conv)
    }

    fn step(&mut self) -> Result<Value> {
        let x = self.any();
        let shape = self.b.shape(x);
        let rank = shape.len();
        let dim = self.random.below(rank.max(1));
        match self.random.below(13) {
            0 | 1 if rank == 4 => self.convolution(x),
            2 => {
                let alike = |v: &Value| self.b.shape(*v) == shape;
                let others: Vec<Value> = self.values.iter().copied().filter(alike).collect();
                let other = others[self.random.below(others.len())];
                self.b.add(x, other)
            }
            3 => {
                let order = self.permutation(rank);
                self.b.transpose(x, &order)
            }
            4 => self.reshape(x, &shape),
            5 if rank > 0 => self.b.sum(x, &[dim]),
            6 if rank < 4 => {
                let mut targets = self.permutation(rank + 1);
                targets.truncate(rank);
                let mut wide = vec![2; rank + 1];
                for (&target, &size) in targets.iter().zip(&shape) {
                    wide[target] = size;
                }
                self.b.broadcast(x, &targets, &wide)
            }
            7 if rank > 0 => self.b.reverse(x, &[dim]),
            8 if rank > 0 => {
                let mut start = vec![0; rank];
                start[dim] = i64::from(shape[dim] > 1);
                self.b.slice(x, &start, &shape, &vec![1; rank])
            }
            9 if rank > 0 => {
                let (mut low, none) = (vec![0; rank], vec![0; rank]);
                low[dim] = 1;
                self.b.pad_zero(x, &low, &none, &none)
            }
            10 if rank > 0 => {
                let turned = self.b.reverse(x, &[dim])?;
                self.b.concatenate(&[x, turned], dim)
            }
            11 if rank > 0 => self.dot(x, dim),
            12 if rank > 0 => {
                let mut window = Window::unit(rank);
                window.size[dim] = shape[dim].min(2);
                self.b.reduce_window(Reducer::Max, x, window)
            }
            _ => {
                let number = TensorType::f32(shape);
                let ramp = self.b.iota(dim.min(rank.saturating_sub(1)), number)?;
                self.b.multiply(x, ramp)
            }
        }
    }

    fn reshape(&mut self, x: Value, shape: &[i64]) -> Result<Value> {
        let mut target: Vec<i64> = Vec::new();
        for &size in shape {
            match self.random.below(3) {
                0 if !target.is_empty() => *target.last_mut().unwrap() *= size,
                1 if size % 2 == 0 => target.extend([2, size / 2]),
                _ => target.push(size),
            }
        }
        self.b.reshape(x, &target)
    }

    /// Contracts one dimension with a parameter or with another value; batches
    /// over another where there is one.
    fn dot(&mut self, x: Value, dim: usize) -> Result<Value> {
        let shape = self.b.shape(x);
        let fits = |v: &Value| self.b.shape(*v).contains(&shape[dim]);
        let others: Vec<Value> = self.values.iter().copied().filter(fits).collect();
        if others.is_empty() || self.random.below(2) == 0 {
            let w = self.parameter(&[shape[dim], 3]);
            return self.b.dot(x, w, &[dim], &[0]);
        }
        let other = others[self.random.below(others.len())];
        let other_shape = self.b.shape(other);
        let partner = other_shape
            .iter()
            .position(|&s| s == shape[dim])
            .unwrap_or(0);
        let mut dot = DotGeneral {
            lhs_contract: vec![dim],
            rhs_contract: vec![partner],
            ..DotGeneral::default()
        };
        let mut pairs = (0..shape.len()).flat_map(|i| (0..other_shape.len()).map(move |j| (i, j)));
        let alike =
            |&(i, j): &(usize, usize)| i != dim && j != partner && shape[i] == other_shape[j];
        let batch = pairs.find(alike);
        if let Some((i, j)) = batch {
            (dot.lhs_batch, dot.rhs_batch) = (vec![i], vec![j]);
        }
        self.b.dot_general(x, other, dot)
    }
}

fn function(seed: u64) -> Function {
    let mut b = Builder::named("f");
    let x = b
        .function
        .argument(Some("x"), TensorType::f32([2, 3, 4, 2]));
    let mut g = Generator {
        random: Random(seed),
        b,
        values: vec![x],
        parameters: 0,
    };
    let first = g.convolution(x).expect("a well-typed convolution");
    g.values.push(first);
    while g.values.len() < 10 {
        let value = match g.step() {
            Ok(value) => value,
            // A refused operation has left nothing behind but an argument.
            Err(Error::Constraint { .. }) => continue,
            Err(error) => panic!("{error}"),
        };
        let ty = g.b.ty(value);
        if ty.rank() <= 5 && (1..=LARGEST).contains(&ty.elements()) {
            g.values.push(value);
        }
    }
    let last = g.values[g.values.len() - 3..].to_vec();
    for value in last {
        g.b.function.output(Some("y"), value);
    }
    g.b.function
}

#[test]
fn random_functions_keep_their_values() {
    let mut met = std::collections::BTreeSet::new();
    for seed in 0..400 {
        let f = crate::simplify::drop_unused(&function(seed));
        met.extend(names(&f));
        let caught = std::panic::catch_unwind(|| laid_out(&f));
        assert!(
            caught.is_ok(),
            "seed {seed}: {:#?}",
            crate::simplify::tests::text(&f)
        );
    }
    for name in [
        "convolution",
        "dot_general",
        "reshape",
        "concatenate",
        "reduce_window",
        "iota",
    ] {
        assert!(met.contains(name), "no function has `{name}`");
    }
}
