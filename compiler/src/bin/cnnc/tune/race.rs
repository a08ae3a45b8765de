//! Contestants that take turns.

use std::time::Instant;

use crate::common::Failure;

/// How long a contestant runs in its turn, about.
const TURN: f64 = 0.03;
/// Who takes longer by this factor in the first round is out.
const HOPELESS: f64 = 2.5;

/// Median seconds of each contestant; `None` for one that is out.
///
/// `run(i, n)` runs contestant `i` `n` times. One round comes before those that count.
pub fn race(
    contestants: usize,
    rounds: u32,
    mut run: impl FnMut(usize, u32) -> Result<(), Failure>,
) -> Result<Vec<Option<f64>>, Failure> {
    let mut timed = |contestant: usize, times: u32| {
        let start = Instant::now();
        run(contestant, times)?;
        Ok::<f64, Failure>(start.elapsed().as_secs_f64() / f64::from(times))
    };
    let mut warm = Vec::new();
    for contestant in 0..contestants {
        timed(contestant, 1)?;
        warm.push(timed(contestant, 2)?);
    }
    let best = warm.iter().copied().fold(f64::INFINITY, f64::min);
    let times = (TURN / best.max(1e-9)).clamp(1.0, 1000.0) as u32;
    let mut found: Vec<Vec<f64>> = vec![Vec::new(); contestants];
    for round in 0..rounds as usize {
        for turn in 0..contestants {
            // Each is first, second, .. in turn.
            let contestant = (round + turn) % contestants;
            if warm.get(contestant).is_some_and(|&t| t <= best * HOPELESS) {
                let seconds = timed(contestant, times)?;
                if let Some(all) = found.get_mut(contestant) {
                    all.push(seconds);
                }
            }
        }
    }
    Ok(found.into_iter().map(median).collect())
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
