//! The nets of `examples/`: they have the parameters that are published, and
//! their gradients on IREE are those of their twins in PyTorch; what IREE is
//! given holds nothing that it gets wrong.

#[path = "../common/examples.rs"]
#[allow(dead_code)]
mod examples;
mod golden;
#[path = "../common/hash.rs"]
mod hash;
#[path = "../common/programs.rs"]
mod programs;
mod tuned;
#[path = "../common/tunings.rs"]
mod tunings;

use cnnc::driver::Unit;
use cnnc::iree::Target;
use cnnc::network::{self, Options};
use cnnc_runtime::manifest::{Dtype, Variable};
use cnnc_runtime::state::{Snapshot, State};
use cnnc_runtime::tensor::{Elements, NamedTensor};
use golden::{Golden, Parameter, sketch};

/// Largest relative error of the loss.
const TOLERANCE: f64 = 1e-4;

/// The small instance that a golden is of, with the loss of the twins.
fn instance(file: &str, golden: &Golden) -> Unit {
    let overrides = golden.hyper.iter();
    let overrides = overrides.map(|(key, value)| (key.clone(), value.to_string()));
    let loss = ("train.loss".to_owned(), "softmax_cross_entropy".to_owned());
    examples::chosen(
        file,
        &Options {
            net: Some(golden.net.clone()),
            overrides: overrides.chain([loss]).collect(),
        },
    )
}

/// The net with the hyper-parameters of its file.
fn full(file: &str, net: &str) -> Unit {
    let options = Options {
        net: Some(net.to_owned()),
        overrides: Vec::new(),
    };
    examples::chosen(file, &options)
}

/// The net at full size, and what the small instance is made of.
fn builds(file: &str, net: &str, parameters: i64) {
    let golden = Golden::read(net);
    let totals = network::totals(&full(file, net).network);
    assert_eq!(totals.parameters, parameters);
    assert_eq!(totals.parameters, golden.full.parameters);
    assert_eq!(totals.multiply_adds, golden.full.multiply_adds);

    let small = instance(file, &golden);
    let own = small.network.parameters.iter();
    let own: Vec<(&str, Vec<usize>)> = own
        .map(|p| {
            (
                &*p.name,
                p.shape.iter().map(|&size| size as usize).collect(),
            )
        })
        .collect();
    let twin = golden.parameters.iter();
    let twin: Vec<(&str, Vec<usize>)> = twin.map(|p| (&*p.name, p.shape.clone())).collect();
    assert_eq!(own, twin);
    let portable = small.portable(golden.batch, &[]).unwrap();
    let text = programs::backend(Target::Cpu).pretty(&portable).unwrap();
    assert!(
        text.starts_with(&format!("module @{net} ")),
        "{}",
        &text[..80]
    );
}

/// State that training does not read: the twins draw no random numbers.
fn zeros(variable: &Variable) -> NamedTensor {
    let count = variable.elements();
    NamedTensor {
        name: variable.name.clone(),
        shape: variable.shape.clone(),
        elements: match variable.dtype {
            Dtype::F32 => Elements::F32(vec![0.0; count]),
            Dtype::I32 => Elements::I32(vec![0; count]),
            Dtype::I64 => Elements::I64(vec![0; count]),
            Dtype::U32 => Elements::U32(vec![0; count]),
            Dtype::U64 => Elements::U64(vec![0; count]),
        },
    }
}

/// The tuned gradients of the small instance.
fn gradients(file: &str, net: &str) {
    let golden = Golden::read(net);
    let runtime = programs::runtime();
    let unit = instance(file, &golden);
    let program = programs::program(&runtime, &unit, golden.batch, &["gradients"]);
    let manifest = program.manifest();
    let snapshot = Snapshot {
        parameters: golden.values(),
        state: manifest.state.iter().map(zeros).collect(),
    };
    let state = State::upload(&runtime, manifest, &snapshot).unwrap();
    let ours = program
        .gradients(&state, &golden.images(), &golden.labels())
        .unwrap();
    let error = (f64::from(ours.loss) - golden.loss).abs();
    assert!(
        error < TOLERANCE * golden.loss,
        "loss {} is not {}",
        ours.loss,
        golden.loss
    );
    assert_eq!(ours.gradients.len(), golden.parameters.len());
    let mut wrong = Vec::new();
    for (index, (own, twin)) in ours.gradients.iter().zip(&golden.parameters).enumerate() {
        assert!(
            own.name.starts_with(&twin.name),
            "{} {}",
            own.name,
            twin.name
        );
        let Elements::F32(values) = &own.elements else {
            panic!("{} is no f32", own.name)
        };
        let errors = sketch(index, values)
            .into_iter()
            .zip(twin.sketch)
            .map(|(a, b)| (a - b).abs());
        let too_large = |error: &f64| error.is_nan() || *error > twin.tolerance;
        for error in errors.filter(too_large) {
            let Parameter {
                name,
                norm,
                tolerance,
                ..
            } = twin;
            wrong.push(format!(
                "{name}: {error:.1e} of {norm:.1e}, at most {tolerance:.1e}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Tests for each net: what it is made of, its gradients, and what IREE is
/// given.
macro_rules! zoo {
    ($($net:ident of $file:literal: $parameters:literal,)*) => {
        $(mod $net {
            #[test]
            fn builds() {
                super::builds($file, stringify!($net), $parameters);
            }

            #[test]
            fn gradients() {
                super::gradients($file, stringify!($net));
            }

            #[test]
            fn is_what_iree_gets_right() {
                super::tuned::is_what_iree_gets_right($file, stringify!($net), false);
            }

            #[test]
            #[ignore = "minutes for all nets"]
            fn is_what_iree_gets_right_at_every_choice() {
                super::tuned::is_what_iree_gets_right($file, stringify!($net), true);
            }
        })*
    };
}

// As published, but for linear, mlp, seed_resnet, cifar_bn and unet, which are
// counted by hand.
zoo! {
    linear of "linear": 7_850,
    mlp of "mlp": 669_706,
    mnist_cnn of "mnist_cnn": 3_489_130,
    lenet5 of "lenet5": 61_706,
    seed_resnet of "seed_resnet": 19_430,
    seed_resnet_bn of "seed_resnet": 19_706,
    cifar_cnn of "cifar_cnn": 2_431_018,
    cifar_bn of "cifar_bn": 2_431_210,
    vgg11 of "vgg11": 132_863_336,
    alexnet of "alexnet": 61_100_840,
    resnet18 of "resnet18": 11_689_512,
    resnet34 of "resnet34": 21_797_672,
    resnet50 of "resnet50": 25_557_032,
    resnet18_cifar of "resnet18_cifar": 11_173_962,
    wide_resnet28_10 of "wide_resnet28_10": 36_479_194,
    densenet121 of "densenet121": 7_978_856,
    squeezenet1_1 of "squeezenet1_1": 1_235_496,
    googlenet of "googlenet": 6_624_904,
    mobilenet_v2 of "mobilenet_v2": 3_504_872,
    efficientnet_b0 of "efficientnet_b0": 5_288_548,
    convnext_tiny of "convnext_tiny": 28_589_128,
    vit_tiny of "vit_tiny": 5_717_416,
    unet of "unet": 34_520_258,
}
