//! All packages of an environment.

use std::collections::BTreeMap;

use rayon::prelude::*;
use unskew_core::Version;

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
    /// The C and C++ libraries of the system that it is for, where they are known.
    pub system: Option<System>,
}

/// The most packages of an environment.
const PACKAGES: usize = 20_000;

impl Environment {
    /// Reads all packages that are installed.
    ///
    /// # Errors
    /// If a folder cannot be listed. What cannot be read of a package stands in its `trouble`.
    pub fn read(site: &Site) -> Result<Self, SiteError> {
        let mut found = Vec::new();
        for folder in &site.folders {
            let io = |source| SiteError::Io { path: folder.clone(), source };
            for entry in folder.read_dir().map_err(io)? {
                let name = entry.map_err(io)?.file_name().to_string_lossy().into_owned();
                if name.ends_with(".dist-info") && found.len() < PACKAGES {
                    found.push((folder, name));
                }
            }
        }
        let read = |(folder, name): &(&std::path::PathBuf, String)| Package::read(folder, name);
        let mut packages: Vec<Package> = found.par_iter().filter_map(read).collect();
        packages.sort_by_key(|package| (package.key(), package.version.clone()));
        let mut environment = Self {
            name: site.named.display().to_string(),
            python: site.python,
            packages,
            has_system: site.has_system,
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
