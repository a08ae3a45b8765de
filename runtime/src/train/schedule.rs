//! How the learning rate goes on.

use serde::Serialize;

/// The learning rate of each update, from that of the optimizer. Times are epochs, and the rate
/// may change at each update.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[serde(tag = "name", rename_all = "lowercase")]
pub enum Schedule {
    /// The optimizer's learning rate throughout.
    #[default]
    Constant,
    /// A straight line up to the optimizer's learning rate in the first `warmup` epochs, then half
    /// a wave of the cosine down to `min`, which is reached after the last update.
    Cosine {
        /// Epochs of the rise.
        warmup: f64,
        /// Where it ends.
        min: f64,
    },
    /// Times `factor` after every `every` epochs.
    Step {
        /// Whole epochs between two changes.
        every: u64,
        /// What the learning rate is multiplied by.
        factor: f64,
    },
    /// Times `rate` per `every` epochs, a little at each update.
    Exponential {
        /// What the learning rate is multiplied by.
        rate: f64,
        /// In this many epochs.
        every: f64,
    },
}

/// How long a training is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Course {
    /// Updates in an epoch.
    pub updates: u64,
    /// Epochs in all.
    pub epochs: u64,
}

impl Schedule {
    /// The learning rate of the update that comes after `done` others; of the last update, `done`
    /// is one less than there are in all.
    pub fn lr(&self, base: f64, course: Course, done: u64) -> f64 {
        let updates = course.updates.max(1);
        let epoch = done as f64 / updates as f64;
        match *self {
            Schedule::Constant => base,
            Schedule::Cosine { warmup, min } => {
                let rise = warmup * updates as f64;
                if (done as f64) < rise {
                    // The first update moves, and the last of the rise has the full rate.
                    return base * ((done + 1) as f64 / rise).min(1.0);
                }
                let fall = course.epochs as f64 - warmup;
                let part = match fall > 0.0 {
                    true => ((epoch - warmup) / fall).min(1.0),
                    false => 1.0,
                };
                min + (base - min) * (1.0 + (std::f64::consts::PI * part).cos()) / 2.0
            }
            Schedule::Step { every, factor } => {
                let changes = done / updates / every.max(1);
                base * factor.powf(changes as f64)
            }
            Schedule::Exponential { rate, every } => base * rate.powf(epoch / every),
        }
    }

    /// Whether it depends on how many epochs there are in all.
    pub fn has_an_end(&self) -> bool {
        matches!(self, Schedule::Cosine { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COURSE: Course = Course {
        updates: 5,
        epochs: 4,
    };

    fn all(schedule: Schedule) -> Vec<f64> {
        (0..=20)
            .map(|done| schedule.lr(0.5, COURSE, done))
            .collect()
    }

    fn assert_near(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
        }
    }

    #[test]
    fn constant() {
        assert_eq!(all(Schedule::Constant), [0.5; 21]);
    }

    /// A quarter of the way cos is 1/sqrt(2), half of the way 0, three quarters -1/sqrt(2).
    #[test]
    fn bug_58_cosine_begins_at_the_rate_and_ends_at_the_minimum() {
        let rates = all(Schedule::Cosine {
            warmup: 0.0,
            min: 0.1,
        });
        let root = 0.5f64.sqrt();
        let picked = [0, 5, 10, 15, 20].map(|done: usize| rates[done]);
        let expected = [0.5, 0.3 + 0.2 * root, 0.3, 0.3 - 0.2 * root, 0.1];
        assert_near(&picked, &expected);
        assert!(rates.is_sorted_by(|one, two| one > two));
        // The last update still moves where the minimum is 0.
        let rates = all(Schedule::Cosine {
            warmup: 0.0,
            min: 0.0,
        });
        assert!(rates[19] > 0.0);
        assert_eq!(rates[20], 0.0);
    }

    /// Ten updates of rise, then ten of fall.
    #[test]
    fn bug_58_the_first_update_of_a_warm_up_moves() {
        let rates = all(Schedule::Cosine {
            warmup: 2.0,
            min: 0.0,
        });
        let rise: Vec<f64> = (1..=10).map(|step| 0.05 * f64::from(step)).collect();
        assert_near(&rates[..10], &rise);
        assert_near(&[rates[10], rates[15], rates[20]], &[0.5, 0.25, 0.0]);
    }

    /// Half an epoch of five updates: 1/2.5 of the rate, 2/2.5, then all of it.
    #[test]
    fn a_warm_up_may_end_inside_an_epoch() {
        let rates = all(Schedule::Cosine {
            warmup: 0.5,
            min: 0.0,
        });
        assert_near(&rates[..3], &[0.2, 0.4, 0.5]);
        assert!(rates[3] < 0.5);
    }

    #[test]
    fn step_changes_between_epochs() {
        let rates = all(Schedule::Step {
            every: 2,
            factor: 0.1,
        });
        assert_eq!(rates[..10], [0.5; 10]);
        assert_near(&rates[10..20], &[0.05; 10]);
    }

    /// Half of it per two epochs: at epoch 1 by the root of a half.
    #[test]
    fn exponential_changes_at_each_update() {
        let rates = all(Schedule::Exponential {
            rate: 0.5,
            every: 2.0,
        });
        let picked = [0, 5, 10, 20].map(|done: usize| rates[done]);
        assert_near(&picked, &[0.5, 0.5 * 0.5f64.sqrt(), 0.25, 0.125]);
        assert!(rates.is_sorted_by(|one, two| one > two));
    }
}
