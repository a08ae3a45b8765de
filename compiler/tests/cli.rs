//! The commands, run as a user runs them.

#[path = "cli/bad_data.rs"]
mod bad_data;
#[path = "cli/bad_input.rs"]
mod bad_input;
#[path = "cli/bench.rs"]
mod bench;
#[path = "cli/compile.rs"]
mod compile;
#[path = "cli/devices.rs"]
mod devices;
#[path = "cli/growth.rs"]
mod growth;
#[path = "cli/help.rs"]
mod help;
#[path = "cli/imports.rs"]
mod imports;
#[path = "cli/model.rs"]
mod model;
#[path = "cli/opt.rs"]
mod opt;
#[path = "cli/run.rs"]
mod run;
#[path = "cli/settings.rs"]
mod settings;
#[path = "cli/text.rs"]
mod text;
#[path = "cli/training.rs"]
mod training;
#[path = "cli/tune.rs"]
mod tune;
#[path = "common/devices.rs"]
mod vulkan;
