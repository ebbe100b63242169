//! The package index that is asked, and what is fetched from it as a baseline.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use unskew_lint::IndexedFile;
use unskew_source::read_text;

use crate::VerbError;

/// The index that is asked if nobody names one.
const INDEX: &str = "https://pypi.org/simple";

/// The variables that name an index, the first that is set first: of pip, of uv, of older releases of uv.
const VARIABLES: [&str; 3] = ["PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"];

/// The most bytes of a configuration of pip.
const CONFIGURATION: u64 = 1 << 20;

/// The URL of the index that is asked: `named`, else what pip and uv are told by variables, else what pip is told by the
/// files of its user and of the system, else that of PyPI. No file of the current folder is read.
///
/// # Errors
/// If a configuration of pip cannot be read: another index than the user's is no replacement.
pub fn index_url(named: Option<&str>) -> Result<String, VerbError> {
    match named {
        Some(named) => Ok(named.to_owned()),
        None => configured(&|name| std::env::var_os(name).filter(|value| !value.is_empty())),
    }
}

fn configured(variable: &dyn Fn(&str) -> Option<OsString>) -> Result<String, VerbError> {
    if let Some(url) = VARIABLES.iter().find_map(|name| variable(name)) {
        return Ok(url.to_string_lossy().into_owned());
    }
    for file in files(variable) {
        if !file.exists() {
            continue;
        }
        let text = read_text(&file, CONFIGURATION).map_err(|error| {
            VerbError::Question(format!(
                "{error}; it may name the package index: name one by --index"
            ))
        })?;
        if let Some(url) = index_in(&text) {
            return Ok(url);
        }
    }
    Ok(INDEX.to_owned())
}

/// The configurations of pip, the one that counts most first.
fn files(variable: &dyn Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let folder = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let own = variable("PIP_CONFIG_FILE").map(PathBuf::from);
    // So pip is told to read none at all.
    if own.as_deref() == Some(Path::new(if cfg!(windows) { "nul" } else { "/dev/null" })) {
        return Vec::new();
    }
    let mut files = Vec::from_iter(own);
    if cfg!(windows) {
        files.extend(folder("APPDATA").map(|path| path.join("pip/pip.ini")));
        files.extend(folder("USERPROFILE").map(|path| path.join("pip/pip.ini")));
        files.extend(folder("PROGRAMDATA").map(|path| path.join("pip/pip.ini")));
        return files;
    }
    let home = folder("HOME");
    let in_home = |below: &str| home.as_ref().map(|home| home.join(below));
    if cfg!(target_os = "macos") {
        files.extend(in_home("Library/Application Support/pip/pip.conf"));
    }
    let users = folder("XDG_CONFIG_HOME").or_else(|| in_home(".config"));
    files.extend(users.map(|path| path.join("pip/pip.conf")));
    files.extend(in_home(".pip/pip.conf"));
    files.extend(["/etc/pip.conf", "/etc/xdg/pip/pip.conf"].map(PathBuf::from));
    files
}

/// The index that a configuration of pip names for all its commands.
fn index_in(text: &str) -> Option<String> {
    let mut section = "";
    let mut found = None;
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = name;
        } else if let Some((key, value)) = line.split_once(['=', ':'])
            && section == "global"
            && key.trim().replace('_', "-") == "index-url"
        {
            found = Some(value.trim().to_owned());
        }
    }
    found
}

/// The index from which packages are fetched that are baselines.
#[derive(Debug)]
pub struct WheelIndex {
    url: String,
}

impl WheelIndex {
    /// The index at a URL.
    pub fn new(url: String) -> Self {
        Self { url }
    }
}

#[cfg(feature = "cloud")]
impl WheelIndex {
    fn open(&self) -> Result<unskew_registries::index::PackageIndex, String> {
        unskew_registries::index::PackageIndex::new(&self.url).map_err(|error| error.to_string())
    }
}

#[cfg(feature = "cloud")]
impl unskew_lint::PackageSource for WheelIndex {
    fn files(&self, package: &str) -> Result<Vec<IndexedFile>, String> {
        let files = self.open()?.files(package).map_err(|error| error.to_string())?;
        let file = |file: unskew_registries::index::IndexFile| IndexedFile {
            name: file.name,
            location: file.url,
            sha256: file.sha256,
        };
        Ok(files.into_iter().map(file).collect())
    }

    fn fetch(&self, file: &IndexedFile, out: &mut dyn Write) -> Result<(), String> {
        let IndexedFile { name, location, sha256 } = file.clone();
        let file = unskew_registries::index::IndexFile { name, url: location, sha256 };
        self.open()?.fetch(&file, out).map_err(|error| error.to_string())
    }
}

#[cfg(not(feature = "cloud"))]
impl unskew_lint::PackageSource for WheelIndex {
    fn files(&self, _: &str) -> Result<Vec<IndexedFile>, String> {
        Err(format!(
            "this build of Unskew does not ask the index {}; build it with `--features cloud`",
            self.url
        ))
    }

    fn fetch(&self, _: &IndexedFile, _: &mut dyn Write) -> Result<(), String> {
        self.files("").map(drop)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn the_index_is_the_one_that_pip_and_uv_are_set_up_for() {
        let home = tempfile::tempdir().unwrap();
        let empty = tempfile::NamedTempFile::new().unwrap();
        let own = empty.path().to_str().unwrap();
        let ask = |set: &[(&str, &str)]| {
            let set: BTreeMap<&str, &str> = set.iter().copied().collect();
            configured(&|name| set.get(name).map(OsString::from))
        };
        assert_eq!(ask(&[("UV_INDEX_URL", "b"), ("PIP_INDEX_URL", "a")]).unwrap(), "a");
        assert_eq!(ask(&[("UV_DEFAULT_INDEX", "c"), ("UV_INDEX_URL", "b")]).unwrap(), "c");
        assert_eq!(ask(&[("PIP_CONFIG_FILE", "/dev/null")]).unwrap(), INDEX);
        let folder = home.path().join("pip");
        std::fs::create_dir(&folder).unwrap();
        let text = "; index-url = no\n[install]\nindex-url = no\n[global]\ntimeout = 3\nindex_url = https://h/simple\n";
        std::fs::write(folder.join("pip.conf"), text).unwrap();
        let configuration = home.path().to_str().unwrap();
        let asked = [("XDG_CONFIG_HOME", configuration), ("PIP_CONFIG_FILE", own)];
        assert_eq!(ask(&asked).unwrap(), "https://h/simple");
        std::fs::write(folder.join("pip.conf"), [0xff]).unwrap();
        assert!(ask(&asked).is_err(), "another index is no replacement");
    }
}
