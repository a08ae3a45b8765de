//! When is "the derivative" defined? The audit of a data point.
//!
//! A network of relus and max-pools is smooth where every decision it makes
//! would be made the same way nearby, or makes no difference. The audit runs
//! the loss at one data point over [`Bounded`] numbers: the f64s that decide,
//! beside real values with a bound on their error, and field elements in which
//! the image is itself and the parameters are random. Real values that are
//! apart by more than their bounds, and as the f64s say, are apart. Values that
//! are closer are told apart by the elements: equal elements are equal
//! functions of the parameters (but for a chance of degree / 2^61), so that a
//! tie between them stays a tie wherever the parameters go, and does no harm.
//!
//! The bounds are of the worst case and grow from layer to layer, by about four
//! bits for a convolution with its norm. The run begins with 128 bits; while more
//! decide more, it is made again with twice as many.

mod pairs;
mod site;
mod windows;

use std::fmt;

use serde::Serialize;

pub use site::{Fault, Form, Outcome, Site, Structural, Tally};

use super::subject::LIMITS;
use super::twins::Structure;
use crate::reference::{Bounded, Error, Limits, Prime, Step, Tensor, run_traced};
use crate::stablehlo::{BinaryOp, Function, Instruction, Op, Reducer, UnaryOp, Value};

/// What an audit takes for granted.
#[derive(Debug, Clone, Copy)]
pub struct Options<'s> {
    /// How many leading arguments are parameters. They get random elements;
    /// the others are themselves.
    pub parameters: usize,
    /// Of the random elements.
    pub seed: u64,
    /// What each cell of a max-pool is made of, for comparison with what the
    /// field says.
    pub structure: Option<&'s Structure>,
    /// What the run may use.
    pub limits: Limits,
}

impl Options<'_> {
    /// For a function whose first arguments are so many parameters.
    pub fn new(parameters: usize) -> Self {
        Options {
            parameters,
            seed: 0,
            structure: None,
            limits: LIMITS,
        }
    }
}

/// What was found at a data point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Audit {
    /// Examples in the batch.
    pub examples: usize,
    /// The decisions that the derivative depends on, in the function's order.
    pub sites: Vec<Site>,
    /// Names of parameters that are 0 throughout.
    pub zeros: Vec<String>,
    /// Bits of the real values that the decisions took.
    pub bits: usize,
}

impl Audit {
    /// Whether the function has a derivative here as far as can be told: no
    /// kink, nothing undecided, and no contradiction to the structure.
    pub fn holds(&self) -> bool {
        self.sites.iter().all(Site::holds)
    }

    /// The same for one example of the batch.
    pub fn example_holds(&self, example: usize) -> bool {
        let tallies = self
            .sites
            .iter()
            .filter_map(|site| site.examples.get(example));
        tallies.copied().all(Tally::smooth) && self.sites.iter().all(Site::agrees)
    }
}

impl fmt::Display for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for site in &self.sites {
            writeln!(f, "{site}")?;
        }
        let on_kink = |site: &Site| site.form == Form::Threshold && site.total().tied > 0;
        if !self.zeros.is_empty() && self.sites.iter().any(on_kink) {
            writeln!(
                f,
                "note: {} 0 throughout; with a bias of 0 every cell over a background of 0 sits on \
                 the kink of the next relu",
                list(&self.zeros)
            )?;
        }
        let smooth = (0..self.examples).filter(|&example| self.example_holds(example));
        let (smooth, all) = (smooth.count(), self.examples);
        write!(f, "{smooth} of {all} examples have a derivative here")
    }
}

/// `a is`, `a and b are`, `a, b and c are`.
fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => format!("{one} is"),
        [rest @ .., last] => format!("{} and {last} are", rest.join(", ")),
    }
}

/// Audits `function` at these real values of its arguments.
///
/// # Errors
/// If the arguments do not fit the function, or it cannot be interpreted.
pub fn audit(
    function: &Function,
    arguments: &[Tensor<f64>],
    options: &Options<'_>,
) -> Result<Audit, Error> {
    let matters = matters(function);
    // Decisions that are made in regions go by unseen.
    let moves = |&v: &Value| matters[v.index()] && function.ty(v).element.is_float();
    let unseen = |i: &&Instruction| {
        i.op.compound().is_some_and(|op| !op.regions().is_empty()) && i.operands.iter().any(moves)
    };
    if let Some(i) = function.body.iter().find(unseen) {
        return Err(Error::Operation {
            op: i.op.name(),
            message: "has regions, whose decisions are not audited".to_owned(),
            location: i.location.clone(),
        });
    }
    let [(first, mut bits), further @ ..] = WORDS;
    let mut sites = first(function, arguments, options, &matters)?;
    for (find, more) in further {
        let before = undecided(&sites);
        if before == 0 {
            break;
        }
        match find(function, arguments, options, &matters) {
            Ok(found) => (sites, bits) = (found, more),
            // What is known by fewer bits stands.
            Err(Error::TooLarge { .. }) => break,
            Err(error) => return Err(error),
        }
        // No number of bits tells values apart that are equal.
        if undecided(&sites) == before {
            break;
        }
    }
    let named = function.arguments.iter().zip(arguments);
    let zeros = named
        .take(options.parameters)
        .filter_map(|(argument, tensor)| {
            let zero = tensor.as_numbers().iter().all(|&value| value == 0.0);
            argument.name.clone().filter(|_| zero)
        });
    Ok(Audit {
        examples: examples(arguments, options.parameters),
        zeros: zeros.collect(),
        sites,
        bits,
    })
}

/// What the audit finds with some number of bits.
type Words = fn(&Function, &[Tensor<f64>], &Options<'_>, &[bool]) -> Result<Vec<Site>, Error>;

/// By numbers of so many bits.
const WORDS: [(Words, usize); 3] = [(sites::<2>, 128), (sites::<4>, 256), (sites::<8>, 512)];

/// Decisions that are undecided.
fn undecided(sites: &[Site]) -> u64 {
    sites.iter().map(|site| site.total().undecided).sum()
}

/// What is found with `W` words of 64 bits.
fn sites<const W: usize>(
    function: &Function,
    arguments: &[Tensor<f64>],
    options: &Options<'_>,
    matters: &[bool],
) -> Result<Vec<Site>, Error> {
    let lifted = lift::<W>(arguments, options)?;
    let mut run = Run {
        examples: examples(arguments, options.parameters),
        matters,
        pools: 0,
        structure: options
            .structure
            .filter(|s| s.pools.len() == pools(function)),
        sites: Vec::new(),
    };
    run_traced(function, &lifted, options.limits, |step| run.step(&step))?;
    Ok(run.sites)
}

/// Whether rounding may change a decision that `function` makes at these
/// arguments, as far as 256 bits tell, be it one that the derivative depends on or not. What is decided
/// in regions goes by unseen.
///
/// # Errors
/// As [`audit`].
pub(super) fn rests_on_rounding(
    function: &Function,
    arguments: &[Tensor<Bounded<4>>],
) -> Result<bool, Error> {
    let mut run = Run {
        examples: 1,
        matters: &vec![true; function.value_count()],
        pools: 0,
        structure: None,
        sites: Vec::new(),
    };
    let limits = Options::new(0).limits;
    run_traced(function, arguments, limits, |step| run.step(&step))?;
    Ok(undecided(&run.sites) > 0)
}

/// Parameters with random elements, everything else as it is.
fn lift<const W: usize>(
    arguments: &[Tensor<f64>],
    options: &Options<'_>,
) -> Result<Vec<Tensor<Bounded<W>>>, Error> {
    let mut random = options.seed;
    let arguments = arguments.iter().enumerate();
    arguments
        .map(|(index, tensor)| {
            let ty = tensor.ty().clone();
            if !ty.element.is_float() {
                return Tensor::integers(ty, tensor.as_integers().to_vec());
            }
            let number = |&shadow: &f64| match index < options.parameters {
                true => Bounded::new(element(&mut random), shadow, 0.0),
                false => Bounded::new(Prime::from_f64(shadow), shadow, 0.0),
            };
            Tensor::numbers(ty, tensor.as_numbers().iter().map(number).collect())
        })
        .collect()
}

/// The next random element: SplitMix64.
fn element(state: &mut u64) -> Prime {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    Prime::new(x ^ x >> 31)
}

/// Examples in the first argument that is no parameter.
fn examples(arguments: &[Tensor<f64>], parameters: usize) -> usize {
    let batch = arguments
        .get(parameters)
        .and_then(|image| image.ty().shape.first());
    batch
        .and_then(|&batch| usize::try_from(batch).ok())
        .unwrap_or(1)
}

/// Max-pools of a function.
fn pools(function: &Function) -> usize {
    let pool = |op: &Op| {
        matches!(
            op,
            Op::ReduceWindow {
                reducer: Reducer::Max,
                ..
            }
        )
    };
    function.body.iter().filter(|i| pool(&i.op)).count()
}

/// For each value whether the derivative can reach it: not what reverse mode
/// holds constant, and what rests on nothing else.
fn matters(function: &Function) -> Vec<bool> {
    let mut matters = vec![false; function.value_count()];
    for argument in &function.arguments {
        matters[argument.value.index()] = true;
    }
    for instruction in &function.body {
        let operands = instruction.operands.iter();
        matters[instruction.result.index()] =
            !instruction.stop_gradient && operands.clone().any(|v| matters[v.index()]);
    }
    matters
}

/// An audit under way.
struct Run<'s> {
    examples: usize,
    matters: &'s [bool],
    /// Max-pools seen.
    pools: usize,
    structure: Option<&'s Structure>,
    sites: Vec<Site>,
}

impl Run<'_> {
    fn step<const W: usize>(&mut self, step: &Step<'_, Bounded<W>>) {
        let instruction = step.instruction;
        let pool = match (&instruction.op, self.structure) {
            (
                Op::ReduceWindow {
                    reducer: Reducer::Max,
                    ..
                },
                Some(structure),
            ) => {
                self.pools += 1;
                windows::Expected::of(structure, self.pools - 1)
            }
            _ => None,
        };
        if !self
            .matters
            .get(instruction.result.index())
            .copied()
            .unwrap_or(false)
        {
            return;
        }
        let site = match &instruction.op {
            Op::Binary(BinaryOp::Maximum | BinaryOp::Minimum) | Op::Compare(_) => {
                pairs::of_two(step, self.examples)
            }
            Op::Unary(UnaryOp::Abs | UnaryOp::Sign) => pairs::with_zero(step, self.examples),
            Op::Unary(op) if op.is_step() => pairs::with_jump(step, *op, self.examples),
            Op::Clamp => pairs::with_bound(step, self.examples),
            Op::ReduceWindow {
                reducer: reducer @ (Reducer::Max | Reducer::Min),
                window,
            } => windows::sliding(step, *reducer, window, self.examples, pool),
            Op::Reduce {
                reducer: reducer @ (Reducer::Max | Reducer::Min),
                dims,
            } => windows::reduced(step, *reducer, dims, self.examples),
            _ => None,
        };
        self.sites.extend(site);
    }
}
