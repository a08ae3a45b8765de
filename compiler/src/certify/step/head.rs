//! The losses' formulas over any kind of number, from logits and labels.

use crate::certify::subject::Subject;
use crate::reference::Number;
use crate::stablehlo::mlir::attribute::Attribute;

/// The loss that the manifest names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Head {
    Softmax { smoothing: f64 },
    Squared,
    Binary,
}

/// Logits, row-major [n, k, ...], and labels [n, ...].
#[derive(Debug, Clone, Copy)]
pub(super) struct Outputs<'a, T> {
    pub logits: &'a [T],
    pub labels: &'a [i64],
    /// Extents of the logits.
    pub shape: &'a [i64],
}

impl Head {
    /// Of the manifest; None if it names no loss that is known here.
    pub fn of(subject: &Subject) -> Option<Self> {
        let smoothing = match subject.said("label_smoothing") {
            Some(&Attribute::Float(value)) => value,
            _ => 0.0,
        };
        match subject.said("loss")?.as_str()? {
            "softmax_cross_entropy" => Some(Head::Softmax { smoothing }),
            "mean_squared_error" => Some(Head::Squared),
            "binary_cross_entropy" => Some(Head::Binary),
            _ => None,
        }
    }

    /// The loss of each label.
    pub fn losses<T: Number>(self, outputs: Outputs<'_, T>) -> Vec<T> {
        let rows = outputs.rows();
        rows.map(|(row, label)| self.loss(&row, label)).collect()
    }

    /// Whether each label is predicted.
    pub fn hits<T: Number>(self, outputs: Outputs<'_, T>) -> Vec<bool> {
        let rows = outputs.rows();
        rows.map(|(row, label)| self.predicted(&row) == Some(label))
            .collect()
    }

    fn loss<T: Number>(self, row: &[T], label: i64) -> T {
        let zero = T::from_f64(0.0);
        let total = |terms: Vec<T>| terms.into_iter().fold(zero, |sum, term| sum + term);
        let count = T::from_integer(row.len() as i128);
        let is_one = |k: usize| match row.len() {
            1 => label == 1,
            _ => i64::try_from(k) == Ok(label),
        };
        let numbered = row.iter().enumerate();
        match self {
            Head::Softmax { smoothing } => {
                let lowest = T::from_f64(f64::NEG_INFINITY);
                let largest = row.iter().fold(lowest, |a, &b| a.maximum(b));
                let shifted: Vec<T> = row.iter().map(|&z| z - largest).collect();
                let sum = total(shifted.iter().map(|z| z.exponential()).collect());
                let index = usize::try_from(label).ok();
                let own = index.and_then(|index| shifted.get(index)).copied();
                let own = own.unwrap_or(zero);
                if smoothing == 0.0 {
                    return sum.log() - own;
                }
                let smoothing = T::from_f64(f64::from(smoothing as f32));
                let kept = T::from_f64(1.0) - smoothing;
                sum.log() - kept * own - smoothing * total(shifted) / count
            }
            Head::Squared => {
                let target = |k| T::from_f64(if is_one(k) { 1.0 } else { 0.0 });
                let square = |(k, &z): (usize, &T)| (z - target(k)) * (z - target(k));
                total(numbered.map(square).collect()) / count
            }
            Head::Binary => {
                let entropy = |(k, &z): (usize, &T)| {
                    let u = if is_one(k) { -z } else { z };
                    match u.shadow() > 0.0 {
                        true => u + (-u).exponential().log_plus_one(),
                        false => u.exponential().log_plus_one(),
                    }
                };
                total(numbered.map(entropy).collect()) / count
            }
        }
    }

    fn predicted<T: Number>(self, row: &[T]) -> Option<i64> {
        let bound = match self {
            Head::Squared => 0.5,
            _ => 0.0,
        };
        match (self, row) {
            (Head::Squared | Head::Binary, [only]) => Some(i64::from(only.shadow() > bound)),
            _ => {
                let mut best: Option<(usize, f64)> = None;
                for (k, z) in row.iter().enumerate() {
                    if best.is_none_or(|(_, largest)| z.shadow() > largest) {
                        best = Some((k, z.shadow()));
                    }
                }
                i64::try_from(best?.0).ok()
            }
        }
    }
}

impl<T: Number> Outputs<'_, T> {
    /// The outputs and the label of each place, example by example.
    fn rows(&self) -> impl Iterator<Item = (Vec<T>, i64)> {
        let size = |extent: &i64| usize::try_from(*extent).unwrap_or(0);
        let outputs = self.shape.get(1).map_or(1, size).max(1);
        let places: usize = self.shape.iter().skip(2).map(size).product();
        self.labels.iter().enumerate().map(move |(index, &label)| {
            let (example, place) = (index / places, index % places);
            let first = example * outputs * places + place;
            let of = |k: usize| self.logits.get(first + k * places).copied();
            let row = (0..outputs).map_while(of).collect();
            (row, label)
        })
    }

    /// Labels of one example.
    pub fn labels_per_example(&self) -> usize {
        let places: i64 = self.shape.iter().skip(2).product();
        usize::try_from(places).unwrap_or(1).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn losses(head: Head, logits: &[f64], labels: &[i64], shape: &[i64]) -> Vec<f64> {
        head.losses(Outputs {
            logits,
            labels,
            shape,
        })
    }

    /// BUG-45: four classes, smoothing 0.2, logits 2, 0, 0, 0.
    #[test]
    fn bug_45_label_smoothing() {
        let head = Head::Softmax { smoothing: 0.2 };
        let found = losses(head, &[2.0, 0.0, 0.0, 0.0], &[0], &[1, 4]);
        assert!((found[0] - 0.640_753).abs() < 1e-6, "{found:?}");
    }

    /// Two pixels of two classes: the logits of a pixel are one plane apart.
    #[test]
    fn pixels_have_their_own_logits() {
        let head = Head::Softmax { smoothing: 0.0 };
        let logits = [5.0, 0.0, 5.0, 1.0];
        let found = losses(head, &logits, &[0, 1], &[1, 2, 1, 2]);
        let expected = [2f64.ln(), (1.0 + (-1f64).exp()).ln()];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found}");
        }
    }

    #[test]
    fn other_losses_by_hand() {
        // (1 - 0)^2 and (3 - 1)^2, then of a single output (3 - 0)^2.
        let found = losses(Head::Squared, &[1.0, 3.0], &[1], &[1, 2]);
        assert_eq!(found, [2.5]);
        assert_eq!(losses(Head::Squared, &[3.0], &[0], &[1, 1]), [9.0]);
        // ln 2 each, then ln(1 + e^-20), then 20 and a little.
        let found = losses(Head::Binary, &[0.0, 0.0], &[1], &[1, 2]);
        assert!((found[0] - 2f64.ln()).abs() < 1e-15);
        let small = losses(Head::Binary, &[20.0], &[1], &[1, 1]);
        assert!((small[0] - 2.061_153_6e-9).abs() < 1e-15, "{small:?}");
        let large = losses(Head::Binary, &[20.0], &[0], &[1, 1]);
        assert!((large[0] - 20.000_000_002_061_2).abs() < 1e-12);
    }
}
