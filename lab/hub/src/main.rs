//! `cargo lab`, what there is about model files that people share.
#![forbid(unsafe_code)]

mod boosters;
mod class_names;
mod files;
mod gguf_library;
mod gguf_load;
mod model_folders;
mod peft;
mod scikit_learn;
mod tokenizers;

use unskew_lab_harness::Subject;

fn main() -> anyhow::Result<()> {
    Subject::new(include_str!("../experiments.toml"))
        .with("gguf-load", gguf_load::run)
        .with("model-folders", model_folders::run)
        .with("scikit-learn", scikit_learn::run)
        .with("tokenizers", tokenizers::run)
        .with("peft", peft::run)
        .with("class-names", class_names::run)
        .with("boosters", boosters::run)
        .run()
}
