//! Library of the adapter as it was built: a shared object that every result is a copy of.

use std::path::{Path, PathBuf};

use unskew_pjrt_adapter_settings::library_name;

use super::AdaptError;

/// The adapter that was named, or the one that belongs to the command `unskew` at `command`.
///
/// # Errors
/// If it is not there.
pub fn beside(command: Option<&Path>, named: Option<&Path>) -> Result<PathBuf, AdaptError> {
    if let Some(named) = named {
        if !named.is_file() {
            return Err(AdaptError::NoAdapter(format!("no such file: {}", named.display())));
        }
        return Ok(named.to_owned());
    }
    let command = command.and_then(|command| command.canonicalize().ok());
    let folder = command.as_deref().and_then(Path::parent);
    let places = folder.map(candidates).unwrap_or_default();
    places.into_iter().find(|place| place.is_file()).ok_or_else(|| {
        AdaptError::NoAdapter(format!(
            "the adapter is not installed beside this command; put {} there or into ../lib, or name it \
             with --adapter",
            library_name()
        ))
    })
}

/// Where cargo puts it (what lies beside the command in a build tree may be older), beside the command,
/// in the `lib` of the same installation.
pub fn candidates(folder: &Path) -> Vec<PathBuf> {
    let name = library_name();
    let mut places = vec![folder.join("deps").join(&name), folder.join(&name)];
    if let Some(root) = folder.parent() {
        places.push(root.join("lib/unskew").join(&name));
        places.push(root.join("lib").join(&name));
    }
    places
}
