//! The interpreter with the operators of a release.

use std::sync::Arc;

use anyhow::bail;
use unskew_core::Version;
use unskew_interpreter::{Interpreter, ReleaseSemantics};
use unskew_releases::{Family, ReleaseRow};

/// The releases of PyTorch between two that are named, oldest first.
pub(super) fn between(from: Option<&str>, to: Option<&str>) -> anyhow::Result<Vec<ReleaseRow>> {
    let version = |name: Option<&str>| -> anyhow::Result<Option<Version>> {
        let Some(name) = name else { return Ok(None) };
        Ok(Some(torch(name)?))
    };
    let (from, to) = (version(from)?, version(to)?);
    let within = |row: &&ReleaseRow| {
        from.is_none_or(|from| from <= row.version) && to.is_none_or(|to| row.version <= to)
    };
    let rows: Vec<ReleaseRow> =
        unskew_releases::torch::rows().iter().filter(within).cloned().collect();
    if rows.len() < 2 {
        bail!("fewer than two releases of PyTorch lie between the two that are named");
    }
    Ok(rows)
}

fn torch(name: &str) -> anyhow::Result<Version> {
    let release = unskew_releases::find(name)?;
    if release.family() != Family::Torch {
        bail!("operators of PyTorch are those of torch@VERSION, not of {release}");
    }
    Ok(release.row().version)
}

/// With the operators of a release, and the upgraders that it knows.
pub(super) fn interpreter(name: Option<&str>) -> anyhow::Result<Interpreter> {
    let registry = unskew_torch_operators::registry();
    let Some(name) = name else {
        let newest = Interpreter::new(ReleaseSemantics::newest());
        return Ok(newest.with_upgraders(registry, registry.current()));
    };
    let version = torch(name)?;
    let row = unskew_releases::torch::rows().iter().find(|row| row.version == version);
    Ok(row.map_or_else(|| Interpreter::new(ReleaseSemantics::for_release(version)), playing))
}

/// The interpreter as a release.
pub(super) fn playing(row: &ReleaseRow) -> Interpreter {
    let registry = unskew_torch_operators::registry();
    let semantics = ReleaseSemantics::for_release(row.version);
    match unskew_releases::torch::runtime(row) {
        Some(runtime) => {
            let known = runtime.release.file_format.max.map_or(0, |version| version.major());
            let semantics = semantics.with_operators(Arc::new(runtime.operators));
            Interpreter::new(semantics).with_upgraders(registry, u32::try_from(known).unwrap_or(0))
        }
        None => Interpreter::new(semantics),
    }
}
