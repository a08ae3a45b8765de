//! The same comparison in f64, with a tolerance.

use super::error::Result;
use super::point;
use super::random::Random;
use super::subject::{Subject, Values, gradient_name};
use crate::lower::LOSS;
use crate::reference::{Dual, Tensor};

/// How far the emitted gradient of a parameter along a random direction is
/// from the derivative that dual numbers give, as a share of the root of the
/// sum of the squared terms of the inner product; NaN counts as infinite.
///
/// # Errors
/// As [`Subject::call`].
pub fn relative_error(
    subject: &Subject,
    values: &Values<f64>,
    parameter: &str,
    random: &mut Random,
) -> Result<f64> {
    let emitted = subject.call("gradients", values)?;
    let (Some(at), Some(gradient)) = (
        values.get(parameter),
        emitted.get(&gradient_name(parameter)),
    ) else {
        return Ok(f64::INFINITY);
    };
    let direction: Tensor<f64> = point::direction(at.ty(), random)?;
    let pairs = gradient.as_numbers().iter().zip(direction.as_numbers());
    let terms: Vec<f64> = pairs.map(|(g, d)| g * d).collect();
    let slope: f64 = terms.iter().sum();
    let scale = terms.iter().map(|t| t * t).sum::<f64>().sqrt();
    let directions = Values::from([(parameter.to_owned(), direction)]);
    let results: Values<Dual<f64>> = subject.call(LOSS, &point::along(values, &directions)?)?;
    let derivative = results
        .values()
        .next()
        .and_then(|loss| loss.as_numbers().first())
        .map_or(f64::NAN, |dual| dual.tangent);
    let error = (slope - derivative).abs();
    if error == 0.0 {
        return Ok(0.0);
    }
    let error = error / scale.max(derivative.abs());
    Ok(if error.is_nan() { f64::INFINITY } else { error })
}
