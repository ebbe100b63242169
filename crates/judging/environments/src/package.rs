//! One installed package.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::str::FromStr as _;
use std::sync::Arc;

use pep440_rs::Version as Pep440;
use unskew_core::Version;
use unskew_extensions::{Framework, Handlers, Needs, OwnCheck, wheels::normal};
use unskew_releases::Family;
use unskew_source::{Source, read_text};

use crate::InstallProblem;
use crate::dependency::Dependency;
use crate::ffi_version::header_version;
use crate::file_kind::FileKind;
use crate::generated::Generated;
use crate::generated_variants::{GeneratedVariants, PackageCode, chooser};
use crate::metadata::{Metadata, Recorded};
use crate::plugins::{self, PackagedPlugin};

/// A package with what is judged of it.
#[derive(Clone, Debug, Default)]
pub struct InstalledPackage {
    /// Its name as it writes it.
    pub name: String,
    /// Its version as it writes it: `2.7.1+cpu`.
    pub version: String,
    /// Its requirements, as `METADATA` writes them.
    pub requires: Vec<String>,
    /// Shared objects that take something from a framework, and modules for Python, by path.
    pub objects: Vec<(String, Arc<Needs>)>,
    /// Generated code, by the version of its generator.
    pub generated: BTreeMap<Generated, Vec<String>>,
    /// Generated code in several forms, of which it imports one.
    pub choices: Vec<GeneratedVariants>,
    /// Generated code that is not sorted yet; empty once the package is read.
    pub unsorted: PackageCode,
    /// The platforms of its wheel: `manylinux_2_28_x86_64`.
    pub platforms: Vec<String>,
    /// Its Python modules: every folder with sources or shared objects, and single files at the top, as names with dots.
    pub modules: BTreeSet<String>,
    /// All its shared objects, by path; some lie outside of `site-packages` (`../../../lib/libmkl_rt.so.2`).
    pub shared: Vec<String>,
    /// The libraries of a framework that it has itself, by path.
    pub libraries: Vec<String>,
    /// The least jaxlib that jax says it takes.
    pub least_jaxlib: Option<String>,
    /// Shared objects with handlers of XLA's FFI, by path, of a package that requires JAX.
    pub handlers: Vec<(String, Handlers)>,
    /// The version of XLA's FFI in the header that jaxlib ships.
    pub ffi: Option<Version>,
    /// Plug-ins for JAX and TensorFlow, by what their files say: none of them was run.
    pub plugins: Vec<PackagedPlugin>,
    /// Whether jaxlib refuses plug-ins for CUDA of another version: `jaxlib/plugin_support.py` has the comparison.
    pub compares_plugins: bool,
    /// The releases of PyTorch with which it loads its extensions, where it compares them itself.
    pub loads_with: Option<OwnCheck>,
    /// The folders of its sources, where it is installed from there and they were read.
    pub sources: Vec<PathBuf>,
    /// The URL of its sources, if it is an editable install.
    pub editable: Option<String>,
    /// What is wrong with its installation.
    pub trouble: Vec<InstallProblem>,
    /// Whether a lock takes it from the default index, PyPI.
    pub is_of_default_index: bool,
    /// The line of the lock that names it.
    pub line: Option<u32>,
    /// Where it stands: the folder that its paths begin in, or the lock that names it.
    pub at: PathBuf,
}

/// The most bytes of each file.
pub(crate) const METADATA: u64 = 4 << 20;
pub(crate) const RECORD: u64 = 64 << 20;
pub(crate) const CODE: u64 = 16 << 20;

/// The most files of one package that are judged.
pub(crate) const FILES: usize = 20_000;

/// What is said of a `RECORD` that lists nothing: even a package without files lists the `RECORD` itself.
pub(crate) const EMPTY_RECORD: &str = "RECORD is empty";

/// What is said of a `METADATA` that lost its end.
pub(crate) const CUT: &str = "METADATA ends within a field";

impl InstalledPackage {
    /// The name as indexes compare it: `torch-c-dlpack-ext`.
    pub fn key(&self) -> String {
        normal(&self.name)
    }

    /// Name and version, as messages write them.
    pub fn label(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    /// The version without what says how it was built (`+cu126`).
    pub fn public_version(&self) -> &str {
        self.version.split('+').next().unwrap_or_default()
    }

    /// The numbers of its version; none if it is none that Python's packages have.
    pub(crate) fn numbers(&self) -> Option<Version> {
        let exact: unskew_releases::Exact = self.public_version().parse().ok()?;
        Some(exact.numbers)
    }

    /// A package of which only the `METADATA` is there; none if that has no name or version.
    pub fn from_metadata(text: &str) -> Option<Self> {
        let Metadata { name, version, requires, .. } = Metadata::read(text)?;
        Some(Self { name, version, requires, ..Self::default() })
    }

    /// Whether what it requires of `key` allows a version of that. A requirement under a condition (`extra == "x"`) is none here.
    pub fn allows(&self, key: &str, version: &str) -> bool {
        let Ok(version) = Pep440::from_str(version) else { return true };
        let mut all = self.requires.iter().filter_map(|text| Dependency::read(text));
        all.all(|one| one.key != key || one.marker.is_some() || one.allows(&version))
    }

    /// Whether pip left it behind when it was interrupted, so that it is not installed.
    pub(crate) fn is_left_behind(&self) -> bool {
        self.name.starts_with('~')
    }

    /// Reads the package whose `*.dist-info` is `folder` in `site`; none if it is no package at all.
    pub(crate) fn read(site: &Path, folder: &str, is_image: bool) -> Option<Self> {
        let stem = folder.strip_suffix(".dist-info")?;
        let (name, version) = stem.split_once('-').unwrap_or((stem, "?"));
        let mut package = Self {
            name: name.to_owned(),
            version: version.to_owned(),
            at: site.to_owned(),
            ..Self::default()
        };
        let info = site.join(folder);
        match read_text(&info.join("METADATA"), METADATA) {
            Ok(text) => match Metadata::read(&text) {
                Some(metadata) => {
                    (package.name, package.version) = (metadata.name, metadata.version);
                    package.requires = metadata.requires;
                    if metadata.is_cut {
                        package.unfinished(CUT);
                    }
                }
                None => package.unfinished("METADATA has no name or version"),
            },
            Err(error) => package.unfinished(&error.to_string()),
        }
        if folder.starts_with('~') {
            package.unfinished("pip left it behind when it was interrupted");
        }
        package.direct_url(&info.join("direct_url.json"));
        if let Ok(text) = read_text(&info.join("WHEEL"), METADATA) {
            package.platforms = platforms(&text);
        }
        let recorded = match read_text(&info.join("RECORD"), RECORD) {
            Ok(text) if text.trim().is_empty() => {
                package.trouble.push(InstallProblem::NoRecord(EMPTY_RECORD.to_owned()));
                text
            }
            Ok(text) => {
                package.files(site, &text);
                text
            }
            Err(error) => {
                package.trouble.push(InstallProblem::NoRecord(error.to_string()));
                String::new()
            }
        };
        match package.editable.take() {
            // Its sources are paths of the machine on which the image runs.
            Some(url) if is_image => package.trouble.push(InstallProblem::Editable(url)),
            Some(url) => {
                package.editable = Some(url);
                package.sources(site, &info, &recorded);
            }
            None => {}
        }
        Some(package)
    }

    /// Takes note of the module that a file is, or lies in.
    pub(crate) fn module(&mut self, path: &str) {
        let is_module = [".py", ".so", ".pyd"].iter().any(|ending| path.ends_with(ending));
        if !is_module
            || path.contains(['-', '\\'])
            || path.starts_with('.')
            || path.starts_with('/')
        {
            return;
        }
        let module = match path.rsplit_once('/') {
            Some((folder, _)) => folder.replace('/', "."),
            None => path.split('.').next().unwrap_or_default().to_owned(),
        };
        self.modules.insert(module);
    }

    pub(crate) fn unfinished(&mut self, why: &str) {
        self.trouble.push(InstallProblem::Unfinished(why.to_owned()));
    }

    /// Takes note of an editable install, by its `direct_url.json`.
    fn direct_url(&mut self, path: &Path) {
        if !path.exists() {
            return;
        }
        let text = match read_text(path, METADATA) {
            Ok(text) => text,
            Err(error) => return self.trouble.push(InstallProblem::Unreadable(error.to_string())),
        };
        let url = match serde_json::from_str::<serde_json::Value>(&text) {
            Ok(url) => url,
            Err(error) => {
                let what = format!("direct_url.json, which says whether it is editable: {error}");
                return self.trouble.push(InstallProblem::Unreadable(what));
            }
        };
        if url.pointer("/dir_info/editable") == Some(&serde_json::Value::Bool(true)) {
            let from = url.get("url").and_then(|url| url.as_str()).unwrap_or("unknown");
            self.editable = Some(from.to_owned());
        }
    }

    /// Whether a shared object is what a framework or CUDA provides: hundreds of megabytes, and no extension.
    pub(crate) fn is_own_library(&self, path: &str) -> bool {
        if path.starts_with("nvidia/") && self.key().starts_with("nvidia-") {
            return true;
        }
        let family = unskew_releases::Family::of_package(&self.name);
        family.is_some_and(|family| family.has_large_library(path))
    }

    /// Takes what is judged of shared objects, each under its path, with what `RECORD` says of them.
    pub(crate) fn native(
        &mut self,
        files: &[(String, Arc<dyn Source>)],
        recorded: &BTreeMap<String, Recorded>,
    ) {
        let mut plugins = Vec::new();
        let read =
            unskew_extensions::PackageExtensions::read_with(files, |path, source, object| {
                plugins.extend(plugins::read(path, source, object, recorded.get(path)));
            });
        self.plugins.extend(plugins);
        let problems = read.problems.iter().map(InstallProblem::from_read);
        self.trouble.extend(problems);
        self.objects.extend(read.objects.into_iter().map(|(path, needs)| (path, Arc::new(needs))));
        // What a pluggable device takes from TensorFlow is judged as that of a plug-in.
        for plugin in self.plugins.iter().filter(|one| one.family == Family::TensorFlow) {
            for (_, needs) in self.objects.iter_mut().filter(|(path, _)| *path == plugin.path) {
                Arc::make_mut(needs).frameworks.remove(&Framework::TensorFlow);
            }
        }
        if self.requires.iter().any(|one| is_jax(one)) {
            // A PJRT plug-in registers its handlers itself, with a runtime of its own.
            let is_plugin = |path: &str| self.plugins.iter().any(|one| one.path == path);
            for (path, source) in files.iter().filter(|(path, _)| !is_plugin(path)) {
                match Handlers::read(source) {
                    Ok(handlers) => {
                        self.handlers.extend(handlers.map(|handlers| (path.clone(), handlers)));
                    }
                    Err(error) => self.trouble.push(InstallProblem::from_read(&error)),
                }
            }
        }
    }

    /// Takes what is judged of a text: generated code, or what jax says of jaxlib.
    pub(crate) fn code(&mut self, kind: FileKind, path: String, text: &str) {
        if kind == FileKind::Jax {
            self.least_jaxlib = least_jaxlib(text);
            return;
        }
        if kind == FileKind::PluginSupport {
            self.compares_plugins = plugins::compares(text);
            return;
        }
        if kind == FileKind::OwnCheck {
            self.loads_with = OwnCheck::from_text(self.public_version(), text);
            return;
        }
        if kind == FileKind::Ffi {
            self.ffi = header_version(text);
            return;
        }
        if let Some(imports) = chooser(&path, text) {
            return self.unsorted.choosers.push((path, imports));
        }
        let found = Generated::parse(text).into_iter();
        self.unsorted.files.extend(found.map(|generated| (path.clone(), generated)));
    }
}

/// The platforms in the tags of a `WHEEL` file: `Tag: cp311-cp311-manylinux_2_28_x86_64`.
fn platforms(text: &str) -> Vec<String> {
    let tags = text.lines().filter_map(|line| line.strip_prefix("Tag:"));
    let all = tags.filter_map(|tag| tag.trim().rsplit('-').next());
    // A tag may stand for several, joined by dots.
    all.flat_map(|platforms| platforms.split('.')).map(str::to_owned).collect()
}

/// Whether a requirement is of JAX: `jax>=0.5`, `jaxlib (>=0.4)`.
fn is_jax(requirement: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let name = requirement.split(|c| !is_name(c)).next().unwrap_or_default();
    name.eq_ignore_ascii_case("jax") || name.eq_ignore_ascii_case("jaxlib")
}

/// The number in `_minimum_jaxlib_version = "0.4.30"`.
fn least_jaxlib(text: &str) -> Option<String> {
    let line =
        text.lines().find(|line| line.trim_start().starts_with("_minimum_jaxlib_version ="))?;
    let value = line.split_once('=')?.1.trim().trim_matches(['"', '\'']);
    value.starts_with(|c: char| c.is_ascii_digit()).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_on_others_and_under_conditions_allow_everything() {
        let package = InstalledPackage {
            requires: ["torch==2.7.1", "numpy", "torch<1; extra == 'old'", "torch-geometric (>=9)"]
                .map(str::to_owned)
                .to_vec(),
            ..InstalledPackage::default()
        };
        assert!(package.allows("torch", "2.7.1"));
        assert!(!package.allows("torch", "2.8.0"));
        assert!(package.allows("numpy", "2.0"));
        assert!(!package.allows("torch-geometric", "2.0"));
    }

    #[test]
    fn the_least_jaxlib_is_read_from_jax() {
        let text = "x = 1\n_minimum_jaxlib_version = '0.7.2'\n_minimum_jaxlib_version_info = f()";
        assert_eq!(least_jaxlib(text).as_deref(), Some("0.7.2"));
        assert_eq!(least_jaxlib("_minimum_jaxlib_version = read()"), None);
    }
}
