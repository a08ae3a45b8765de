//! The speed of products of large matrices: what a step is compared with.

use std::time::Instant;

use cnnc::driver::{self, Unit};
use cnnc::network::Options;
use cnnc_runtime::program::Program;
use cnnc_runtime::state::State;

use crate::common::Failure;
use crate::common::engine::Engine;

/// What is tried.
const FORMS: [Form; 3] = [
    Form {
        size: 1024,
        chain: 16,
        flags: &[],
    },
    Form {
        size: 1024,
        chain: 16,
        flags: TILED,
    },
    Form {
        size: 2048,
        chain: 8,
        flags: TILED,
    },
];
/// Helps some products on the CPU.
const TILED: &[&str] = &["--iree-opt-data-tiling"];

#[derive(Debug, Clone, Copy)]
struct Form {
    /// Rows and columns of the matrices.
    size: usize,
    /// Products in a row, so that moving the first factor and the result takes no share.
    chain: usize,
    /// For IREE.
    flags: &'static [&'static str],
}

/// Compiled products.
pub struct Peak(Vec<(Form, Vec<u8>)>);

/// Those of the best form, loaded.
pub struct Products {
    form: Form,
    program: Program,
    state: State,
    factor: Vec<f32>,
    best: f64,
}

impl Peak {
    pub fn compile(engine: &Engine<'_>) -> Result<Self, Failure> {
        let cpu = engine.runtime().name().is_cpu();
        let forms = FORMS.into_iter().filter(|f| cpu || f.flags.is_empty());
        let compile = |form: Form| {
            let (unit, batch) = (unit(form)?, form.size as i64);
            let bytes = engine.compile(&unit, batch, &["init", "forward"], form.flags)?;
            Ok((form, bytes))
        };
        Ok(Peak(forms.map(compile).collect::<Result<_, Failure>>()?))
    }

    /// Loads the form that is fastest here.
    pub fn load(self, engine: &Engine<'_>) -> Result<Products, Failure> {
        let mut best: Option<Products> = None;
        for (form, bytes) in self.0 {
            let program = engine.load(&bytes)?;
            let mut products = Products {
                form,
                state: program.init(0).map_err(Failure::new)?,
                program,
                factor: vec![1.0; form.size * form.size],
                best: 0.0,
            };
            products.run()?;
            products.best = 0.0;
            products.run()?;
            best = match best {
                Some(known) if known.best >= products.best => Some(known),
                _ => Some(products),
            };
        }
        best.ok_or_else(|| Failure::new("there is nothing to compare with"))
    }
}

impl Products {
    /// Runs the products once.
    pub fn run(&mut self) -> Result<(), Failure> {
        let start = Instant::now();
        let result = self.program.forward(&self.state, &self.factor);
        result.map_err(Failure::new)?;
        let seconds = start.elapsed().as_secs_f64();
        let operations = 2.0 * (self.form.size as f64).powi(3) * self.form.chain as f64;
        self.best = self.best.max(operations / seconds);
        Ok(())
    }

    /// Floating-point operations per second in the best run.
    pub fn flops(&self) -> f64 {
        self.best
    }
}

/// A network that multiplies by the same square matrix over and over.
fn unit(form: Form) -> Result<Unit, Failure> {
    let (size, products) = (form.size, " |> d".repeat(form.chain));
    let text = format!(
        "net sgemm {{
            input image: f32[N, {size}, 1, 1];
            let d = dense({size}, bias=false, init=lecun_normal);
            image |> flatten{products}
        }}"
    );
    driver::read("sgemm", &text, &Options::default()).map_err(Failure::new)
}
