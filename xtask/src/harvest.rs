//! `cargo xtask harvest FAMILY==VERSION`: the database entry of a release, made from its package.

mod jax;
mod tensorflow;
mod torch;

use std::path::Path;

use anyhow::{Context as _, bail};

/// Takes `release` (`torch==2.15.0`) into the database and prints what changed.
///
/// # Errors
/// If the family is unknown, or its package cannot be had or asked.
pub fn run(release: &str, from: Option<&Path>) -> anyhow::Result<()> {
    let (family, version) =
        release.split_once("==").with_context(|| format!("not FAMILY==VERSION: {release}"))?;
    match (family, from) {
        ("jax", None) => jax::harvest(version),
        ("tensorflow", None) => tensorflow::harvest(version),
        ("tensorflow", Some(list)) => tensorflow::harvest_from_oplist(version, list),
        ("torch", None) => torch::harvest(version),
        ("torch", Some(table)) => torch::harvest_from_table(version, table),
        _ => bail!("harvest knows torch, tensorflow and jax, not: {family}"),
    }
}
