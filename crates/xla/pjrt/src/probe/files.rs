//! Files that a plug-in has to read in order to be loaded.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use unskew_abi::SharedObject;
use unskew_abi::sandbox::{Readable, readable};

/// The largest settings of an adapter that are read, in bytes.
const LARGEST_SETTINGS: u64 = 64 << 10;

/// What is of interest in the settings beside an adapter: the plug-in behind it.
#[derive(Deserialize)]
struct Settings {
    plugin: PathBuf,
}

/// The files that the plug-in at `path` may read on trial: its libraries, and, if it is an adapter, its settings and the
/// plug-in behind it.
pub(crate) fn files(path: &Path, object: Option<&SharedObject>) -> Vec<Readable> {
    let mut found = readable(path, object);
    let settings = path.with_extension("toml");
    if let Some(behind) = plugin_behind(&settings) {
        // Its folder may lie behind a link, the file itself may not be one.
        let folder = settings.parent().and_then(|folder| folder.canonicalize().ok());
        let file = folder.zip(settings.file_name()).map(|(folder, name)| folder.join(name));
        found.extend(file.map(Readable::Settings));
        found.extend(readable(&behind, None));
    }
    found
}

fn plugin_behind(settings: &Path) -> Option<PathBuf> {
    let small =
        settings.metadata().is_ok_and(|found| found.is_file() && found.len() <= LARGEST_SETTINGS);
    let text = small.then(|| std::fs::read_to_string(settings).ok()).flatten()?;
    let settings: Settings = toml::from_str(&text).ok()?;
    // Nothing but a shared object: settings cannot open up other files.
    let named = settings.plugin.file_name()?.to_string_lossy().into_owned();
    let library = named.contains(".so") || named.ends_with(".dylib");
    (settings.plugin.is_absolute() && library).then_some(settings.plugin)
}
