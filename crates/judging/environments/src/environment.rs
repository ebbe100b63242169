//! All packages of an environment.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use unskew_core::{Unjudged, Version, aspect};
use unskew_extensions::Machine;

use crate::unrecorded_libraries::folders_of;
use crate::{
    GpuHost, InstallProblem, InstalledPackage, SiteError, SitePackages, System, SystemLibraries,
};

/// What is installed, or will be.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// How the user named it.
    pub name: String,
    /// The Python that it is for, major and minor.
    pub python: Option<Version>,
    /// The same with its patch release, where that is known.
    pub python_full: Option<Version>,
    /// What the wheels of a lock are chosen for; none if packages are installed.
    pub machine: Option<Machine>,
    /// Its packages by name.
    pub packages: Vec<InstalledPackage>,
    /// The folders with packages, in the order in which Python searches them; none of a lock.
    pub folders: Vec<PathBuf>,
    /// The folder of Python's own modules, if it was found.
    pub standard_library: Option<PathBuf>,
    /// Whether it is in an image, of which sources of modules are not unpacked.
    pub is_image: bool,
    /// Whether Python searches packages of the system too, which were not read.
    pub has_system: bool,
    /// Whether the packages were read from a lock: nothing is installed yet.
    pub is_lock: bool,
    /// What is installed in a way that is not read.
    pub not_read: Vec<Unjudged>,
    /// The C and C++ libraries of the system that it is for, where they are known.
    pub system: Option<System>,
    /// The shared libraries of the system that it is installed on; none if that is not this one.
    pub libraries: Option<SystemLibraries>,
    /// The GPUs and the driver that it is to run on; without them nothing of its code for GPUs is read.
    pub gpus: Option<GpuHost>,
    /// The folder in which is kept what was read of sources, so that they are not read again; none if nothing is kept.
    pub source_cache: Option<PathBuf>,
}

/// The most packages of an environment.
const PACKAGES: usize = 20_000;

/// Where a package is installed: the folder, and what in it says so.
type Installed<'a> = (&'a PathBuf, String);

/// Why what a file of `site-packages` installs is not read.
const EGG: &str = "packages in a zip file of easy_install (*.egg)";
const EGG_LINK: &str = "packages that are linked from folders that were not found (*.egg-link)";
const PTH: &str = "folders that files add to Python's path (*.pth)";

/// Reads the package that something in a folder says is installed; why it is not read, if it is one.
fn package(
    (folder, name): &Installed<'_>,
    is_image: bool,
) -> Result<Option<InstalledPackage>, &'static str> {
    let path = folder.join(name);
    let Some((_, ending)) = name.rsplit_once('.') else { return Ok(None) };
    match ending {
        "dist-info" => Ok(InstalledPackage::read(folder, name, is_image)),
        "egg-info" => Ok(InstalledPackage::of_egg_info(&path, folder)),
        "egg" if path.is_dir() => Ok(InstalledPackage::of_egg_info(&path.join("EGG-INFO"), &path)),
        "egg" => Err(EGG),
        // Its folder is one of the machine on which the image runs.
        "egg-link" if is_image => Err(EGG_LINK),
        "egg-link" => InstalledPackage::of_egg_link(folder, name).map(Some).ok_or(EGG_LINK),
        _ => Ok(None),
    }
}

impl Environment {
    /// Reads all packages that are installed.
    ///
    /// # Errors
    /// If a folder cannot be listed. What cannot be read of a package stands in its `trouble`.
    pub fn read(site: &SitePackages) -> Result<Self, SiteError> {
        let (mut found, mut paths): (Vec<Installed<'_>>, Vec<Installed<'_>>) = <_>::default();
        for folder in &site.folders {
            let io = |source| SiteError::Io { path: folder.clone(), source };
            for entry in folder.read_dir().map_err(io)? {
                let name = entry.map_err(io)?.file_name().to_string_lossy().into_owned();
                match name.rsplit_once('.') {
                    Some((_, "dist-info" | "egg-info" | "egg" | "egg-link")) => {
                        found.push((folder, name));
                    }
                    Some((_, "pth")) => paths.push((folder, name)),
                    _ => {}
                }
            }
        }
        // Folders list their files in no order: which are left out must not change.
        found.sort_unstable();
        let more = found.len().saturating_sub(PACKAGES);
        found.truncate(PACKAGES);
        let read =
            |one: &Installed<'_>| package(one, site.is_image).map_err(|why| (why, one.1.clone()));
        // Nearly every environment asks the table of exports, which takes a while to unfold. Not on a thread of the pool: the table
        // sorts on the pool, so threads of it that wait for the table would wait for themselves.
        let read: Vec<_> = std::thread::scope(|scope| {
            scope.spawn(unskew_extensions::table);
            found.par_iter().map(read).collect()
        });
        let mut others: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut packages: Vec<InstalledPackage> = Vec::new();
        for one in read {
            match one {
                Ok(package) => packages.extend(package),
                Err((why, name)) => others.entry(why).or_default().push(name),
            }
        }
        packages.sort_by_key(|package| (package.key(), package.version.clone()));
        let known: BTreeSet<PathBuf> =
            packages.iter().flat_map(|package| &package.sources).map(|path| real(path)).collect();
        for (folder, name) in &paths {
            let added = folders_of(folder, name);
            if added.is_none_or(|all| all.iter().any(|one| !known.contains(&real(one)))) {
                others.entry(PTH).or_default().push(name.clone());
            }
        }
        let mut not_read: Vec<Unjudged> = others
            .into_iter()
            .map(|(why, mut names)| {
                names.sort_unstable();
                Unjudged::new(aspect::CONTENTS, why).at(names.iter().collect())
            })
            .collect();
        if more > 0 {
            let reason = format!("{more} packages after the first {PACKAGES}");
            not_read.push(Unjudged::new(aspect::CONTENTS, reason));
        }
        let mut environment = Self {
            name: site.named.display().to_string(),
            python: site.python,
            python_full: site.python_full,
            libraries: (!site.is_image).then(SystemLibraries::here),
            packages,
            folders: site.folders.clone(),
            standard_library: site.standard_library.clone(),
            is_image: site.is_image,
            has_system: site.has_system,
            not_read,
            ..Self::default()
        };
        environment.mark_twins();
        environment.share_folders();
        Ok(environment)
    }

    /// The package of this name, if there is exactly one.
    pub fn package(&self, key: &str) -> Option<&InstalledPackage> {
        let mut all = self.packages.iter().filter(|package| package.key() == key);
        all.next().filter(|_| all.next().is_none())
    }

    /// Takes from packages what lies beside their shared objects and is of another one: PyQt5 and its sip share a folder.
    fn share_folders(&mut self) {
        let is_concerned = |one: &InstallProblem| matches!(one, InstallProblem::NotRecorded(_));
        if !self.packages.iter().any(|package| package.trouble.iter().any(is_concerned)) {
            return;
        }
        let recorded: BTreeSet<PathBuf> = self
            .packages
            .iter()
            .flat_map(|package| package.shared.iter().map(|path| package.at.join(path)))
            .collect();
        for package in &mut self.packages {
            let at = package.at.clone();
            let is_of_other = |path: &String| recorded.contains(&at.join(path));
            let mut of_others = BTreeSet::new();
            package.trouble.retain_mut(|trouble| {
                let InstallProblem::NotRecorded(paths) = trouble else { return true };
                of_others.extend(paths.extract_if(.., |path| is_of_other(path)));
                !paths.is_empty()
            });
            package.objects.retain(|(path, _)| !of_others.contains(path));
        }
    }

    /// Says of packages that are there more than once that they are.
    fn mark_twins(&mut self) {
        let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let whole = |package: &&mut InstalledPackage| !package.is_left_behind();
        for package in self.packages.iter_mut().filter(whole) {
            versions.entry(package.key()).or_default().push(package.version.clone());
        }
        for package in &mut self.packages {
            if let Some(all) = versions.get(&package.key()).filter(|all| all.len() > 1) {
                package.trouble.push(InstallProblem::Twice(all.clone()));
            }
        }
    }
}

/// A path without links; as it stands, if nothing is there.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
