//! `cargo xtask harvest FAMILY==VERSION`: the database entry of a release, made from its package.

pub(crate) mod command;
mod exports;
mod jax;
mod jax_cache;
mod keras;
mod kernels;
mod onnx;
mod plugins;
mod published;
mod row;
mod spans;
mod symbols;
mod tensorflow;
mod tfjs;
mod torch;
mod torch_xla;

pub(crate) use onnx::Package;
pub(crate) use tfjs::bundle;

use std::path::Path;

use anyhow::{Context as _, bail};
use unskew_definitions::TableChange;

/// Takes `release` (`torch==2.15.0`) into the database and prints what changed.
///
/// # Errors
/// If the family is unknown, or its package cannot be had or asked.
pub fn run(release: &str, from: Option<&Path>) -> anyhow::Result<()> {
    let (family, version) =
        release.split_once("==").with_context(|| format!("not FAMILY==VERSION: {release}"))?;
    match (family, from) {
        ("jax", None) => jax::harvest(version),
        ("jax-cache", python) => jax_cache::harvest(version, python),
        ("published", None) => published::harvest(version),
        ("tensorflow-exports", None) => tensorflow::harvest_exports(version),
        ("tensorflow-macos", wheel) => tensorflow::harvest_macos(version, wheel),
        ("tensorflow-kernels", None) => kernels::harvest(version),
        ("tensorflow", None) => tensorflow::harvest(version),
        ("tensorflow", Some(list)) => tensorflow::harvest_from_oplist(version, list),
        ("pjrt-plugins", wheel) => plugins::harvest(wheel),
        ("torch-symbols", wheel) => symbols::torch(version, wheel),
        ("extensions", wheels) => symbols::extensions(version, wheels),
        ("keras", package) => keras::harvest(version, package),
        ("onnx", site) => onnx::harvest_onnx(version, site),
        ("onnxruntime", site) => onnx::harvest_runtime(version, site),
        ("tfjs", bundle) => tfjs::harvest(version, bundle),
        ("torch_xla", None) => torch_xla::harvest(version),
        ("torch", None) => torch::harvest(version),
        ("torch", Some(table)) => torch::harvest_from_table(version, table),
        _ => bail!(
            "harvest knows torch, tensorflow, tensorflow-exports, tensorflow-kernels, tensorflow-macos, torch-symbols, \
             extensions, pjrt-plugins, jax, jax-cache, keras, onnx, onnxruntime, tfjs, torch_xla and published, not: {family}"
        ),
    }
}

/// Prints what a table changed, the first of each kind.
fn report(release: &str, change: &TableChange) {
    let TableChange { added, removed, refused } = change;
    println!("{release}: +{} -{} definitions", added.len(), removed.len());
    for line in refused {
        println!("  no definition, left out: {line}");
    }
    for (sign, definitions) in [('+', added), ('-', removed)] {
        for definition in definitions.iter().take(10) {
            println!("  {sign} {definition}");
        }
        if definitions.len() > 10 {
            println!("  {sign} {} more", definitions.len() - 10);
        }
    }
}
