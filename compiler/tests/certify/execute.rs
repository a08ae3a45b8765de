//! Compiled modules return the interpreter's integers; where IREE is wrong,
//! they do not.

use cnnc::certify::execute::{self, Case, run_integers};
use cnnc::certify::{Subject, Values, point};
use cnnc::driver;
use cnnc::iree::Target;
use cnnc::network::Options;
use cnnc::reference::Tensor;
use cnnc::stablehlo::{Builder, Convolution, ConvolutionDims, Function, Module, Op, TensorType};
use cnnc::tune;

use crate::iree::Machine;
use crate::subjects::{portable, subject, tuned, tuned_for};

/// What a module returns on IREE, against the case; the differences.
fn differences(machine: &Machine, compiled: &Subject, case: &Case) -> Vec<String> {
    let mut module = compiled.module().clone();
    module
        .functions
        .retain(|f| execute::FUNCTIONS.contains(&f.name.as_str()));
    let loaded = machine.load_tuned(module).unwrap();
    let values = point::map(&case.values, |_, v| v as f32).unwrap();
    let mut wrong = Vec::new();
    for (name, expected) in &case.expected {
        let function = compiled.function(name).unwrap();
        let arguments = compiled.arguments(function, &values).unwrap();
        let results = machine.call(&loaded, name, &arguments).unwrap();
        let found: Values<f32> = compiled.named(function, results).unwrap();
        let check = execute::compare(name, expected, &found);
        println!("@{name}: {}: {}", check.statement, check.verdict);
        if !check.verdict.holds() {
            wrong.push(format!("@{name}: {}", check.verdict));
        }
    }
    wrong
}

fn assert_bit_exact(machine: &Machine, net: &str, batch: i64) {
    let portable = portable(net, batch);
    let tuned = tuned_for(machine.target(), net, batch);
    let case = execute::case(&portable, &tuned, 7).unwrap();
    for (name, results) in &case.expected {
        let numbers = results.values().flat_map(|t| t.as_numbers());
        let nonzero = numbers.filter(|n| **n != 0.0).count();
        assert!(nonzero >= 10, "@{name} of {net} says nothing");
    }
    let wrong = differences(machine, &tuned, &case);
    assert!(wrong.is_empty(), "{net}: {wrong:#?}");
}

#[test]
fn the_linear_net_is_bit_exact() {
    assert_bit_exact(&Machine::new(), "linear", 4);
}

#[test]
fn the_mlp_is_bit_exact() {
    assert_bit_exact(&Machine::new(), "mlp", 3);
}

#[test]
fn the_mnist_cnn_is_bit_exact() {
    assert_bit_exact(&Machine::new(), "mnist_cnn", 2);
}

#[test]
fn the_three_nets_are_bit_exact_on_vulkan() {
    if let Some(machine) = Machine::vulkan("the three nets, bit for bit") {
        for net in ["linear", "mlp", "mnist_cnn"] {
            assert_bit_exact(&machine, net, 2);
        }
    }
}

/// IREE's `select_and_scatter` gives ties to the last maximal cell.
#[test]
fn the_untuned_mnist_cnn_is_caught() {
    let (portable, tuned) = (portable("mnist_cnn", 2), tuned("mnist_cnn", 2));
    let case = execute::case(&portable, &tuned, 7).unwrap();
    let wrong = differences(&Machine::new(), &portable, &case);
    assert_eq!(wrong.len(), 1, "{wrong:#?}");
    assert!(
        wrong[0].starts_with("@pullback: FAILED `conv1.bias.gradient` is "),
        "{wrong:#?}"
    );
}

/// A grouped convolution of one image with a reversed window, channels last:
/// 5x5x4 by 3x3 kernels.
fn reversed(groups: i64) -> Function {
    let mut b = Builder::named("reversed");
    let x = b
        .function
        .argument(Some("x"), TensorType::f32([1, 5, 5, 4]));
    let kernel = TensorType::f32([3, 3, 4 / groups, 4]);
    let w = b.function.argument(Some("w"), kernel);
    let conv = Convolution {
        dims: ConvolutionDims {
            input_batch: 0,
            input_spatial: vec![1, 2],
            input_feature: 3,
            kernel_spatial: vec![0, 1],
            kernel_input: 2,
            kernel_output: 3,
            output_batch: 0,
            output_spatial: vec![1, 2],
            output_feature: 3,
        },
        strides: vec![1, 1],
        padding: vec![[1, 1]; 2],
        lhs_dilation: vec![1, 1],
        rhs_dilation: vec![1, 1],
        window_reversal: vec![true; 2],
        feature_group_count: groups,
        batch_group_count: 1,
    };
    let y = b.convolution(x, w, conv).unwrap();
    b.function.output(Some("y"), y);
    b.function
}

/// What a function returns on IREE against the interpreter's integers.
fn on_iree(machine: &Machine, function: &Function, module: Module) -> Option<String> {
    let arguments: Vec<Tensor<f64>> = function
        .arguments
        .iter()
        .map(|a| {
            let ty = function.ty(a.value).clone();
            let values = (0..ty.elements()).map(|i| (i * i % 7 - 3) as f64).collect();
            Tensor::numbers(ty, values).unwrap()
        })
        .collect();
    let expected = run_integers(function, &arguments).unwrap();
    let single: Vec<Tensor<f32>> = arguments
        .iter()
        .map(|tensor| {
            let values = tensor.as_numbers().iter().map(|&v| v as f32).collect();
            Tensor::numbers(tensor.ty().clone(), values).unwrap()
        })
        .collect();
    let loaded = machine.load_tuned(module).unwrap();
    let found = machine.call(&loaded, &function.name, &single).unwrap();
    execute::difference("y", expected[0].as_numbers(), found[0].as_numbers())
}

/// IREE ignores window reversal where there are feature groups.
#[test]
fn ignored_window_reversal_is_caught() {
    let machine = Machine::new();
    let mut caught = 0;
    for groups in [1, 2, 4] {
        let function = reversed(groups);
        let module = Module {
            name: "reversed".to_owned(),
            attributes: Vec::new(),
            functions: vec![function.clone()],
        };
        let tuned = tune::tune(&module, Target::Cpu).unwrap();
        assert_eq!(on_iree(&machine, &function, tuned), None);
        let untuned = on_iree(&machine, &function, module);
        println!("{groups} groups: {untuned:?}");
        caught += usize::from(untuned.is_some());
    }
    assert!(caught > 0);
}

/// The sum of two of the columns 1 to 64.
fn columns() -> Function {
    let mut b = Builder::named("columns");
    let x = b.function.argument(Some("x"), TensorType::f32([8, 68]));
    let left = b.slice(x, &[0, 1], &[8, 65], &[1, 1]).unwrap();
    let right = b.slice(x, &[0, 3], &[8, 67], &[1, 1]).unwrap();
    let y = b.add(left, right).unwrap();
    b.function.output(Some("y"), y);
    b.function
}

/// IREE's SPIR-V reads slices off by some elements, and leaves most cells of a
/// grouped convolution at zero.
#[test]
fn faults_of_spirv_are_caught() {
    let Some(machine) = Machine::vulkan("faults of SPIR-V") else {
        return;
    };
    let mut grouped = reversed(2);
    for i in &mut grouped.body {
        if let Op::Convolution(conv) = &mut i.op {
            conv.window_reversal = vec![false; 2];
        }
    }
    for function in [columns(), grouped] {
        let module = Module {
            name: function.name.clone(),
            attributes: Vec::new(),
            functions: vec![function.clone()],
        };
        let tuned = tune::tune(&module, machine.target()).unwrap();
        assert_eq!(on_iree(&machine, &function, tuned), None);
        let untuned = on_iree(&machine, &function, module);
        assert!(untuned.is_some(), "@{}", function.name);
    }
}

const SMALL: &str = "net small {
    input image: f32[N, 2, 9, 9];
    let a = image |> conv(4, kernel=3) |> relu;
    a + (a |> conv(4, kernel=3, groups=2) |> relu)
      |> conv(3, kernel=2, stride=2) |> relu |> max_pool(3, stride=2, padding=1)
      |> flatten |> dense(5) |> relu |> dense(4)
}
";

/// Every operation of a small module by itself: each number that the tuned
/// functions compute is a result of the program.
fn assert_bit_exact_op_by_op(machine: &Machine) {
    let unit = driver::read("small.net", SMALL, &Options::default()).unwrap();
    let portable = subject(&unit.portable(3, &[]).unwrap());
    let tuned = subject(&unit.tuned(3, &[], machine.target()).unwrap());
    let case = execute::case(&portable, &tuned, 3).unwrap();
    for name in execute::FUNCTIONS {
        let original = tuned.function(name).unwrap();
        let mut exposed = execute::exposed(original);
        exposed.attributes.clear();
        let arguments = tuned.arguments(original, &case.values).unwrap();
        let expected = run_integers(&exposed, &arguments).unwrap();
        let module = Module {
            name: "exposed".to_owned(),
            attributes: Vec::new(),
            functions: vec![exposed.clone()],
        };
        let loaded = machine.load_tuned(module).unwrap();
        let values = point::map(&case.values, |_, v| v as f32).unwrap();
        let arguments = tuned.arguments(original, &values).unwrap();
        let found = machine.call(&loaded, name, &arguments).unwrap();
        assert!(expected.len() > 20, "{} operations", expected.len());
        let numbers = exposed
            .body
            .iter()
            .filter(|i| exposed.ty(i.result).element.is_float());
        for ((instruction, expected), found) in numbers.zip(&expected).zip(&found) {
            let op = instruction.op.name();
            let difference = execute::difference(op, expected.as_numbers(), found.as_numbers());
            assert_eq!(
                difference, None,
                "@{name}: {op} at {}",
                instruction.location
            );
        }
    }
}

#[test]
fn a_small_net_is_bit_exact_op_by_op() {
    assert_bit_exact_op_by_op(&Machine::new());
}

#[test]
fn a_small_net_is_bit_exact_op_by_op_on_vulkan() {
    if let Some(machine) = Machine::vulkan("a small net, op by op") {
        assert_bit_exact_op_by_op(&machine);
    }
}

/// A softmax leaves the integers.
#[test]
fn what_is_no_integer_is_refused() {
    let portable = portable("linear", 2);
    let mut values = crate::subjects::random(&portable, 0);
    values = point::map(&values, |_, v| v.round()).unwrap();
    let function = portable.module().function("loss").unwrap();
    let arguments = portable.arguments(function, &values).unwrap();
    let error = run_integers(function, &arguments).unwrap_err().to_string();
    assert!(error.contains("`stablehlo.exponential`: "), "{error}");
    assert!(error.ends_with(" is no integer"), "{error}");
}
