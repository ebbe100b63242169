//! From a path that a user names to the folder in which packages are installed.

use std::path::{Path, PathBuf};

use unskew_core::Version;
use unskew_source::{ReadError, read_text};

/// Where packages are installed, and for which Python.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SitePackages {
    /// The path as the user named it.
    pub named: PathBuf,
    /// The folders with packages, in the order in which Python searches them.
    pub folders: Vec<PathBuf>,
    /// The Python that they are for, major and minor; none if nothing says it.
    pub python: Option<Version>,
    /// The same with its patch release, where `pyvenv.cfg` has it.
    pub python_full: Option<Version>,
    /// Whether Python searches the packages of the system too, which are not read.
    pub has_system: bool,
    /// The folder with the `python` that a virtual environment was made with, by its `pyvenv.cfg`.
    pub home: Option<PathBuf>,
    /// The folder of Python's own modules; none if it is not known or not there.
    pub standard_library: Option<PathBuf>,
    /// Whether it is part of an image, so that paths of other folders lead nowhere here.
    pub is_image: bool,
}

/// Why there is no environment to read.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// Nothing there looks like an environment.
    #[error(
        "no Python environment (a folder with pyvenv.cfg, lib/python3.*/site-packages or *.dist-info, or the python of \
         one): {}", .0.display()
    )]
    None(PathBuf),
    /// Nothing lies there.
    #[error("no such file or folder: {}", .0.display())]
    Missing(PathBuf),
    /// It cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The folder that could not be read.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file of it cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// The most bytes of a configuration.
const CONFIGURATION: u64 = 1 << 20;

impl SitePackages {
    /// The environment that `path` names: its folder, its `python`, or a `site-packages` folder.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn find(path: &Path) -> Result<Self, SiteError> {
        let io = |source| SiteError::Io { path: path.to_owned(), source };
        let metadata = match path.metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(SiteError::Missing(path.to_owned()));
            }
            metadata => metadata.map_err(io)?,
        };
        if !metadata.is_file() && !metadata.is_dir() {
            return Err(SiteError::None(path.to_owned()));
        }
        let folder = if metadata.is_file() {
            // `venv/bin/python` is a link to the Python that the environment was made with.
            let bin = path.parent().filter(|bin| !bin.as_os_str().is_empty());
            bin.map_or_else(|| PathBuf::from(".."), |bin| bin.join(".."))
        } else {
            path.to_owned()
        };
        let mut site = Self {
            named: path.to_owned(),
            folders: Vec::new(),
            python: None,
            python_full: None,
            has_system: false,
            home: None,
            standard_library: None,
            is_image: false,
        };
        if has_packages(&folder).map_err(io)? {
            let above = folder.parent().and_then(Path::file_name).and_then(|name| name.to_str());
            site.python = above.and_then(version_of);
            site.folders.push(folder.clone());
            if let Some(root) = folder.ancestors().nth(3) {
                site.configuration(&root.join("pyvenv.cfg"))?;
            }
            site.find_standard_library();
            return Ok(site);
        }
        site.configuration(&folder.join("pyvenv.cfg"))?;
        for library in ["lib", "lib64", "Lib"] {
            site.search(&folder.join(library));
        }
        if site.folders.is_empty() {
            return Err(SiteError::None(path.to_owned()));
        }
        site.find_standard_library();
        Ok(site)
    }

    /// Finds Python's own modules: above `site-packages`, or beside the Python that a virtual environment was made with.
    fn find_standard_library(&mut self) {
        let above = self.folders.iter().filter_map(|folder| folder.parent()).map(Path::to_owned);
        let of_home = self.home.iter().zip(self.python).flat_map(|(home, python)| {
            let name = format!("python{python}");
            let root = home.join("..");
            [root.join("lib").join(&name), root.join("lib64").join(name), root.join("Lib")]
        });
        self.standard_library = above.chain(of_home).find(|folder| folder.join("os.py").is_file());
    }

    /// Adds the folders with packages in `lib`.
    fn search(&mut self, library: &Path) {
        let Ok(entries) = library.read_dir() else { return };
        let mut pythons: Vec<(Version, PathBuf)> = entries
            .filter_map(|entry| {
                let path = entry.ok()?.path();
                Some((version_of(path.file_name()?.to_str()?)?, path))
            })
            .filter(|(version, _)| self.python.is_none_or(|python| python == *version))
            .collect();
        // The newest, if nothing says which one is used.
        pythons.sort_unstable();
        let newest = pythons.pop().map(|(version, path)| (Some(version), path));
        let windows = library.join("site-packages");
        let found = newest.map(|(version, path)| (version, path.join("site-packages")));
        for (version, folder) in found.into_iter().chain([(None, windows)]) {
            let same = |one: &PathBuf| one.canonicalize().ok() == folder.canonicalize().ok();
            if folder.is_dir() && !self.folders.iter().any(same) {
                self.python = self.python.or(version);
                self.folders.push(folder);
            }
        }
    }

    /// Reads `pyvenv.cfg`, if it is there.
    fn configuration(&mut self, path: &Path) -> Result<(), SiteError> {
        if !path.is_file() {
            return Ok(());
        }
        let text = read_text(path, CONFIGURATION)?;
        for (key, value) in text.lines().filter_map(|line| line.split_once('=')) {
            match key.trim() {
                "version" | "version_info" => {
                    let numbers: Vec<&str> = value.trim().split('.').collect();
                    let parsed = |count| numbers.get(..count)?.join(".").parse().ok();
                    self.python = parsed(2).or(self.python);
                    self.python_full = parsed(3).or(self.python_full);
                }
                "home" => self.home = Some(PathBuf::from(value.trim())),
                "include-system-site-packages" => {
                    self.has_system = value.trim().eq_ignore_ascii_case("true");
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The version in the name of a folder: `3.11` of `python3.11`.
fn version_of(folder: &str) -> Option<Version> {
    let version = folder.strip_prefix("python")?.trim_end_matches('t');
    version.contains('.').then(|| version.parse().ok()).flatten()
}

fn has_packages(folder: &Path) -> std::io::Result<bool> {
    let named = folder.file_name().is_some_and(|n| n == "site-packages" || n == "dist-packages");
    let mut entries = folder.read_dir()?.take(100_000).filter_map(Result::ok);
    Ok(named || entries.any(|entry| entry.file_name().to_string_lossy().ends_with(".dist-info")))
}
