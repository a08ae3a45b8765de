//! The same operations on Vulkan. A part of them: the software device takes
//! its time.

use super::checks::run_function;
use super::checks::run_on;
use super::common::cases::large;
use super::common::ops::{Case, cases};
use super::goldens::{between_convolutions, is_image};
use super::iree::Machine;
use super::random;

/// Convolutions of every kind, and pools, with ties and without.
#[test]
fn operations_on_images_on_vulkan() {
    if let Some(machine) = Machine::vulkan("operations on images") {
        let images = cases().into_iter().filter(is_image);
        let images: Vec<Case> = images.step_by(4).collect();
        run_on(&machine, 17, &images);
    }
}

#[test]
fn pools_between_convolutions_on_vulkan() {
    if let Some(machine) = Machine::vulkan("pools between convolutions") {
        let all = cases();
        let between = all.iter().filter_map(between_convolutions);
        let between: Vec<Case> = between.step_by(2).collect();
        run_on(&machine, 10, &between);
        large::pool_of_480_channels(&|f, x| run_function(&machine, f, x));
    }
}

#[test]
fn random_operations_on_vulkan() {
    if let Some(machine) = Machine::vulkan("random operations") {
        let some = |all: Vec<Case>| all.into_iter().step_by(12);
        let cases: Vec<Case> = some(random::convolutions())
            .chain(some(random::pools()))
            .collect();
        run_on(&machine, 6, &cases);
    }
}
