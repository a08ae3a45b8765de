//! Forms: which is taken, by rule and by cost, and that all compute the same.

use super::{nhwc, plain, ty};
use crate::driver;
use crate::network;
use crate::simplify::tests::{Draw, assert_same_value, names};
use crate::stablehlo::{Convolution, ConvolutionDims, Module};
use crate::tune::choice::Site;
use crate::tune::winograd::Form as Tile;
use crate::tune::{Costs, Form, Options, Question, Target, questions, tune_with};

use Form::{Direct, FewPixels, Flattened, Products, Strided};

const FOUR: Form = Form::Winograd(Tile::Four);
const TWO: Form = Form::Winograd(Tile::Two);
const ROWS: Form = Form::Winograd(Tile::Rows);

/// A 3x3 convolution of stride 1 that keeps the size of images.
fn same() -> Convolution {
    Convolution {
        padding: vec![[1, 1]; 2],
        ..plain(nhwc())
    }
}

fn forward(n: i64, size: i64, c: i64, o: i64) -> Vec<Form> {
    let [x, w] = [ty(&[n, size, size, c]), ty(&[3, 3, c, o])];
    let site = Site::of(&same(), &x, &w, &[n, size, size, o]);
    site.map_or(Vec::new(), |site| site.forms)
}

/// The forms of a weight gradient, as reverse mode writes it.
fn gradient(n: i64, size: i64, stride: i64, c: i64, o: i64) -> Vec<Form> {
    let conv = Convolution {
        padding: vec![[1, 2 - stride]; 2],
        rhs_dilation: vec![stride; 2],
        dims: ConvolutionDims {
            input_batch: 3,
            input_feature: 0,
            kernel_input: 0,
            kernel_output: 3,
            kernel_spatial: vec![1, 2],
            output_batch: 2,
            output_spatial: vec![0, 1],
            ..nhwc()
        },
        ..plain(nhwc())
    };
    let out = size / stride;
    let [x, dy] = [ty(&[n, size, size, c]), ty(&[n, out, out, o])];
    let site = Site::of(&conv, &x, &dy, &[3, 3, c, o]);
    site.map_or(Vec::new(), |site| site.forms)
}

/// The rows of the table of measurements, and what it says of small images.
#[test]
fn the_first_form_is_the_one_measured_fastest_elsewhere() {
    assert_eq!(forward(64, 4, 512, 512), [FOUR, Direct, ROWS]);
    assert_eq!(forward(64, 2, 64, 64), [TWO, Direct]);
    assert_eq!(forward(128, 16, 32, 64), [Direct, FOUR, ROWS]);
    assert_eq!(forward(32, 28, 32, 32), [Direct, FOUR, ROWS]);
    assert_eq!(forward(32, 16, 64, 64), [FOUR, Direct, ROWS]);
    // Five rows would need two bands, and the halves of 33 channels are none.
    assert_eq!(forward(1024, 5, 32, 32), []);
    assert_eq!(forward(32, 28, 33, 33), [Direct, FOUR]);
    assert_eq!(forward(128, 28, 1, 32), [Products, Direct]);
    assert_eq!(forward(128, 28, 3, 32), []);
    let large = gradient(128, 28, 1, 32, 32);
    assert_eq!(large, [Flattened, Strided, FOUR, ROWS]);
    // In parts that leave room for the rows.
    let parts = gradient(32, 28, 1, 32, 32);
    assert_eq!(parts, [ROWS, Flattened, Strided, FewPixels, FOUR]);
    let parts = gradient(32, 32, 1, 32, 32);
    assert_eq!(parts, [Flattened, Strided, FOUR, ROWS]);
    assert_eq!(
        gradient(128, 16, 1, 32, 64),
        [FOUR, Flattened, Strided, ROWS]
    );
    let small = gradient(64, 4, 1, 16, 16);
    assert_eq!(small, [FewPixels, Flattened, Strided, FOUR, ROWS]);
    assert_eq!(gradient(64, 16, 2, 16, 16), [FewPixels, Strided]);
    assert_eq!(gradient(2, 32, 2, 16, 16), [Strided, FewPixels]);
    assert_eq!(gradient(2, 32, 2, 1, 16), []);
}

const NET: &str = "net small {
    input image: f32[N, 1, 10, 10];
    image |> conv(16, kernel=3) |> relu |> conv(16, kernel=3) |> relu
          |> conv(17, kernel=3, stride=2) |> flatten |> dense(3)
}
train { batch = 2; }
";

fn small() -> (Module, Vec<Question>) {
    let unit = driver::read("small.net", NET, &network::Options::default()).unwrap();
    let module = unit.portable(2, &["train_step"]).unwrap();
    let asked = questions(&module, Target::Cpu, &Options::default()).unwrap();
    (module, asked)
}

#[test]
fn every_form_computes_the_same() {
    let (_, asked) = small();
    let mut seen = Vec::new();
    for question in &asked {
        for &form in &question.forms {
            let module = question.in_form(form, Target::Cpu, &Options::default());
            let module = module.unwrap();
            let found = &module.functions[0];
            assert_same_value(&question.subject, found, Draw::Distinct);
            assert_same_value(&question.subject, found, Draw::Ties);
            seen.push((question.key.split(' ').next().unwrap(), form));
        }
    }
    for form in [Products, Direct, FOUR, ROWS] {
        assert!(seen.contains(&("convolution", form)), "{form:?}");
    }
    for form in [Flattened, Strided, FewPixels, FOUR, ROWS] {
        assert!(seen.contains(&("weight-gradient", form)), "{form:?}");
    }
}

/// Each choice once, weight gradients last.
#[test]
fn choices_are_asked_once() {
    let (_, asked) = small();
    let keys: Vec<&str> = asked.iter().map(|question| &*question.key).collect();
    // The second convolution and its input gradient are the same to IREE.
    let expected = [
        "convolution f32 2x10x10x1 3x3x1x16 2x10x10x16 padding 1,1,1,1",
        "convolution f32 2x10x10x16 3x3x16x16 2x10x10x16 padding 1,1,1,1",
        "weight-gradient f32 2x10x10x16 3x3x16x16 2x10x10x16 padding 1,1,1,1",
        "weight-gradient f32 2x10x10x16 3x3x16x17 2x5x5x17 stride 2x2 padding 0,1,0,1",
    ];
    assert_eq!(keys.len(), expected.len(), "{keys:#?}");
    for key in expected {
        assert!(keys.contains(&key), "{key} in {keys:#?}");
    }
    assert!(keys.is_sorted_by_key(|key| key.starts_with("weight")));
}

/// What was measured is what a tuning takes, and no more than that changes.
#[test]
fn costs_choose_the_form() {
    let (module, asked) = small();
    let count = |costs: &Costs, name: &str| {
        let options = Options {
            costs: costs.clone(),
            ..Options::default()
        };
        let tuned = tune_with(&module, Target::Cpu, &options).unwrap();
        names(&tuned.functions[0])
            .iter()
            .filter(|n| **n == name)
            .count()
    };
    let mut costs = Costs::default();
    let convolutions = count(&costs, "convolution");
    let first = asked
        .iter()
        .find(|q| q.forms == [Products, Direct])
        .unwrap();
    costs.insert(&first.key, [(Products, 20), (Direct, 18)]);
    assert_eq!(count(&costs, "convolution"), convolutions + 1);
    costs.insert(&first.key, [(Products, 20), (Direct, 20)]);
    assert_eq!(count(&costs, "convolution"), convolutions);
    let second = [Direct, FOUR, ROWS];
    let second = asked.iter().find(|q| q.forms == second).unwrap();
    costs.insert(&second.key, [(Direct, 20), (FOUR, 10)]);
    assert_eq!(count(&costs, "convolution"), convolutions - 2);
    // Winograd's form may be forbidden, whatever it costs.
    let direct = Options {
        costs,
        ..Options::default()
    };
    let tuned = tune_with(&module, Target::Cpu, &direct.directly()).unwrap();
    let left = names(&tuned.functions[0]);
    assert_eq!(
        left.iter().filter(|n| **n == "convolution").count(),
        convolutions
    );
}
