//! Where the adapter lies as it was built: a shared object that every result is a copy of.

use std::path::{Path, PathBuf};

use anyhow::bail;
use unskew_pjrt_adapter::library_name;

/// The adapter: the file that was named, or the one that belongs to this command.
pub fn find(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(named) = named {
        if !named.is_file() {
            bail!("no such file: {}", named.display());
        }
        return Ok(named.to_owned());
    }
    let command = std::env::current_exe().and_then(|command| command.canonicalize());
    let folder = command.ok().and_then(|command| Some(command.parent()?.to_owned()));
    let places = folder.map(|folder| candidates(&folder)).unwrap_or_default();
    match places.iter().find(|place| place.is_file()) {
        Some(found) => Ok(found.clone()),
        None => bail!(
            "the adapter is not installed beside this command; put {} there or into ../lib, or name it \
             with --adapter",
            library_name()
        ),
    }
}

/// Where cargo puts it (what lies beside the command in a build tree may be older), beside the command,
/// in the `lib` of the same installation.
fn candidates(folder: &Path) -> Vec<PathBuf> {
    let name = library_name();
    let mut places = vec![folder.join("deps").join(&name), folder.join(&name)];
    if let Some(root) = folder.parent() {
        places.push(root.join("lib/unskew").join(&name));
        places.push(root.join("lib").join(&name));
    }
    places
}
