//! `cargo lab`, what there is about the command itself.
#![forbid(unsafe_code)]

mod bench;
mod hostile;
mod instructions;

use unskew_lab_harness::Subject;

fn main() -> anyhow::Result<()> {
    Subject::new(include_str!("../experiments.toml"))
        .with("bench", bench::run)
        .with("instructions", instructions::run)
        .with("hostile", hostile::run)
        .with("__measure", bench::run_measurement)
        .with("__hostile", hostile::run_batch)
        .run()
}
