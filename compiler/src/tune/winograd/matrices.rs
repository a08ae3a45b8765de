//! The matrices of F(2x2, 3x3), F(4x4, 3x3) and F(4, 3), from Lavin and Gray, "Fast
//! Algorithms for Convolutional Neural Networks" (2015).
//!
//! y = A^T [(G w G^T) . (B^T d B)] A. Every entry is an integer, but for G,
//! of which a multiple is held.

/// How large the tiles of the output are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// F(2x2, 3x3): 16 products for 4 pixels, 36 directly.
    Two,
    /// F(4x4, 3x3): 36 products for 16 pixels, 144 directly.
    Four,
    /// F(4, 3) along the height: 18 products for 4 pixels, 36 directly.
    Rows,
}

/// Rows of equal length.
pub(super) type Matrix = Vec<Vec<i64>>;

impl Form {
    /// All of them.
    pub const ALL: [Form; 3] = [Form::Four, Form::Two, Form::Rows];
    /// Those of square tiles, the least products per pixel first.
    pub const TILES: [Form; 2] = [Form::Four, Form::Two];

    /// Height, and of a tile the width, of what is made at once.
    pub fn outputs(self) -> i64 {
        match self {
            Form::Two => 2,
            Form::Four | Form::Rows => 4,
        }
    }

    /// As many rows of the input.
    pub fn inputs(self) -> i64 {
        self.outputs() + 2
    }

    /// B^T
    pub(super) fn input(self) -> Matrix {
        match self {
            Form::Two => matrix(&[[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]]),
            Form::Four | Form::Rows => matrix(&[
                [4, 0, -5, 0, 1, 0],
                [0, -4, -4, 1, 1, 0],
                [0, 4, -4, -1, 1, 0],
                [0, -2, -1, 2, 1, 0],
                [0, 2, -1, -2, 1, 0],
                [0, 4, 0, -5, 0, 1],
            ]),
        }
    }

    /// [`Form::scale`] times G
    pub(super) fn kernel(self) -> Matrix {
        match self {
            Form::Two => matrix(&[[2, 0, 0], [1, 1, 1], [1, -1, 1], [0, 0, 2]]),
            Form::Four | Form::Rows => matrix(&[
                [6, 0, 0],
                [-4, -4, -4],
                [-4, 4, -4],
                [1, 2, 4],
                [1, -2, 4],
                [0, 0, 24],
            ]),
        }
    }

    /// What G is a fraction of.
    pub(super) fn scale(self) -> i64 {
        match self {
            Form::Two => 2,
            Form::Four | Form::Rows => 24,
        }
    }

    /// A^T
    pub(super) fn output(self) -> Matrix {
        match self {
            Form::Two => matrix(&[[1, 1, 1, 0], [0, 1, -1, -1]]),
            Form::Four | Form::Rows => matrix(&[
                [1, 1, 1, 1, 1, 0],
                [0, 1, -1, 2, -2, 0],
                [0, 1, 1, 4, 4, 0],
                [0, 1, -1, 8, -8, 1],
            ]),
        }
    }
}

fn matrix<const N: usize>(rows: &[[i64; N]]) -> Matrix {
    rows.iter().map(|row| row.to_vec()).collect()
}

/// M x M, which does to the rows and columns of a tile, as one vector, what
/// M d M^T does.
pub(super) fn squared(m: &Matrix) -> Matrix {
    let row = |a: &[i64], b: &[i64]| {
        a.iter()
            .flat_map(|x| b.iter().map(move |y| x * y))
            .collect()
    };
    m.iter()
        .flat_map(|a| m.iter().map(move |b| row(a, b)))
        .collect()
}

pub(super) fn transposed(m: &Matrix) -> Matrix {
    let columns = m.first().map_or(0, Vec::len);
    (0..columns)
        .map(|c| m.iter().map(|row| row[c]).collect())
        .collect()
}

/// With the columns in the opposite order.
pub(super) fn reversed(m: &Matrix) -> Matrix {
    m.iter()
        .map(|row| row.iter().rev().copied().collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cell i of the output is the sum over k of d[i + k] w[k]: the matrices
    /// hold that for every unit vector d and w, in integers.
    #[test]
    fn they_convolve() {
        for form in Form::ALL {
            let (inputs, kernel) = (transposed(&form.input()), transposed(&form.kernel()));
            for (i, row) in form.output().iter().enumerate() {
                for (d, input) in inputs.iter().enumerate() {
                    for (k, tap) in kernel.iter().enumerate() {
                        let terms = row.iter().zip(input).zip(tap);
                        let found: i64 = terms.map(|((a, b), g)| a * b * g).sum();
                        let expected = if d == i + k { form.scale() } else { 0 };
                        assert_eq!(found, expected, "{form:?} {i} {d} {k}");
                    }
                }
            }
        }
    }

    #[test]
    fn squared_is_the_kronecker_product() {
        let m = matrix(&[[1, 2], [3, 4]]);
        let expected = [[1, 2, 2, 4], [3, 4, 6, 8], [3, 6, 4, 8], [9, 12, 12, 16]];
        assert_eq!(squared(&m), matrix(&expected));
    }
}
