//! What is found at one operation.

use std::fmt;

use serde::Serialize;

/// What kind of decisions an operation makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Each input against 0.
    Threshold,
    /// Each element of one input against that of the other.
    Pair,
    /// The cells of each window against each other.
    Window,
}

/// How one decision comes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A window in which every cell is the function 0.
    Dead,
    /// The true values differ, by more than their errors, and as the shadows do.
    Apart,
    /// The values are the same function of the parameters.
    Same,
    /// The values are equal, the functions are not: a kink.
    Tied,
    /// The true values may compare otherwise than the shadows, and the functions
    /// differ.
    Undecided,
}

/// Decisions by outcome.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Tally {
    /// [`Outcome::Dead`]
    pub dead: u64,
    /// [`Outcome::Apart`]
    pub apart: u64,
    /// [`Outcome::Same`]
    pub same: u64,
    /// [`Outcome::Tied`]
    pub tied: u64,
    /// [`Outcome::Undecided`]
    pub undecided: u64,
    /// Smallest difference of values that are apart.
    pub closest: Option<f64>,
}

impl Tally {
    /// Whether no decision is a kink or undecided.
    pub fn smooth(self) -> bool {
        self.tied == 0 && self.undecided == 0
    }

    /// All decisions.
    pub fn decisions(self) -> u64 {
        self.dead + self.apart + self.same + self.tied + self.undecided
    }

    pub(super) fn count(&mut self, outcome: Outcome, gap: f64) {
        let count = match outcome {
            Outcome::Dead => &mut self.dead,
            Outcome::Apart => &mut self.apart,
            Outcome::Same => &mut self.same,
            Outcome::Tied => &mut self.tied,
            Outcome::Undecided => &mut self.undecided,
        };
        *count += 1;
        if outcome == Outcome::Apart {
            self.closest = Some(self.closest.map_or(gap, |closest| closest.min(gap)));
        }
    }

    fn add(mut self, other: Tally) -> Tally {
        self.dead += other.dead;
        self.apart += other.apart;
        self.same += other.same;
        self.tied += other.tied;
        self.undecided += other.undecided;
        self.closest = match (self.closest, other.closest) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self
    }
}

/// A kink, or a decision that could not be made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fault {
    /// [`Outcome::Tied`] or [`Outcome::Undecided`].
    pub outcome: Outcome,
    /// Index of the element or window in the operation's result.
    pub index: Vec<usize>,
    /// The two values.
    pub values: [f64; 2],
    /// How far they may be from the truth, together.
    pub bound: f64,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([a, b], index, bound) = (self.values, &self.index, self.bound);
        match self.outcome {
            Outcome::Undecided => {
                write!(
                    f,
                    "undecided at {index:?}: {a:e} and {b:e}, give or take {bound:.1e}"
                )
            }
            _ => write!(
                f,
                "kink at {index:?}: {a} and {b} are equal, but not the same function"
            ),
        }
    }
}

/// The field against the structure, over the pairs of cells under one window,
/// one of them maximal, that are not both the function 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Structural {
    /// Twins by both.
    pub both: u64,
    /// Twins in the field alone: equal by algebra, or on this piece of the
    /// network.
    pub field_only: u64,
    /// Twins by structure alone: a contradiction.
    pub structure_only: u64,
}

/// How many faults of each outcome a site keeps.
const KEPT: usize = 3;

/// What is found at one operation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Site {
    /// `relu`, `max_pool`, or the name of the operation.
    pub op: String,
    /// Its place in the `.net` text.
    pub location: String,
    /// What it decides.
    pub form: Form,
    /// Its decisions by example; all under one where it does not keep examples
    /// apart.
    pub examples: Vec<Tally>,
    /// The first faults of either outcome.
    pub faults: Vec<Fault>,
    /// Comparison with the structure, where it was given.
    pub structural: Option<Structural>,
}

impl Site {
    /// Decisions of all examples.
    pub fn total(&self) -> Tally {
        self.examples
            .iter()
            .copied()
            .fold(Tally::default(), Tally::add)
    }

    /// Whether it is smooth here, and the structure agrees.
    pub fn holds(&self) -> bool {
        self.total().smooth() && self.agrees()
    }

    /// Whether the structure does not contradict.
    pub fn agrees(&self) -> bool {
        self.structural
            .is_none_or(|structural| structural.structure_only == 0)
    }

    pub(super) fn fault(&mut self, fault: impl FnOnce() -> Fault, outcome: Outcome) {
        let like = self.faults.iter().filter(|fault| fault.outcome == outcome);
        if like.count() < KEPT {
            self.faults.push(fault());
        }
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (total, op, location) = (self.total(), &self.op, &self.location);
        let Tally {
            dead,
            apart,
            same,
            tied,
            undecided,
            closest,
        } = total;
        let all = total.decisions();
        write!(f, "{op} at {location}: ")?;
        match self.form {
            Form::Threshold => write!(
                f,
                "{all} inputs: {apart} off zero, {same} identically zero, {tied} on the kink"
            )?,
            Form::Pair => write!(
                f,
                "{all} pairs: {apart} apart, {same} the same, {tied} on the kink"
            )?,
            Form::Window => write!(
                f,
                "{all} windows: {dead} dead, {apart} with one maximum, {same} tied between twins, \
                 {tied} tied otherwise"
            )?,
        }
        write!(f, ", {undecided} undecided")?;
        if let Some(closest) = closest {
            write!(f, "; closest {closest:.1e}")?;
        }
        for fault in &self.faults {
            write!(f, "\n  {fault}")?;
        }
        let kept = self.faults.len() as u64;
        if tied + undecided > kept && kept > 0 {
            write!(f, "\n  and {} more", tied + undecided - kept)?;
        }
        let Some(Structural {
            both,
            field_only,
            structure_only,
        }) = self.structural
        else {
            return Ok(());
        };
        write!(f, "\n  by structure: {both} twins agree with the field")?;
        if field_only > 0 {
            write!(f, ", {field_only} are twins in the field alone")?;
        }
        if structure_only > 0 {
            write!(
                f,
                ", {structure_only} are twins by structure alone: A CONTRADICTION"
            )?;
        }
        Ok(())
    }
}
