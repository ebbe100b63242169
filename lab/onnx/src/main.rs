//! `cargo lab`, what there is about ONNX and ONNX Runtime.
#![forbid(unsafe_code)]

mod behaviour;
mod conversions;
mod differential;
mod exports;

use unskew_lab_harness::Subject;

fn main() -> anyhow::Result<()> {
    Subject::new(include_str!("../experiments.toml"))
        .with("onnx-behaviour", behaviour::run)
        .with("onnx-conversions", conversions::run)
        .with("onnx-differential", differential::run)
        .with("onnx-exports", exports::run)
        .run()
}
