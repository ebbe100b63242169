//! The files of an installed package.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use unskew_source::{FileSource, Source, read_text};

use crate::file_kind::FileKind;
use crate::metadata::{Recorded, record};
use crate::package::{CODE, FILES};
use crate::{InstallProblem, InstalledPackage};

impl InstalledPackage {
    /// Reads the files that are judged, of all that `RECORD` lists.
    pub(crate) fn files(&mut self, site: &Path, text: &str) {
        let (mut objects, all) = self.listed(site, record(text));
        objects.extend(self.not_recorded(site, &objects));
        self.shared_objects(site, objects, &all);
    }

    /// Reads the files that are judged, of these in `root`.
    pub(crate) fn judge_files(&mut self, root: &Path, files: impl Iterator<Item = Recorded>) {
        let (objects, all) = self.listed(root, files);
        self.shared_objects(root, objects, &all);
    }

    /// Reads the texts that are judged; returns the shared objects, and all of these with what is recorded of them.
    fn listed(
        &mut self,
        site: &Path,
        files: impl Iterator<Item = Recorded>,
    ) -> (Vec<String>, BTreeMap<String, Recorded>) {
        let (mut missing, mut resized, mut objects) = (Vec::new(), Vec::new(), Vec::new());
        let mut all: BTreeMap<String, Recorded> = BTreeMap::new();
        let mut count = 0;
        for recorded in files {
            let path = recorded.path.clone();
            let kind = FileKind::from_path(&path);
            self.module(&path);
            if kind == FileKind::Object && self.shared.len() < FILES {
                self.shared.push(path.clone());
            }
            if kind == FileKind::Other || !is_inside(&path) {
                continue;
            }
            count += 1;
            if count > FILES {
                continue;
            }
            let file = site.join(&path);
            match file.metadata() {
                Ok(metadata) if metadata.is_file() => {
                    let is_other = recorded.size.is_some_and(|size| size != metadata.len());
                    if is_other && !self.is_own_library(&path) {
                        resized.push(path.clone());
                    }
                }
                Ok(_) => {
                    let what = format!("{path} is not a file");
                    self.trouble.push(InstallProblem::Unreadable(what));
                    continue;
                }
                Err(_) => {
                    missing.push(path);
                    continue;
                }
            }
            match kind {
                FileKind::Object => {
                    all.insert(path.clone(), recorded);
                    objects.push(path);
                }
                FileKind::Other => {}
                _ => match read_text(&file, CODE) {
                    Ok(text) => self.code(kind, path, &text),
                    Err(error) => self.trouble.push(InstallProblem::from_read(&error)),
                },
            }
        }
        if !resized.is_empty() {
            self.trouble.push(InstallProblem::OtherSize(resized));
        }
        if !missing.is_empty() {
            self.trouble.push(InstallProblem::Missing(missing));
        }
        if count > FILES {
            let what = format!("{} files after the first {FILES}", count - FILES);
            self.trouble.push(InstallProblem::Unreadable(what));
        }
        self.sort_code();
        (objects, all)
    }

    /// Shared objects that lie beside those of the package and are not in its `RECORD`. Folders that several packages
    /// share are left alone.
    fn not_recorded(&mut self, site: &Path, known: &[String]) -> Vec<String> {
        let known: BTreeSet<PathBuf> = known.iter().map(|path| site.join(path)).collect();
        let folders: BTreeSet<&Path> = known.iter().filter_map(|path| path.parent()).collect();
        let mut more = Vec::new();
        for folder in folders.into_iter().filter(|folder| *folder != site) {
            let Ok(entries) = folder.read_dir() else { continue };
            for (at, entry) in entries.filter_map(Result::ok).enumerate() {
                if at >= FILES {
                    let what = format!("more than {FILES} files in {}", folder.display());
                    self.trouble.push(InstallProblem::Unreadable(what));
                    break;
                }
                let path = entry.path();
                let is_object =
                    FileKind::from_path(&entry.file_name().to_string_lossy()) == FileKind::Object;
                if is_object && !known.contains(&path) {
                    let path = path.strip_prefix(site).unwrap_or(&path);
                    more.push(path.display().to_string());
                }
            }
        }
        more.sort_unstable();
        if !more.is_empty() {
            self.trouble.push(InstallProblem::NotRecorded(more.clone()));
        }
        more
    }

    fn shared_objects(
        &mut self,
        site: &Path,
        paths: Vec<String>,
        recorded: &BTreeMap<String, Recorded>,
    ) {
        let mut files: Vec<(String, Arc<dyn Source>)> = Vec::new();
        for path in paths {
            if self.is_own_library(&path) {
                self.libraries.push(path);
                continue;
            }
            match FileSource::open(&site.join(&path)) {
                Ok(source) => files.push((path, Arc::new(source))),
                Err(error) => self.trouble.push(InstallProblem::from_read(&error)),
            }
        }
        self.native(&files, recorded);
    }
}

/// Whether a path of `RECORD` stays in the environment.
fn is_inside(path: &str) -> bool {
    Path::new(path)
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_out_of_the_environment_are_not_opened() {
        assert!(is_inside("torch/_C.so"));
        for path in ["../../../bin/f2py", "/etc/passwd", "a/../../b.so"] {
            assert!(!is_inside(path), "{path}");
        }
    }
}
