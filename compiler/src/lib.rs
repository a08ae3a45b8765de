//! `cnnc`: from a `.net` text to a tuned training step.
pub mod autodiff;
pub mod certify;
pub mod driver;
pub mod iree;
pub mod lower;
pub mod manifest;
pub mod network;
pub mod optimizer;
pub mod passes;
pub mod program;
pub mod reference;
pub mod simplify;
pub mod stablehlo;
pub mod tune;
