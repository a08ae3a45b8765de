//! Tiles, and linear maps of them as dot products with constants.

use super::matrices::{Form, Matrix, reversed, squared, transposed};
use crate::stablehlo::{Builder, Literal, Op, Result, Scalar, TensorType, Value};

/// How an image is covered by tiles.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    pub form: Form,
    pub batch: i64,
    /// Height and width of the output.
    pub size: [i64; 2],
    /// Padding before the first row and column of the input.
    pub low: [i64; 2],
}

impl Grid {
    fn rows(&self) -> i64 {
        count(self.size[0], self.form)
    }

    fn columns(&self) -> i64 {
        count(self.size[1], self.form)
    }

    /// How many tiles there are.
    pub fn tiles(&self) -> i64 {
        self.batch * self.rows() * self.columns()
    }

    /// Products per tile and channel.
    pub fn planes(&self) -> i64 {
        self.form.inputs() * self.form.inputs()
    }

    /// B^T d B for each tile d of `x` [n, h, w, c]: [planes, tiles, c]. Tiles
    /// overlap by two rows and columns.
    pub fn input(&self, b: &mut Builder, x: Value) -> Result<Value> {
        let (shape, low) = (b.shape(x), self.low);
        let (m, n, c) = (self.form.outputs(), self.form.inputs(), shape[3]);
        let counts = [self.rows(), self.columns()];
        let high = |s: usize| counts[s] * m + 2 - shape[s + 1] - low[s];
        let x = b.pad_zero(
            x,
            &[0, low[0], low[1], 0],
            &[0, high(0), high(1), 0],
            &[0; 4],
        )?;
        let mut cells = Vec::new();
        for row in 0..n {
            for column in 0..n {
                let limit = |start: i64, count: i64| start + (count - 1) * m + 1;
                let limits = [limit(row, counts[0]), limit(column, counts[1])];
                let cell = b.slice(
                    x,
                    &[0, row, column, 0],
                    &[self.batch, limits[0], limits[1], c],
                    &[1, m, m, 1],
                )?;
                cells.push(b.reshape(cell, &[1, self.tiles() * c])?);
            }
        }
        let cells = b.concatenate(&cells, 0)?;
        let planes = map(b, &squared(&self.form.input()), cells)?;
        b.reshape(planes, &[self.planes(), self.tiles(), c])
    }

    /// A dy A^T for each tile of `dy` [n, h, w, o]: [planes, tiles, o], the
    /// transpose of [`Grid::output`].
    pub fn cotangent(&self, b: &mut Builder, dy: Value) -> Result<Value> {
        let (m, o) = (self.form.outputs(), b.shape(dy)[3]);
        let (rows, columns) = (self.rows(), self.columns());
        let high = [0, rows * m - self.size[0], columns * m - self.size[1], 0];
        let dy = b.pad_zero(dy, &[0; 4], &high, &[0; 4])?;
        let dy = b.reshape(dy, &[self.batch, rows, m, columns, m, o])?;
        let cells = b.transpose(dy, &[2, 4, 0, 1, 3, 5])?;
        let cells = b.reshape(cells, &[m * m, self.tiles() * o])?;
        let planes = map(b, &transposed(&squared(&self.form.output())), cells)?;
        b.reshape(planes, &[self.planes(), self.tiles(), o])
    }

    /// A^T p A for each tile p of `planes` [planes, tiles, o]: the pixels
    /// [n, h, w, o].
    pub fn output(&self, b: &mut Builder, planes: Value) -> Result<Value> {
        let (m, o) = (self.form.outputs(), b.shape(planes)[2]);
        let (rows, columns) = (self.rows(), self.columns());
        let planes = b.reshape(planes, &[self.planes(), self.tiles() * o])?;
        let cells = map(b, &squared(&self.form.output()), planes)?;
        let cells = b.reshape(cells, &[m, m, self.batch, rows, columns, o])?;
        let pixels = b.transpose(cells, &[2, 3, 0, 4, 1, 5])?;
        let pixels = b.reshape(pixels, &[self.batch, rows * m, columns * m, o])?;
        let limit = [self.batch, self.size[0], self.size[1], o];
        b.slice(pixels, &[0; 4], &limit, &[1; 4])
    }

    /// G w G^T of a kernel [3, 3, c, o], reversed first if so told:
    /// [planes, c, o].
    pub fn kernel(&self, b: &mut Builder, w: Value, reverse: bool) -> Result<Value> {
        let shape = b.shape(w);
        let (c, o) = (shape[2], shape[3]);
        let taps = b.reshape(w, &[9, c * o])?;
        let g = squared(&self.form.kernel());
        let g = if reverse { reversed(&g) } else { g };
        let planes = map(b, &g, taps)?;
        let planes = unscaled(b, planes, self.scale())?;
        b.reshape(planes, &[self.planes(), c, o])
    }

    /// G^T p G of `planes` [planes, c, o]: [3, 3, c, o], the transpose of
    /// [`Grid::kernel`].
    pub fn kernel_gradient(&self, b: &mut Builder, planes: Value) -> Result<Value> {
        let shape = b.shape(planes);
        let (c, o) = (shape[1], shape[2]);
        let planes = b.reshape(planes, &[self.planes(), c * o])?;
        let taps = map(b, &transposed(&squared(&self.form.kernel())), planes)?;
        let taps = unscaled(b, taps, self.scale())?;
        b.reshape(taps, &[3, 3, c, o])
    }

    /// What a multiple of G was applied to on both sides.
    fn scale(&self) -> i64 {
        self.form.scale() * self.form.scale()
    }
}

/// Of integer matrices and one division over a kernel the certificates are
/// exact; 1/6 as a number of f32 would not be.
pub(super) fn unscaled(b: &mut Builder, x: Value, scale: i64) -> Result<Value> {
    let scale = b.splat_like(scale as f64, x)?;
    b.divide(x, scale)
}

/// Tiles along a dimension.
pub(in crate::tune) fn count(size: i64, form: Form) -> i64 {
    (size + form.outputs() - 1) / form.outputs()
}

/// A constant matrix times `x` [cells, any].
fn map(b: &mut Builder, matrix: &Matrix, x: Value) -> Result<Value> {
    let element = b.ty(x).element;
    let columns = matrix.first().map_or(0, Vec::len);
    let entries = matrix.iter().flatten();
    let literal = Literal {
        ty: TensorType::new([matrix.len() as i64, columns as i64], element),
        values: entries.map(|&v| Scalar::of(v as f64, element)).collect(),
    };
    let matrix = b.push(Op::Constant(literal), &[])?;
    b.dot(matrix, x, &[1], &[0])
}
