//! `cargo lab`, what there is about JAX, PJRT plug-ins, StableHLO and IFRT.
#![forbid(unsafe_code)]

mod caches;
mod executables;
mod export;
mod handlers;
mod ifrt;
mod jax;
mod jax_tests;
mod pjrt_abi;
mod programs;
mod stablehlo_chlo;
mod stablehlo_differential;
mod stablehlo_programs;
mod stablehlo_text;
mod stablehlo_values;
mod stablehlo_versions;

use unskew_lab_harness::{NoArguments, Subject};

fn main() -> anyhow::Result<()> {
    Subject::new(include_str!("../experiments.toml"))
        .with("jax", jax::run)
        .with("jax-tests", jax_tests::run)
        .with("jax-caches", caches::run)
        .with("jax-executables", executables::run)
        .with("jax-export", export::run)
        .with("programs-on-plugins", programs::run)
        .with("handlers", handlers::run)
        .with("abi", pjrt_abi::run)
        .with("ifrt", ifrt::run)
        .with("stablehlo-chlo", |_: &NoArguments| stablehlo_chlo::run())
        .with("stablehlo-differential", stablehlo_differential::run)
        .with("stablehlo-text", stablehlo_text::run)
        .with("stablehlo-values", stablehlo_values::run)
        .with("stablehlo-versions", stablehlo_versions::run)
        .with("__sizes", pjrt_abi::run_sizes)
        .with("__look", programs::run_look)
        .run()
}
