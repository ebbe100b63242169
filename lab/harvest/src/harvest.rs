//! `cargo lab harvest FAMILY==VERSION`: the database entry of a release, made from its package.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use unskew_core::Version;
use unskew_definitions::{Rows, TableChange};

use crate::{
    class_names, gpu_code, jax, jax_cache, jax_handlers, keras, kernels, llama_cpp, onnx, plugins,
    published, python_names, requirements, symbols, tensorflow, tfjs, torch, torch_pickled,
    torch_xla, transformers,
};

/// Takes a release into the database.
#[derive(clap::Args)]
pub struct Harvest {
    /// Such as torch==2.15.0, tensorflow==2.21.0 or jax==0.10.2; pjrt-plugins==published, pjrt-plugins==libtpu, requirements==numpy, jax-handlers==all.
    release: String,
    /// Takes a PyTorch operator table, a TensorFlow OpList or a wheel with PJRT plug-ins from this file instead, or
    /// what the probe of requirements printed.
    #[arg(long)]
    from: Option<PathBuf>,
}

/// Takes what was asked for.
///
/// # Errors
/// As [`take`].
pub fn run(harvest: &Harvest) -> anyhow::Result<()> {
    take(&harvest.release, harvest.from.as_deref())
}

/// Takes `release` (`torch==2.15.0`) into the database and prints what changed.
///
/// # Errors
/// If the family is unknown, or its package cannot be had or asked.
pub(crate) fn take(release: &str, from: Option<&Path>) -> anyhow::Result<()> {
    let (family, version) =
        release.split_once("==").with_context(|| format!("not FAMILY==VERSION: {release}"))?;
    match (family, from) {
        ("gpu-code", wheel) => gpu_code::harvest(version, wheel),
        ("jax", None) => jax::harvest(version),
        ("jax-cache", python) => jax_cache::harvest(version, python),
        ("jax-handlers", said) => jax_handlers::harvest(said),
        ("class-names", folder) => class_names::harvest(version, folder),
        ("published", None) => published::harvest(version),
        ("python-names", folder) => python_names::harvest(version, folder),
        ("requirements", said) => requirements::harvest(version, said),
        ("tensorflow-exports", None) => tensorflow::harvest_exports(version),
        ("tensorflow-macos", wheel) => tensorflow::harvest_macos(version, wheel),
        ("tensorflow-kernels", None) => kernels::harvest(version),
        ("tensorflow", None) => tensorflow::harvest(version),
        ("tensorflow", Some(list)) => tensorflow::harvest_from_oplist(version, list),
        ("pjrt-plugins", wheel) => plugins::harvest(version, wheel),
        ("torch-symbols", wheel) => symbols::torch(version, wheel),
        ("extensions", wheels) => symbols::extensions(version, wheels),
        ("keras" | "tf_keras", package) => keras::harvest(family, version, package),
        ("llama.cpp" | "llama-cpp-python", None) => llama_cpp::harvest(family, version),
        ("onnx", site) => onnx::harvest_onnx(version, site),
        ("onnxruntime", site) => onnx::harvest_runtime(version, site),
        ("onnxruntime-gpu", site) => onnx::harvest_cuda(version, site),
        ("tfjs", bundle) => tfjs::harvest(version, bundle),
        ("torch_xla", None) => torch_xla::harvest(version),
        ("torch-pickled", printed) => torch_pickled::harvest(version, printed),
        ("transformers" | "vllm" | "sglang", printed) => {
            transformers::harvest(family, version, printed)
        }
        ("torch", None) => torch::harvest(version),
        ("torch", Some(table)) => torch::harvest_from_table(version, table),
        _ => bail!(
            "harvest knows torch, tensorflow, tensorflow-exports, tensorflow-kernels, tensorflow-macos, torch-symbols, \
             torch-pickled, extensions, gpu-code, pjrt-plugins, jax, jax-cache, jax-handlers, keras, tf_keras, llama.cpp, llama-cpp-python, onnx, onnxruntime, onnxruntime-gpu, tfjs, torch_xla, transformers, vllm, sglang, published, \
             class-names, python-names and requirements, not: {family}"
        ),
    }
}

/// Takes the definitions of a release into a table, a path below the root, and says what changed. The first release makes the table.
///
/// # Errors
/// If the table cannot be read or written.
pub(crate) fn enter_definitions(
    table: &str,
    label: &str,
    release: Version,
    definitions: Vec<String>,
) -> anyhow::Result<()> {
    let path = unskew_peers::root().join(table);
    let rows = match fs::read_to_string(&path) {
        Ok(text) => Some(Rows::from_text(text)?),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    let (text, change) = Rows::with_release(rows.as_ref(), release, definitions);
    fs::write(&path, text).with_context(|| table.to_owned())?;
    report(label, &change);
    Ok(())
}

/// Prints what a table changed, the first of each kind.
pub(crate) fn report(release: &str, change: &TableChange) {
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
