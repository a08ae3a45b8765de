//! Contestants that take turns.

use std::time::Instant;

use crate::common::Failure;

/// How long a contestant runs in its turn, about.
const TURN: f64 = 0.03;
/// Who takes longer by this factor in the first rounds is out, but for the first of all.
const HOPELESS: f64 = 2.5;

/// Rounds that come before those that count. One alone says nothing: anything else that ran
/// meanwhile may have made it long.
const FIRST_ROUNDS: usize = 3;

/// Median seconds of each contestant; `None` for one that is out. The first is never out: the
/// others are held against it.
///
/// `run(i, n)` runs contestant `i` `n` times.
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
    let mut least = vec![f64::INFINITY; contestants];
    for _ in 0..FIRST_ROUNDS {
        for (contestant, least) in least.iter_mut().enumerate() {
            *least = least.min(timed(contestant, 1)?);
        }
    }
    let best = least.iter().copied().fold(f64::INFINITY, f64::min);
    let times = (TURN / best.max(1e-9)).clamp(1.0, 1000.0) as u32;
    let mut found: Vec<Vec<f64>> = vec![Vec::new(); contestants];
    for round in 0..rounds as usize {
        for turn in 0..contestants {
            // Each is first, second, .. in turn.
            let contestant = (round + turn) % contestants;
            let hopeless = least.get(contestant).is_none_or(|&t| t > best * HOPELESS);
            if contestant == 0 || !hopeless {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Contestants that sleep for so many milliseconds in their n-th turn.
    fn raced(milliseconds: [fn(usize) -> u64; 3]) -> Vec<bool> {
        let mut turns = [0; 3];
        let times = race(3, 1, |contestant, _| {
            let turn = turns[contestant];
            turns[contestant] += 1;
            std::thread::sleep(std::time::Duration::from_millis(milliseconds[contestant](
                turn,
            )));
            Ok(())
        });
        times.unwrap().iter().map(Option::is_some).collect()
    }

    #[test]
    fn the_first_stays_and_the_hopeless_go() {
        assert_eq!(raced([|_| 100, |_| 1, |_| 100]), [true, true, false]);
    }

    #[test]
    fn one_long_turn_puts_nobody_out() {
        let once = |turn| if turn == 1 { 200 } else { 20 };
        assert_eq!(raced([|_| 20, once, |_| 20]), [true, true, true]);
    }
}
