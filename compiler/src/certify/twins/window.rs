//! What the windows of a max-pool hold at one image.

use serde::Serialize;

use super::pool::Pool;
use super::structure::Classes;

/// What a window holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Nothing above 0 behind a relu: every cell has derivative 0.
    Dead,
    /// One maximal cell.
    OneMaximum,
    /// Several, all of them the same function of the parameters.
    Twins,
    /// Several that are different functions: the pool has no derivative.
    Otherwise,
}

impl Kind {
    /// Every kind, in the order of [`Tally::counts`].
    pub const ALL: [Kind; 4] = [Kind::Dead, Kind::OneMaximum, Kind::Twins, Kind::Otherwise];

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Dead => "dead",
            Kind::OneMaximum => "one maximum",
            Kind::Twins => "tied between twins",
            Kind::Otherwise => "tied otherwise",
        }
    }
}

/// Counts over windows.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Tally {
    /// Windows of each kind, in the order of [`Kind::ALL`].
    pub counts: [u64; 4],
    /// Windows over a constant patch of the image: all their cells, at least
    /// two and none in the padding, are the same function.
    pub constant: u64,
    /// Windows with twins of the maximum that the values do not show as equal.
    pub split: u64,
    /// Smallest difference between the maximum and the next cell, over the
    /// windows with one maximum.
    pub gap: Option<f32>,
}

impl Tally {
    /// Windows of a kind.
    pub fn count(&self, kind: Kind) -> u64 {
        self.counts[kind as usize]
    }

    /// All windows.
    pub fn windows(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Whether every window is dead, has one maximum or is tied between twins,
    /// so that the choice among maximal cells does not matter.
    pub fn satisfied(&self) -> bool {
        self.count(Kind::Otherwise) == 0
    }

    /// Whether every window has one maximal cell.
    pub fn one_maximum_everywhere(&self) -> bool {
        self.count(Kind::OneMaximum) == self.windows()
    }

    /// Adds the windows of another.
    pub fn add(&mut self, other: &Tally) {
        for (sum, count) in self.counts.iter_mut().zip(other.counts) {
            *sum += count;
        }
        self.constant += other.constant;
        self.split += other.split;
        self.gap = smaller(self.gap, other.gap);
    }
}

fn smaller(a: Option<f32>, b: Option<f32>) -> Option<f32> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// The windows of one max-pool at one image.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The kind of each window: channels, rows, columns.
    pub kinds: Vec<Kind>,
    /// Their counts.
    pub tally: Tally,
}

/// Reads the windows of one max-pool image after image.
#[derive(Debug)]
pub struct Reader<'p> {
    pool: &'p Pool,
    under: Vec<Vec<usize>>,
    whole: usize,
}

impl<'p> Reader<'p> {
    /// For the windows of `pool`.
    pub fn new(pool: &'p Pool) -> Self {
        let size = pool.window.size.iter().product::<i64>();
        Reader {
            pool,
            under: pool.cells_under(),
            whole: usize::try_from(size).unwrap_or(usize::MAX),
        }
    }

    /// What the windows hold where the pool's input is `cells`, in C, H, W
    /// order. Two cells tie if they are equal; NaN never is.
    pub fn read(&self, classes: &Classes, cells: &[f32]) -> Reading {
        let [channels, height, width] = self.pool.input;
        let size = height * width;
        let mut kinds = Vec::with_capacity(channels * self.under.len());
        let mut tally = Tally::default();
        let flat = |under: &&Vec<usize>| under.len() == self.whole && self.whole > 1;
        let constant = self.under.iter().filter(flat);
        let constant = constant.filter(|under| classes.all_twins(under)).count();
        tally.constant = (constant * channels) as u64;
        for channel in cells.chunks_exact(size.max(1)).take(channels) {
            for under in &self.under {
                let kind = self.window(classes, under, channel, &mut tally);
                tally.counts[kind as usize] += 1;
                kinds.push(kind);
            }
        }
        Reading { kinds, tally }
    }

    fn window(&self, classes: &Classes, under: &[usize], x: &[f32], tally: &mut Tally) -> Kind {
        let value = |cell: usize| x.get(cell).copied().unwrap_or(f32::NAN);
        let mut cells = under.iter().copied();
        let Some(mut best) = cells.next() else {
            return Kind::Dead;
        };
        let mut next = f32::NEG_INFINITY;
        for cell in cells {
            let (greatest, own) = (value(best), value(cell));
            if own > greatest {
                next = greatest;
                best = cell;
            } else if own > next {
                next = own;
            }
        }
        let greatest = value(best);
        if self.pool.rectified && greatest == 0.0 {
            return Kind::Dead;
        }
        let twin = |cell: usize| classes.twins(best, cell);
        let equal = |cell: usize| value(cell) == greatest;
        let split = under.iter().any(|&cell| twin(cell) && !equal(cell));
        tally.split += u64::from(split);
        let mut tied = under.iter().filter(|&&cell| cell != best && equal(cell));
        match tied.next() {
            None => {
                if next > f32::NEG_INFINITY && !split {
                    tally.gap = smaller(tally.gap, Some(greatest - next));
                }
                Kind::OneMaximum
            }
            Some(&first) if twin(first) && tied.all(|&cell| twin(cell)) => Kind::Twins,
            Some(_) => Kind::Otherwise,
        }
    }
}
