//! All packages of an environment.

use std::collections::BTreeMap;
use std::path::Path;

use rayon::prelude::*;
use unskew_core::{Unjudged, Version, aspect};
use unskew_source::read_text;

use crate::{Package, Site, SiteError, System, Trouble};

/// What is installed, or will be.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// How the user named it.
    pub name: String,
    /// The Python that it is for, major and minor.
    pub python: Option<Version>,
    /// Its packages by name.
    pub packages: Vec<Package>,
    /// Whether Python searches packages of the system too, which were not read.
    pub has_system: bool,
    /// Whether the packages were read from a lock: nothing is installed yet.
    pub is_lock: bool,
    /// What is installed in a way that is not read.
    pub not_read: Vec<Unjudged>,
    /// The C and C++ libraries of the system that it is for, where they are known.
    pub system: Option<System>,
}

/// The most bytes of a `.pth` file.
const PTH: u64 = 1 << 20;

/// The most packages of an environment.
const PACKAGES: usize = 20_000;

/// Whether a `.pth` file has a line that is no statement: a folder. One that cannot be read may have.
fn adds_folder(path: &Path) -> bool {
    let is_folder = |line: &str| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#') && !line.starts_with("import")
    };
    read_text(path, PTH).map_or(true, |text| text.lines().any(is_folder))
}

/// Why what a file or folder of `site-packages` installs is not read, if it installs something.
fn other_install(folder: &Path, name: &str) -> Option<&'static str> {
    let ending = name.rsplit_once('.')?.1;
    match ending {
        "egg-info" => Some("packages that setup.py installed (*.egg-info), which list no files"),
        "egg" => Some("packages that easy_install put there (*.egg)"),
        "egg-link" => Some("packages that are linked from other folders (*.egg-link)"),
        "pth" if adds_folder(&folder.join(name)) => {
            Some("folders that files add to Python's path (*.pth)")
        }
        _ => None,
    }
}

impl Environment {
    /// Reads all packages that are installed.
    ///
    /// # Errors
    /// If a folder cannot be listed. What cannot be read of a package stands in its `trouble`.
    pub fn read(site: &Site) -> Result<Self, SiteError> {
        let mut found = Vec::new();
        let mut others: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for folder in &site.folders {
            let io = |source| SiteError::Io { path: folder.clone(), source };
            for entry in folder.read_dir().map_err(io)? {
                let name = entry.map_err(io)?.file_name().to_string_lossy().into_owned();
                if name.ends_with(".dist-info") {
                    found.push((folder, name));
                } else if let Some(why) = other_install(folder, &name) {
                    others.entry(why).or_default().push(name);
                }
            }
        }
        // Folders list their files in no order: which are left out must not change.
        found.sort();
        let more = found.len().saturating_sub(PACKAGES);
        found.truncate(PACKAGES);
        let mut not_read: Vec<Unjudged> = others
            .into_iter()
            .map(|(why, mut names)| {
                names.sort();
                Unjudged::new(aspect::CONTENTS, why).at(names.iter().collect())
            })
            .collect();
        if more > 0 {
            let reason = format!("{more} packages after the first {PACKAGES}");
            not_read.push(Unjudged::new(aspect::CONTENTS, reason));
        }
        let read = |(folder, name): &(&std::path::PathBuf, String)| Package::read(folder, name);
        let read = || found.par_iter().filter_map(read).collect();
        // Nearly every environment asks the table of exports, which takes a while to unfold.
        let (mut packages, _): (Vec<Package>, _) = rayon::join(read, unskew_extensions::table);
        packages.sort_by_key(|package| (package.key(), package.version.clone()));
        let mut environment = Self {
            name: site.named.display().to_string(),
            python: site.python,
            packages,
            has_system: site.has_system,
            not_read,
            ..Self::default()
        };
        environment.mark_twins();
        Ok(environment)
    }

    /// The package of this name, if there is exactly one.
    pub fn package(&self, key: &str) -> Option<&Package> {
        let mut all = self.packages.iter().filter(|package| package.key() == key);
        all.next().filter(|_| all.next().is_none())
    }

    /// Says of packages that are there more than once that they are.
    fn mark_twins(&mut self) {
        let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let whole = |package: &&mut Package| !package.name.starts_with('~');
        for package in self.packages.iter_mut().filter(whole) {
            versions.entry(package.key()).or_default().push(package.version.clone());
        }
        for package in &mut self.packages {
            if let Some(all) = versions.get(&package.key()).filter(|all| all.len() > 1) {
                package.trouble.push(Trouble::Twice(all.clone()));
            }
        }
    }
}
