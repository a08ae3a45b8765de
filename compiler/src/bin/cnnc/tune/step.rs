//! The whole step: by rule, in the forms found, with flags.

use cnnc::driver::{Backend, Unit, fingerprint};
use cnnc::stablehlo::Module;
use cnnc::tune::Costs;
use cnnc_runtime::program::Program;

use super::Args;
use super::race::race;
use crate::bench::Steps;
use crate::common::engine::Engine;
use crate::common::net::failure;
use crate::common::{Console, Failure};

/// What the step needs.
const FUNCTIONS: [&str; 2] = ["init", "train_step"];

/// Flags of IREE's compiler that make some steps faster.
const FLAGS: &[&str] = &[
    "--iree-dispatch-creation-enable-fuse-padding-into-linalg-producer-ops",
    "--iree-opt-data-tiling",
];

/// What a variant must gain on the one before it.
const GAIN: f64 = 0.98;
/// How far apart losses may be that several forms give in the same step.
const APART: f32 = 1e-2;

/// A way to compile the step, and what it takes.
pub struct Variant {
    /// For people.
    pub name: String,
    flags: Vec<String>,
    /// Whether in the forms found; by rule otherwise.
    measured: bool,
    /// Median seconds; `None` for one that was out at once.
    pub seconds: Option<f64>,
}

/// All variants, that by rule first.
pub struct Variants {
    pub all: Vec<Variant>,
    /// The one to take.
    pub best: usize,
    /// Flags that IREE refuses for this step, or that change what it computes.
    pub failed: Vec<String>,
    /// Fingerprints of the step by rule and in the forms found.
    fingerprints: [Option<String>; 2],
}

impl Variants {
    /// Whether what was measured makes the step faster.
    pub fn helps(&self) -> bool {
        self.best > 0
    }

    /// Enters the flags of the best variant into `costs`. Whether others were known.
    pub fn keep(&self, costs: &mut Costs) -> bool {
        let best = self.all.get(self.best).filter(|_| self.helps());
        let [by_rule, found] = &self.fingerprints;
        let mut changed = false;
        for fingerprint in [by_rule, found].into_iter().flatten() {
            // Where the best one is in the forms found, that by rule is another program.
            let its = best.filter(|_| Some(fingerprint) == found.as_ref());
            let flags = its.map_or_else(Vec::new, |variant| variant.flags.clone());
            changed |= costs.set_flags(fingerprint, flags);
        }
        changed
    }
}

pub fn measure(
    unit: &Unit,
    batch: i64,
    engine: &Engine<'_>,
    backend: &Backend,
    args: &Args,
    console: &Console,
    costs: &Costs,
) -> Result<Variants, Failure> {
    let module = unit
        .portable(batch, &FUNCTIONS)
        .map_err(|error| failure(&error, &unit.sources, console))?;
    let tuned = |costs: &Costs| {
        let mut backend = backend.clone();
        backend.tuning.costs = costs.clone();
        backend.tune(&module).map_err(Failure::new)
    };
    let by_rule = tuned(&Costs::default())?;
    let found = tuned(costs)?;
    let differs = found != by_rule;
    let mut variants = vec![variant("by rule", false, &[])];
    if differs {
        variants.push(variant("in the forms found", true, &[]));
    }
    let flags = FLAGS
        .iter()
        .copied()
        .chain(args.flags.iter().map(String::as_str));
    variants.extend(flags.map(|flags| {
        let each: Vec<&str> = flags.split_whitespace().collect();
        variant(flags, differs, &each)
    }));
    let mut failed = Vec::new();
    let mut programs = Vec::new();
    let mut loss = None;
    for variant in std::mem::take(&mut variants) {
        console.status(&format!("compiling the step: {}", variant.name));
        let module = if variant.measured { &found } else { &by_rule };
        match program(engine, backend, module, &variant.flags) {
            Ok(program) if agrees(unit, &program, &mut loss)? => {
                programs.push(program);
                variants.push(variant);
            }
            Err(message) if variant.flags.is_empty() => return Err(Failure::new(message)),
            Err(message) => {
                console.detail(&message);
                failed.push(variant.name);
            }
            Ok(_) => {
                console.detail("the loss is another one");
                failed.push(variant.name);
            }
        }
    }
    console.status("timing the step");
    let mut steps = Vec::new();
    for program in &programs {
        steps.push(Steps::new(unit, program)?);
    }
    let times = race(steps.len(), args.rounds, |index, times| {
        let steps = steps.get_mut(index);
        steps.map_or(Ok(()), |steps| steps.round(times).map(|_| ()))
    })?;
    for (variant, seconds) in variants.iter_mut().zip(times) {
        variant.seconds = seconds;
    }
    let of = |module| fingerprint(module).map_err(Failure::new);
    Ok(Variants {
        best: best(&variants),
        all: variants,
        failed,
        fingerprints: [of(&by_rule)?, of(&found)?],
    })
}

fn variant(name: &str, measured: bool, flags: &[&str]) -> Variant {
    Variant {
        name: name.to_owned(),
        flags: flags.iter().map(|&flag| flag.to_owned()).collect(),
        measured,
        seconds: None,
    }
}

/// The fastest, where it gains enough on the first, and the flags on the same forms without.
fn best(variants: &[Variant]) -> usize {
    let mut best = 0;
    for (index, variant) in variants.iter().enumerate() {
        let of = |index: usize| variants.get(index).and_then(|v| v.seconds);
        if let (Some(seconds), Some(known)) = (variant.seconds, of(best))
            && seconds < known * GAIN
        {
            best = index;
        }
    }
    best
}

fn program(
    engine: &Engine<'_>,
    backend: &Backend,
    module: &Module,
    flags: &[String],
) -> Result<Program, String> {
    let mut backend = backend.clone();
    backend.flags.extra.extend(flags.iter().cloned());
    let bytes = backend.program(module).map_err(|error| error.to_string())?;
    Program::load(engine.runtime(), &bytes).map_err(|error| error.to_string())
}

/// Whether the loss after some steps is that of the first program, whose own failure is an error.
fn agrees(unit: &Unit, program: &Program, first: &mut Option<f32>) -> Result<bool, Failure> {
    let round = Steps::new(unit, program)?.round(4);
    let Some(expected) = *first else {
        *first = Some(round?.loss);
        return Ok(true);
    };
    let near = |loss: f32| (loss - expected).abs() <= APART * expected.abs().max(APART);
    Ok(round.is_ok_and(|round| near(round.loss)))
}
