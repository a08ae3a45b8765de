//! F(4, 3) along the height only: bands of four rows, and the width as it is.
//!
//! Six images are made of the rows, each is convolved with a kernel of one row,
//! and four rows are made of the six results. That is half of the
//! multiplications, against a quarter for F(4x4, 3x3), but whatever is
//! transformed are whole rows of pixels and channels, added up as vectors.

use super::batched;
use super::matrices::{Form, Matrix, transposed};
use super::transforms::{count, unscaled};
use crate::stablehlo::{Builder, Convolution, ConvolutionDims, Literal, Op};
use crate::stablehlo::{Result, Scalar, TensorType, Value};
use crate::tune::barrier::barrier;

const FORM: Form = Form::Rows;

/// A convolution of images.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bands {
    pub batch: i64,
    /// Height and width of the output.
    pub size: [i64; 2],
    /// Padding before the first row and column.
    pub low: [i64; 2],
}

impl Bands {
    fn count(&self) -> i64 {
        count(self.size[0], FORM)
    }

    /// Width of the padded input.
    fn width(&self) -> i64 {
        self.size[1] + 2
    }

    /// `x` [n, h, w, c] and `w` [3, 3, c, o], convolved: [n, h, w, o].
    pub fn convolution(&self, b: &mut Builder, x: Value, w: Value) -> Result<Value> {
        let images = self.input(b, x)?;
        let kernels = self.kernel(b, w)?;
        let pairs = images.into_iter().zip(kernels);
        let products = pairs
            .map(|(image, kernel)| self.product(b, image, kernel))
            .collect::<Result<Vec<_>>>()?;
        self.output(b, &products)
    }

    /// The gradient with respect to `w` [3, 3, c, o].
    pub fn weight_gradient(&self, b: &mut Builder, x: Value, dy: Value) -> Result<Value> {
        let (c, o) = (b.shape(x)[3], b.shape(dy)[3]);
        let images = self.input(b, x)?;
        let cotangents = self.cotangent(b, dy)?;
        let mut planes = Vec::new();
        for (image, cotangent) in images.into_iter().zip(cotangents) {
            let taps = self.taps(b, image, cotangent)?;
            planes.push(b.reshape(taps, &[1, 3, c, o])?);
        }
        let rows = combinations(b, &transposed(&FORM.kernel()), &planes)?;
        let rows = b.concatenate(&rows, 0)?;
        unscaled(b, rows, FORM.scale())
    }

    /// B^T x along the height, padded: six of [n, bands, width, c].
    fn input(&self, b: &mut Builder, x: Value) -> Result<Vec<Value>> {
        let rows = self.rows(b, x, self.low, 0, FORM.inputs())?;
        combinations(b, &FORM.input(), &rows)
    }

    /// A dy along the height, a column of zeros before and behind: six of
    /// [n, bands, width, o]. The padding is that of the gradient with respect
    /// to `x`, which then reads the same copy.
    fn cotangent(&self, b: &mut Builder, dy: Value) -> Result<Vec<Value>> {
        let rows = self.rows(b, dy, [1, 1], 1, FORM.outputs())?;
        combinations(b, &transposed(&FORM.output()), &rows)
    }

    /// Of `x`, padded by `low` and up to whole bands, the rows `first`,
    /// `first` + 1, ... of every band: [n, bands, width, c].
    fn rows(
        &self,
        b: &mut Builder,
        x: Value,
        low: [i64; 2],
        first: i64,
        number: i64,
    ) -> Result<Vec<Value>> {
        let (shape, m, bands) = (b.shape(x), FORM.outputs(), self.count());
        let (n, c, width) = (shape[0], shape[3], self.width());
        // One band more, because bands of six rows overlap.
        let high = [
            m * (bands + 1) - shape[1] - low[0],
            width - shape[2] - low[1],
        ];
        let x = b.pad_zero(
            x,
            &[0, low[0], low[1], 0],
            &[0, high[0], high[1], 0],
            &[0; 4],
        )?;
        let x = b.reshape(x, &[n, bands + 1, m, width, c])?;
        let row = |b: &mut Builder, at: i64| {
            let (band, row) = (at / m, at % m);
            let row = b.slice(
                x,
                &[0, band, row, 0, 0],
                &[n, band + bands, row + 1, width, c],
                &[1; 5],
            )?;
            b.reshape(row, &[n, bands, width, c])
        };
        (first..first + number).map(|at| row(b, at)).collect()
    }

    /// G w along the height: six of [halves, 3, c / halves, o].
    fn kernel(&self, b: &mut Builder, w: Value) -> Result<Vec<Value>> {
        let shape = b.shape(w);
        let (c, o) = (shape[2], shape[3]);
        let mut rows = Vec::new();
        for row in 0..3 {
            rows.push(b.slice(w, &[row, 0, 0, 0], &[row + 1, 3, c, o], &[1; 4])?);
        }
        let halves = halves(c);
        let mut kernels = Vec::new();
        for row in &FORM.kernel() {
            let kernel = combination(b, row, &rows)?;
            let kernel = unscaled(b, kernel, FORM.scale())?;
            let kernel = b.reshape(kernel, &[3, halves, c / halves, o])?;
            let kernel = b.transpose(kernel, &[1, 0, 2, 3])?;
            // IREE would do the transpose inside of the convolution, which takes nine times as long.
            kernels.push(barrier(b, kernel)?);
        }
        Ok(kernels)
    }

    /// The convolution along the width: [n, bands, w, o].
    ///
    /// The halves of the channels are rows, because a kernel of one row would
    /// be a loop without vectors to IREE: 20 times as long.
    fn product(&self, b: &mut Builder, image: Value, kernel: Value) -> Result<Value> {
        let (n, bands, width) = (self.batch, self.count(), self.width());
        let c = b.shape(image)[3];
        let halves = halves(c);
        let image = b.reshape(image, &[n, bands, width, halves, c / halves])?;
        let image = b.transpose(image, &[0, 1, 3, 2, 4])?;
        let image = b.reshape(image, &[n, bands * halves, width, c / halves])?;
        let conv = Convolution {
            dims: ConvolutionDims::nhwc(2),
            strides: vec![halves, 1],
            padding: vec![[0; 2]; 2],
            lhs_dilation: vec![1; 2],
            rhs_dilation: vec![1; 2],
            window_reversal: vec![false; 2],
            feature_group_count: 1,
            batch_group_count: 1,
        };
        b.convolution(image, kernel, conv)
    }

    /// One tap of the width after the other, each contracted over the pixels of
    /// every example: [3, c, o].
    fn taps(&self, b: &mut Builder, image: Value, cotangent: Value) -> Result<Value> {
        let (n, pixels) = (self.batch, self.count() * self.width());
        let (c, o) = (b.shape(image)[3], b.shape(cotangent)[3]);
        let length = pixels - 2;
        let image = b.reshape(image, &[n, pixels, c])?;
        let cotangent = b.reshape(cotangent, &[n, pixels, o])?;
        let cotangent = b.slice(cotangent, &[0, 1, 0], &[n, 1 + length, o], &[1; 3])?;
        let mut taps = Vec::new();
        for tap in 0..3 {
            let shifted = b.slice(image, &[0, tap, 0], &[n, tap + length, c], &[1; 3])?;
            let products = b.dot_general(shifted, cotangent, batched(1, 1))?;
            let sum = b.sum(products, &[0])?;
            taps.push(b.reshape(sum, &[1, c, o])?);
        }
        b.concatenate(&taps, 0)
    }

    /// A^T p along the height, of six of [n, bands, w, o]: [n, h, w, o].
    fn output(&self, b: &mut Builder, products: &[Value]) -> Result<Value> {
        let (n, bands, m) = (self.batch, self.count(), FORM.outputs());
        let ([h, w], o) = (self.size, b.shape(products[0])[3]);
        let shape = [n, bands, m, w, o];
        let mut terms = Vec::new();
        for (&product, column) in products.iter().zip(transposed(&FORM.output())) {
            let element = b.ty(product).element;
            let values = column.iter().map(|&v| Scalar::of(v as f64, element));
            let column = Literal {
                ty: TensorType::new([m], element),
                values: values.collect(),
            };
            let column = b.push(Op::Constant(column), &[])?;
            let column = b.broadcast(column, &[2], &shape)?;
            let product = b.broadcast(product, &[0, 1, 3, 4], &shape)?;
            terms.push(b.multiply(product, column)?);
        }
        let rows = total(b, &terms)?;
        let rows = b.reshape(rows, &[n, bands * m, w, o])?;
        b.slice(rows, &[0; 4], &[n, h, w, o], &[1; 4])
    }
}

/// In how many parts the channels of a kernel become rows.
fn halves(channels: i64) -> i64 {
    if channels % 2 == 0 { 2 } else { 1 }
}

/// A matrix times the values.
fn combinations(b: &mut Builder, matrix: &Matrix, values: &[Value]) -> Result<Vec<Value>> {
    matrix
        .iter()
        .map(|row| combination(b, row, values))
        .collect()
}

/// The values, times their factors, added up.
fn combination(b: &mut Builder, factors: &[i64], values: &[Value]) -> Result<Value> {
    let mut terms = Vec::new();
    for (&factor, &value) in factors
        .iter()
        .zip(values)
        .filter(|(factor, _)| **factor != 0)
    {
        terms.push(match factor {
            1 => value,
            _ => {
                let factor = b.splat_like(factor as f64, value)?;
                b.multiply(value, factor)?
            }
        });
    }
    total(b, &terms)
}

/// Of at least one.
fn total(b: &mut Builder, terms: &[Value]) -> Result<Value> {
    let mut sum = terms[0];
    for &term in &terms[1..] {
        sum = b.add(sum, term)?;
    }
    Ok(sum)
}
