//! `cargo lab`, what there is about the database of releases.
#![forbid(unsafe_code)]

mod class_names;
mod command;
mod current;
mod exports;
mod gpu_code;
mod guesses;
mod harvest;
mod jax;
mod jax_cache;
mod jax_handlers;
mod keras;
mod kernels;
mod llama_cpp;
mod onnx;
mod onnx_kernels;
mod plugins;
mod published;
mod python_names;
mod release_archives;
mod requirements;
mod row;
mod spans;
mod symbols;
mod tensorflow;
mod tfjs;
mod torch;
mod torch_pickled;
mod torch_xla;
mod transformers;

use unskew_lab_harness::Subject;

fn main() -> anyhow::Result<()> {
    Subject::new(include_str!("../experiments.toml"))
        .with("harvest", harvest::run)
        .with("current", current::run)
        .with("guesses", guesses::run)
        .with("__look", plugins::run_look)
        .run()
}
