//! `cargo lab`, what there is about TensorFlow, Keras and TensorFlow.js.
#![forbid(unsafe_code)]

mod oracles;

use unskew_lab_harness::Subject;

use oracles::{behaviour, data, devices, differential, keras, keras_releases, tfjs};

fn main() -> anyhow::Result<()> {
    Subject::new(include_str!("../experiments.toml"))
        .with("tensorflow", devices::run)
        .with("tensorflow-data", data::run)
        .with("tensorflow-differential", differential::run)
        .with("tf-behaviour", behaviour::run)
        .with("keras", keras::run)
        .with("keras-releases", keras_releases::run)
        .with("tfjs", tfjs::run)
        .run()
}
