//! Modules compile for every target.

use cnnc::driver::Backend;
use cnnc::iree::{Flags, Target};
use cnnc_runtime::manifest::Manifest;
use cnnc_runtime::reflection::reflect;

use crate::{BATCH, NETS, iree, unit};

#[test]
fn the_three_nets_compile_for_every_gpu() {
    let targets = Target::ALL.into_iter().filter(|t| *t != Target::Cpu);
    for target in targets {
        let backend = Backend {
            iree: iree(),
            cache: None,
            flags: Flags::of(target),
            cpu: "host".to_owned(),
            tuning: Default::default(),
        };
        for net in NETS {
            let tuned = unit(net).tuned(BATCH, &["train_step"], target).unwrap();
            let program = backend.program(&tuned);
            let program = program.unwrap_or_else(|e| panic!("{net} for {}: {e}", target.name()));
            let found = reflect(&program).unwrap();
            let manifest = Manifest::parse(&found.manifest.unwrap()).unwrap();
            assert_eq!(manifest.target, target.name());
            assert_eq!(manifest.cpu, None);
            assert_eq!(manifest.gpu.as_deref(), target.default_gpu());
        }
    }
}
