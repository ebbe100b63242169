//! `cargo lab`, what there is about PyTorch.
#![forbid(unsafe_code)]

mod attributes;
mod battery;
mod behaviour;
mod conversions;
mod differential;
mod exports;
mod models;
mod new_upgrader;
mod pickles;
mod quantized;
mod release_runs;

use unskew_lab_harness::Subject;

fn main() -> anyhow::Result<()> {
    Subject::new(include_str!("../experiments.toml"))
        .with("torch", conversions::run)
        .with("torch-models", models::run)
        .with("torch-quantized", quantized::run)
        .with("torch-battery", battery::run)
        .with("torch-differential", differential::run)
        .with("torch-exports", exports::run)
        .with("torch-attributes", attributes::run)
        .with("torch-pickles", pickles::run)
        .with("behaviour", behaviour::run)
        .with("new-upgrader", new_upgrader::run)
        .run()
}
