//! Ties of max-pools at every choice of the tuning: all of a window's cotangent goes to its first maximal cell in
//! row-major order, and what overlapping windows give to a cell adds.

use super::checks::{functions, tensor};
use super::common::ops::{Array, Case, cases};
use super::goldens::between_convolutions;
use super::iree::Machine;
use crate::tunings;
use cnnc::stablehlo::{Builder, Function, Module, Op, Reducer, TensorType, Window};
use cnnc::tune::Options;

/// Which of the maximal cells of a window takes its cotangent.
#[derive(Clone, Copy, PartialEq)]
enum Taker {
    First,
    Last,
}

/// Value and gradient of a max-pool over the last two of four dimensions, cell by cell.
fn pool(x: &Array, dy: Option<&Array>, window: &Window, taker: Taker) -> (Vec<f64>, Vec<f64>) {
    let [n, c, h, w] = x.shape[..] else {
        panic!("{:?}", x.shape)
    };
    let at = |d: usize, size: i64| {
        let [low, high] = window.padding[d];
        let count = (size + low + high - window.size[d]) / window.strides[d] + 1;
        let range = move |o: i64| {
            let start = o * window.strides[d] - low;
            (start.max(0), (start + window.size[d]).min(size))
        };
        (count, range)
    };
    let ((rows, row), (columns, column)) = (at(2, h), at(3, w));
    let (mut y, mut dx) = (Vec::new(), vec![0.0; x.data.len()]);
    for plane in 0..n * c {
        for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
            let (mut best, mut place) = (f64::NEG_INFINITY, None);
            for p in row(i).0..row(i).1 {
                for q in column(j).0..column(j).1 {
                    let cell = ((plane * h + p) * w + q) as usize;
                    let value = x.data[cell];
                    if value > best || taker == Taker::Last && value == best {
                        (best, place) = (value, Some(cell));
                    }
                }
            }
            if let (Some(place), Some(dy)) = (place, dy) {
                dx[place] += dy.data[y.len()];
            }
            y.push(best);
        }
    }
    (y, dx)
}

/// The window of a case that is a max-pool of its first argument.
fn max_window(case: &Case) -> Option<&Window> {
    case.function.body.iter().find_map(|i| match &i.op {
        Op::ReduceWindow {
            reducer: Reducer::Max,
            window,
        } if i.operands[0] == case.function.arguments[0].value => Some(window),
        _ => None,
    })
}

/// Whether it is a max-pool whose gradient depends on who takes the cotangent at ties.
fn ties(case: &Case) -> bool {
    let (Some(window), Some(dy)) = (max_window(case), &case.cotangent) else {
        return false;
    };
    let gradient = |taker| pool(&case.inputs[0], Some(dy), window, taker).1;
    gradient(Taker::First) != gradient(Taker::Last)
}

const PATTERNS: usize = 6;
const SHAPE: [i64; 4] = [PATTERNS as i64, 2, 7, 6];

/// Cells all equal, positive and negative; equal along rows and along columns, across the borders of windows; of two
/// values; and of three.
fn pattern(image: usize, channel: usize, row: usize, column: usize) -> f64 {
    let value = match image {
        0 => 3,
        1 => -3,
        2 => (5 * row % 4) as i64,
        3 => (3 * column % 4) as i64 - 4,
        4 => ((row + 2 * column + channel) % 3 / 2) as i64,
        _ => ((3 * row + 5 * column + 7 * channel) * (row + column) % 3) as i64 - 2,
    };
    value as f64
}

/// Size, strides and padding.
type Spans = ([i64; 2], [i64; 2], [[i64; 2]; 2]);

/// Windows that tile and leave a row, overlap, are padded, leave gaps, and more.
const WINDOWS: [Spans; 6] = [
    ([2, 2], [2, 2], [[0, 0], [0, 0]]),
    ([3, 3], [1, 1], [[0, 0], [0, 0]]),
    ([3, 3], [2, 2], [[1, 1], [1, 1]]),
    ([2, 2], [2, 2], [[1, 0], [0, 1]]),
    ([2, 3], [3, 4], [[0, 0], [0, 0]]),
    ([3, 2], [2, 1], [[2, 0], [0, 1]]),
];

/// All patterns under one window.
fn patterned(number: usize) -> Case {
    let (size, strides, padding) = WINDOWS[number];
    let mut window = Window::unit(4);
    window.size[2..].copy_from_slice(&size);
    window.strides[2..].copy_from_slice(&strides);
    window.padding[2..].copy_from_slice(&padding);
    let mut b = Builder::named("case");
    let x = b.function.argument(Some("x0"), TensorType::f32(SHAPE));
    let y = b.reduce_window(Reducer::Max, x, window.clone());
    let y = y.expect("a pool");
    b.function.output(Some("y"), y);
    let shape = b.shape(y).to_vec();
    let [images, channels, rows, columns] = SHAPE.map(|size| size as usize);
    let cell = |i: usize| {
        let (plane, place) = (i / (rows * columns), i % (rows * columns));
        pattern(
            plane / channels,
            plane % channels,
            place / columns,
            place % columns,
        )
    };
    let count = images * channels * rows * columns;
    let array = |shape: &[i64], data: Vec<f64>| Array {
        shape: shape.to_vec(),
        data,
    };
    let x = array(&SHAPE, (0..count).map(cell).collect());
    let count = shape.iter().product::<i64>();
    let dy = array(&shape, (0..count).map(|i| (i % 13 + 1) as f64).collect());
    let (y, dx) = pool(&x, Some(&dy), &window, Taker::First);
    Case {
        name: format!("patterned_{number}"),
        op: "max_pool".to_owned(),
        function: b.function,
        inputs: vec![x],
        output: array(&shape, y),
        cotangent: Some(dy),
        gradients: vec![array(&SHAPE, dx)],
        exact: true,
        tolerance: 0.0,
    }
}

/// The golden cases with ties, and the patterned ones.
fn tied() -> Vec<Case> {
    let golden = cases().into_iter().filter(ties);
    let patterned = (0..WINDOWS.len()).map(patterned);
    golden.chain(patterned).collect()
}

/// PyTorch and JAX agree with the loops above, and the patterns tell the first cell from the last.
#[test]
fn the_first_maximal_cell_takes_all() {
    let mut pools = 0;
    for case in cases().iter().filter(|case| case.cotangent.is_some()) {
        if let Some(window) = max_window(case) {
            let (y, dx) = pool(
                &case.inputs[0],
                case.cotangent.as_ref(),
                window,
                Taker::First,
            );
            assert_eq!(y, case.output.data, "{}", case.name);
            assert_eq!(dx, case.gradients[0].data, "{}", case.name);
            pools += 1;
        }
    }
    assert!(pools >= 20, "{pools}");
    let tied = tied();
    assert!(tied.iter().all(ties));
    let names: Vec<&str> = tied.iter().map(|case| &*case.name).collect();
    assert!(names.len() >= 14, "{names:?}");
    for name in ["bug_03_ties", "max_pool_batch_ties", "max_pool_zeros"] {
        assert!(names.contains(&name), "{names:?}");
    }
}

/// A gradient in one of the forms that the choices give it.
struct Form<'a> {
    case: &'a Case,
    tuning: String,
    pullback: Function,
}

/// Modules of at most this many forms.
const CHUNK: usize = 30;

/// The gradients of pools between convolutions: channels last, and first where there is no layout pass.
fn run(machine: &Machine, chosen: &[Case], choices: &[Options]) {
    let between: Vec<Case> = chosen.iter().filter_map(between_convolutions).collect();
    assert_eq!(between.len(), chosen.len());
    let mut forms = Vec::new();
    for case in &between {
        let module = Module {
            functions: functions(case).split_off(1),
            ..Module::default()
        };
        for (tuning, mut tuned) in tunings::distinct(&module, machine.target(), choices) {
            let mut pullback = tuned.functions.remove(0);
            pullback.name = format!("{}_{}", case.name, forms.len());
            forms.push(Form {
                case,
                tuning,
                pullback,
            });
        }
    }
    println!("{} cases in {} forms", chosen.len(), forms.len());
    for chunk in forms.chunks(CHUNK) {
        let module = Module {
            name: "ties".to_owned(),
            functions: chunk.iter().map(|form| form.pullback.clone()).collect(),
            ..Module::default()
        };
        let loaded = machine.load_tuned(module).expect("compiled");
        for Form {
            case,
            tuning,
            pullback,
        } in chunk
        {
            let arguments = case.inputs.iter().chain(&case.cotangent);
            let arguments: Vec<_> = arguments.map(tensor).collect();
            let found = machine.call(&loaded, &pullback.name, &arguments);
            let found = found.expect("results")[0].to_f64();
            assert_eq!(found, case.gradients[0].data, "{} {tuning}", case.name);
        }
    }
}

/// A golden case, and windows that tile, that overlap and are padded, and that are padded unevenly.
fn some() -> Vec<Case> {
    let names = ["bug_03_ties", "patterned_0", "patterned_2", "patterned_5"];
    let chosen = |case: &Case| names.contains(&case.name.as_str());
    let some: Vec<Case> = tied().into_iter().filter(chosen).collect();
    assert_eq!(some.len(), names.len());
    some
}

#[test]
fn ties_at_every_choice() {
    run(&Machine::new(), &some(), &tunings::all());
}

/// The golden cases run with the others of their file.
#[test]
fn patterns_of_ties() {
    let all: Vec<Case> = (0..WINDOWS.len()).map(patterned).collect();
    run(&Machine::new(), &all, &[Options::default()]);
}

#[test]
#[ignore = "minutes; the two tests above share its cases and its choices"]
fn all_ties_at_every_choice() {
    run(&Machine::new(), &tied(), &tunings::all());
}

/// The code for a CPU without vectors of this one is other code.
#[test]
#[cfg(target_arch = "x86_64")]
fn ties_as_another_cpu_computes_them() {
    run(&Machine::as_cpu("x86-64"), &some(), &[Options::default()]);
}

#[test]
fn ties_at_every_choice_on_vulkan() {
    if let Some(machine) = Machine::vulkan("ties at every choice") {
        run(&machine, &some(), &tunings::all());
    }
}
