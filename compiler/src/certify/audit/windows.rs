//! Decisions within windows: pools, and maxima over dimensions.

use super::pairs::{begin, fault, index, outcome};
use super::site::{Form, Outcome, Site, Structural};
use crate::certify::twins::{Classes, Pool, Structure};
use crate::reference::{Bounded, Number, Prime, Step, Windows};
use crate::stablehlo::{Reducer, Window};

/// What the structure says of one max-pool.
pub(super) struct Expected<'s> {
    pool: &'s Pool,
    classes: &'s [Option<Classes>],
}

impl<'s> Expected<'s> {
    pub(super) fn of(structure: &'s Structure, number: usize) -> Option<Self> {
        Some(Expected {
            pool: structure.pools.get(number)?,
            classes: structure.classes.get(number)?,
        })
    }

    /// Whether two cells of the input [N, C, H, W] are twins; `None` where the
    /// structure cannot tell.
    fn twins(&self, a: usize, b: usize) -> Option<bool> {
        let [_, height, width] = self.pool.input;
        let size = height * width;
        let example = a.checked_div(self.pool.cells())?;
        let classes = self.classes.get(example)?.as_ref()?;
        Some(classes.twins(a % size, b % size))
    }
}

/// A pool.
pub(super) fn sliding<const W: usize>(
    step: &Step<'_, Bounded<W>>,
    reducer: Reducer,
    window: &Window,
    examples: usize,
    expected: Option<Expected<'_>>,
) -> Option<Site> {
    let op = match reducer {
        Reducer::Max => "max_pool",
        _ => step.instruction.op.name(),
    };
    site(
        step,
        op,
        reducer,
        window,
        &step.result.extents(),
        examples,
        expected,
    )
}

/// A maximum or minimum over dimensions: one window over the whole of them.
pub(super) fn reduced<const W: usize>(
    step: &Step<'_, Bounded<W>>,
    reducer: Reducer,
    dims: &[usize],
    examples: usize,
) -> Option<Site> {
    let x = step.operands.first()?;
    let mut window = Window::unit(x.ty().rank());
    let mut positions = x.extents();
    for &dim in dims {
        *window.size.get_mut(dim)? = *x.ty().shape.get(dim)?;
        *positions.get_mut(dim)? = 1;
    }
    let op = step.instruction.op.name();
    site(step, op, reducer, &window, &positions, examples, None)
}

fn site<const W: usize>(
    step: &Step<'_, Bounded<W>>,
    op: &str,
    reducer: Reducer,
    window: &Window,
    positions: &[usize],
    examples: usize,
    expected: Option<Expected<'_>>,
) -> Option<Site> {
    let tensor = step.operands.first()?;
    let x = tensor.as_numbers();
    if x.is_empty() {
        return None;
    }
    // The interpreter has slid the same window over the same cells.
    let windows = Windows::new(window, &tensor.extents(), positions).ok()?;
    let mut site = begin(step, op, Form::Window, examples);
    let by_example = (positions.iter().product::<usize>() / site.examples.len()).max(1);
    let shape = step.result.extents();
    let mut structural = expected.as_ref().map(|_| Structural::default());
    windows.each(|place, under| {
        let Some(found) = Found::of(x, under, reducer) else {
            return;
        };
        if let Some(tally) = site.examples.get_mut(place / by_example) {
            tally.count(found.outcome, found.gap);
        }
        if let Some(rival) = found.rival {
            let (a, b) = (x[found.best], x[rival]);
            site.fault(
                || fault(found.outcome, index(&shape, place), a, b),
                found.outcome,
            );
        }
        if let (Some(structural), Some(expected)) = (&mut structural, &expected)
            && found.outcome != Outcome::Dead
        {
            compare(structural, expected, x, found.best, under);
        }
    });
    site.structural = structural;
    Some(site)
}

/// What a window holds.
struct Found {
    outcome: Outcome,
    /// The first maximal cell.
    best: usize,
    /// A cell that makes it a kink or undecided.
    rival: Option<usize>,
    /// Distance to the next cell that is apart.
    gap: f64,
}

impl Found {
    fn of<const W: usize>(
        x: &[Bounded<W>],
        under: &[Option<usize>],
        reducer: Reducer,
    ) -> Option<Found> {
        let cells = || under.iter().copied().flatten();
        let keeps = |a: usize, b: usize| {
            let (a, b) = (x[a].shadow(), x[b].shadow());
            if reducer == Reducer::Min {
                a <= b
            } else {
                a >= b
            }
        };
        let best = cells().reduce(|a, b| if keeps(a, b) { a } else { b })?;
        let mut found = Found {
            outcome: Outcome::Apart,
            best,
            rival: None,
            gap: f64::INFINITY,
        };
        let zero = |cell: usize| x[cell].element() == Prime::ZERO && x[cell].shadow() == 0.0;
        if cells().all(zero) {
            found.outcome = Outcome::Dead;
            return Some(found);
        }
        for cell in cells().filter(|&cell| cell != best) {
            let outcome = outcome(x[best], x[cell]);
            if outcome == Outcome::Apart {
                let gap = (x[best].shadow() - x[cell].shadow()).abs();
                found.gap = found.gap.min(gap);
            }
            if severity(outcome) > severity(found.outcome) {
                found.outcome = outcome;
                found.rival = (severity(outcome) > severity(Outcome::Same)).then_some(cell);
            }
        }
        Some(found)
    }
}

/// A certain kink outweighs an open question.
fn severity(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Dead | Outcome::Apart => 0,
        Outcome::Same => 1,
        Outcome::Undecided => 2,
        Outcome::Tied => 3,
    }
}

fn compare<const W: usize>(
    structural: &mut Structural,
    expected: &Expected<'_>,
    x: &[Bounded<W>],
    best: usize,
    under: &[Option<usize>],
) {
    for cell in under.iter().copied().flatten().filter(|&cell| cell != best) {
        let (a, b) = (x[best].element(), x[cell].element());
        let Some(by_structure) = expected.twins(best, cell) else {
            continue;
        };
        match (a == b, by_structure) {
            (true, true) => structural.both += 1,
            (true, false) if a != Prime::ZERO => structural.field_only += 1,
            (false, true) => structural.structure_only += 1,
            _ => {}
        }
    }
}
