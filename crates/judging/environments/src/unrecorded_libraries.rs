//! Packages whose files no `RECORD` lists: editable installs, and what setup.py and easy_install put there.
//!
//! An editable install leaves a file in `site-packages` that leads to its sources, by which Python finds them; so do we:
//!
//! | file | who writes it | what it says |
//! | --- | --- | --- |
//! | `*.pth` in the `RECORD` of a `*.dist-info` | hatchling, flit, poetry, maturin, setuptools | a folder |
//! | `__editable___NAME_finder.py` there | setuptools | where each module lies |
//! | `NAME.egg-link` | `setup.py develop` | the folder with `NAME.egg-info` |
//!
//! A `*.egg-info` is a folder with `PKG-INFO`, or that file itself. What pip installed has `installed-files.txt`; else
//! `top_level.txt` names the modules, and what lies below them is what Python would import.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use unskew_source::read_regular;

use crate::file_kind::FileKind;
use crate::metadata::{Metadata, Recorded, record};
use crate::package::{CUT, METADATA};
use crate::unlisted_files::walk;
use crate::{InstallProblem, InstalledPackage};

/// The most folders that one file leads to.
const ROOTS: usize = 100;

impl InstalledPackage {
    /// Reads the sources of an editable install whose `*.dist-info` is `info`, from where files of `RECORD` lead to.
    pub(crate) fn sources(&mut self, site: &Path, info: &Path, recorded: &str) {
        let top_level = words(&info.join("top_level.txt"));
        let mut found: Vec<(PathBuf, BTreeSet<String>)> = Vec::new();
        for Recorded { path, .. } in record(recorded) {
            if path.contains('/') || found.len() >= ROOTS {
                continue;
            }
            if path.ends_with(".pth") {
                for root in folders_of(site, &path).unwrap_or_default() {
                    let tops = match &top_level {
                        Some(tops) => tops.clone(),
                        None => self.modules_in(&root),
                    };
                    found.push((root, tops));
                }
            } else if path.starts_with("__editable__") && path.ends_with("_finder.py") {
                let text = text(&site.join(&path)).unwrap_or_default();
                found.extend(mapped(&text).into_iter().filter_map(|(module, path)| {
                    let is_named = path.file_name().is_some_and(|name| name == &*module);
                    let top =
                        if is_named { module } else { path.file_name()?.to_str()?.to_owned() };
                    Some((path.parent()?.to_owned(), BTreeSet::from([top])))
                }));
            }
        }
        found.retain(|(root, tops)| root.is_dir() && !tops.is_empty());
        if found.is_empty() {
            let url = std::mem::take(&mut self.editable).unwrap_or_default();
            return self.trouble.push(InstallProblem::Editable(url));
        }
        for (root, tops) in found.into_iter().take(ROOTS) {
            self.below(&root, &tops);
        }
    }

    /// The modules in a folder of sources that may be of this package: the one of its name, else all.
    fn modules_in(&self, root: &Path) -> BTreeSet<String> {
        let module = self.key().replace('-', "_");
        if root.join(&module).is_dir() {
            return BTreeSet::from([module]);
        }
        let entries = root.read_dir().into_iter().flatten().take(10_000).filter_map(Result::ok);
        let modules = entries.filter(|entry| entry.path().join("__init__.py").is_file());
        modules.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    /// Reads what lies below these modules of a folder.
    fn below(&mut self, root: &Path, tops: &BTreeSet<String>) {
        let walked = walk(root, tops, |path| {
            FileKind::from_path(path) != FileKind::Other || path.ends_with(".py")
        });
        if let Some(why) = walked.cut {
            self.trouble.push(InstallProblem::Unreadable(why));
        }
        self.at = root.to_owned();
        self.sources.push(root.to_owned());
        let files = walked.files.into_iter();
        self.judge_files(root, files.map(|path| Recorded { path, ..Recorded::default() }));
    }

    /// Reads the package whose `*.egg-info` is at `info`, a folder or a file; its modules lie in `root`.
    pub(crate) fn of_egg_info(info: &Path, root: &Path) -> Option<Self> {
        let stem = info.file_stem()?.to_string_lossy().into_owned();
        // `name-1.0-py3.11.egg-info`; the folder of an egg is `EGG-INFO`.
        let stem = if stem == "EGG-INFO" {
            root.file_stem()?.to_string_lossy().into_owned()
        } else {
            stem
        };
        let mut cells = stem.split('-');
        let mut package = Self {
            name: cells.next().unwrap_or_default().to_owned(),
            version: cells.next().unwrap_or("?").to_owned(),
            at: root.to_owned(),
            ..Self::default()
        };
        let is_folder = info.is_dir();
        let head = if is_folder { info.join("PKG-INFO") } else { info.to_owned() };
        match text(&head).map(|text| Metadata::read(&text)) {
            Ok(Some(metadata)) => {
                (package.name, package.version) = (metadata.name, metadata.version);
                package.requires = metadata.requires;
                if metadata.is_cut {
                    package.unfinished(CUT);
                }
            }
            Ok(None) => {
                let why = "PKG-INFO has no name or version".to_owned();
                package.trouble.push(InstallProblem::Unfinished(why));
            }
            Err(why) => package.trouble.push(InstallProblem::Unfinished(why)),
        }
        if package.requires.is_empty() {
            package.requires = requires(&info.join("requires.txt"));
        }
        let name = info.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Ok(list) = text(&info.join("installed-files.txt")) {
            // Its paths begin in the *.egg-info.
            let files = list.lines().filter_map(|line| line.trim().strip_prefix("../"));
            let files: Vec<Recorded> = files
                .map(|path| Recorded { path: path.to_owned(), ..Recorded::default() })
                .collect();
            package.judge_files(root, files.into_iter());
        } else if let Some(tops) = words(&info.join("top_level.txt")) {
            package.below(root, &tops);
        } else {
            let why = format!("{name} lists neither files nor modules");
            package.trouble.push(InstallProblem::NoRecord(why));
        }
        Some(package)
    }

    /// Reads the package that `setup.py develop` linked by this file of `site`; none if it leads to no `*.egg-info`.
    pub(crate) fn of_egg_link(site: &Path, link: &str) -> Option<Self> {
        let text = text(&site.join(link)).ok()?;
        let root = site.join(text.lines().next().filter(|line| !line.trim().is_empty())?.trim());
        let name = link.strip_suffix(".egg-link")?;
        let info = [name.to_owned(), name.replace('-', "_")]
            .map(|name| root.join(format!("{name}.egg-info")));
        let info = info.into_iter().find(|info| info.exists())?;
        Self::of_egg_info(&info, &root)
    }
}

/// The folders that a `.pth` file of `site` adds to Python's path; none if it cannot be read.
pub(crate) fn folders_of(site: &Path, name: &str) -> Option<Vec<PathBuf>> {
    let text = text(&site.join(name)).ok()?;
    let lines = text.lines().map(str::trim);
    let is_folder =
        |line: &&str| !line.is_empty() && !line.starts_with('#') && !line.starts_with("import");
    Some(lines.filter(is_folder).map(|line| site.join(line)).take(ROOTS).collect())
}

/// The requirements of a `requires.txt` that no extra asks for.
fn requires(path: &Path) -> Vec<String> {
    let text = text(path).unwrap_or_default();
    let lines = text.lines().map(str::trim).take_while(|line| !line.starts_with('['));
    lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// The lines of a file; none if it is not there.
fn words(path: &Path) -> Option<BTreeSet<String>> {
    let text = text(path).ok()?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    Some(lines.map(str::to_owned).collect())
}

/// A text of which somebody else chose the encoding; what is no UTF-8 in it is replaced.
fn text(path: &Path) -> Result<String, String> {
    let bytes = read_regular(path, METADATA).map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The modules and their paths in the line `MAPPING: dict[str, str] = {'app': '/src/app'}` of a finder.
fn mapped(text: &str) -> Vec<(String, PathBuf)> {
    let Some(line) = text.lines().find(|line| line.starts_with("MAPPING")) else {
        return Vec::new();
    };
    let dictionary = line.split_once('{').map_or("", |(_, rest)| rest);
    let mut strings = Vec::new();
    let mut letters = dictionary.chars();
    while let Some(quote) = letters.find(|letter| matches!(letter, '\'' | '"' | '}')) {
        if quote == '}' || strings.len() >= 2 * ROOTS {
            break;
        }
        let mut string = String::new();
        while let Some(letter) = letters.next().filter(|letter| *letter != quote) {
            string.extend(if letter == '\\' { letters.next() } else { Some(letter) });
        }
        strings.push(string);
    }
    strings.chunks_exact(2).map(|pair| (pair[0].clone(), PathBuf::from(&pair[1]))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finder_says_where_its_modules_lie() {
        let text = "import sys\nMAPPING: dict[str, str] = {'app': '/src/app', \"_c\": '/src/it\\'s/_c.so'}\nNAMESPACES = {}";
        let expected = [("app", "/src/app"), ("_c", "/src/it's/_c.so")];
        let expected = expected.map(|(name, path)| (name.to_owned(), PathBuf::from(path)));
        assert_eq!(mapped(text), expected);
        assert_eq!(mapped("MAPPING = {'a"), []);
    }
}
