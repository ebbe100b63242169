//! A wheel that is not installed, read by its members: from a file, or by ranges of one that lies elsewhere.

use std::collections::BTreeMap;
use std::sync::Arc;

use unskew_source::{Archive, ArchiveMember, ReadError, Source, SourceProblem};

use crate::file_kind::FileKind;
use crate::metadata::{Metadata, Recorded, record};
use crate::package::{CODE, CUT, EMPTY_RECORD, FILES, METADATA, RECORD};
use crate::{InstallProblem, InstalledPackage};

/// The most bytes of a shared object.
const OBJECT: u64 = 1 << 30;

impl InstalledPackage {
    /// The package in a wheel. Only what is judged is read: `METADATA`, `RECORD`, shared objects, generated code.
    ///
    /// # Errors
    /// If it is no wheel. What cannot be read of it stands in `trouble`.
    pub fn of_wheel(source: Arc<dyn Source>) -> Result<Self, ReadError> {
        let name = source.name().to_owned();
        let archive = Archive::open(source)?;
        let info = archive.entries().iter().find(|entry| is_info(&entry.name, "METADATA"));
        let Some(info) = info else {
            return Err(ReadError::malformed(&name, "no wheel: it has no *.dist-info/METADATA"));
        };
        let metadata = Metadata::read(&text(&archive, info, METADATA)?);
        let Some(metadata) = metadata else {
            let what = "METADATA has no name or version";
            return Err(ReadError::malformed(&name, what).in_record(&info.name));
        };
        let mut package = Self {
            name: metadata.name,
            version: metadata.version,
            requires: metadata.requires,
            platforms: platforms_of(&name),
            at: name.into(),
            ..Self::default()
        };
        if metadata.is_cut {
            package.unfinished(CUT);
        }
        let recorded = package.compare_record(&archive);
        package.members(&archive, &recorded);
        Ok(package)
    }

    /// Says which files `RECORD` lists that are not in the wheel, and which shared objects it does not list.
    fn compare_record(&mut self, archive: &Archive) -> BTreeMap<String, Recorded> {
        let listed = archive.entries().iter().find(|entry| is_info(&entry.name, "RECORD"));
        let text = listed.map(|entry| text(archive, entry, RECORD));
        let text = match text {
            None => Err("the wheel has none".to_owned()),
            Some(Err(error)) => Err(error.to_string()),
            Some(Ok(text)) if text.trim().is_empty() => Err(EMPTY_RECORD.to_owned()),
            Some(Ok(text)) => Ok(text),
        };
        let text = match text {
            Ok(text) => text,
            Err(why) => {
                self.trouble.push(InstallProblem::NoRecord(why));
                return BTreeMap::new();
            }
        };
        let mut listed: BTreeMap<String, Recorded> = BTreeMap::new();
        for one in record(&text).filter(|one| FileKind::from_path(&one.path) != FileKind::Other) {
            listed.insert(one.path.clone(), one);
        }
        let (mut missing, mut resized) = (Vec::new(), Vec::new());
        for (path, recorded) in &listed {
            match archive.entry(path) {
                None => missing.push(path.clone()),
                Some(entry) if recorded.size.is_some_and(|size| size != entry.size) => {
                    resized.push(path.clone());
                }
                Some(_) => {}
            }
        }
        let more: Vec<String> = archive
            .entries()
            .iter()
            .map(|entry| &entry.name)
            .filter(|path| {
                FileKind::from_path(path) == FileKind::Object && !listed.contains_key(*path)
            })
            .cloned()
            .collect();
        if !missing.is_empty() {
            self.trouble.push(InstallProblem::Missing(missing));
        }
        if !resized.is_empty() {
            self.trouble.push(InstallProblem::OtherSize(resized));
        }
        if !more.is_empty() {
            self.trouble.push(InstallProblem::NotRecorded(more));
        }
        listed
    }

    fn members(&mut self, archive: &Archive, recorded: &BTreeMap<String, Recorded>) {
        let (mut packed, mut texts) = (Vec::new(), 0);
        for entry in archive.entries() {
            match FileKind::from_path(&entry.name) {
                FileKind::Object if self.is_own_library(&entry.name) => {
                    self.libraries.push(entry.name.clone());
                }
                FileKind::Object => packed.push(entry),
                FileKind::Other => {}
                kind => {
                    texts += 1;
                    if texts > FILES {
                        continue;
                    }
                    match text(archive, entry, CODE) {
                        Ok(text) => self.code(kind, entry.name.clone(), &text),
                        Err(error) => {
                            self.trouble.push(InstallProblem::Unreadable(error.to_string()))
                        }
                    }
                }
            }
        }
        if texts > FILES {
            let what = format!("more than {FILES} files of generated code; the rest was not read");
            self.trouble.push(InstallProblem::Unreadable(what));
        }
        self.sort_code();
        // Of a wheel elsewhere, each member is one request; of a file, no more is inflated than is read.
        let mut objects = Vec::new();
        for entry in packed {
            let member = if entry.size > OBJECT {
                let what = "the inflated member".to_owned();
                let problem = SourceProblem::TooLarge { what, size: entry.size, limit: OBJECT };
                Err(ReadError::new(archive.name(), problem).in_record(&entry.name))
            } else {
                archive.member_in_parts(entry)
            };
            match member {
                Ok(source) => objects.push((entry.name.clone(), source)),
                Err(error) => self.trouble.push(InstallProblem::Unreadable(error.to_string())),
            }
        }
        // The table of exports takes as long to unfold as a small wheel.
        rayon::join(|| self.native(&objects, recorded), unskew_extensions::table);
    }
}

pub(crate) fn platforms_of(file: &str) -> Vec<String> {
    let stem = file.rsplit(['/', '\\']).next().and_then(|name| name.strip_suffix(".whl"));
    let platforms = stem.and_then(|stem| stem.rsplit('-').next()).unwrap_or_default();
    platforms.split('.').filter(|one| !one.is_empty()).map(str::to_owned).collect()
}

/// Whether a member is this file of `NAME-VERSION.dist-info`.
fn is_info(path: &str, file: &str) -> bool {
    path.split_once('/')
        .is_some_and(|(folder, name)| folder.ends_with(".dist-info") && name == file)
}

/// A member as text; what is no UTF-8 in it is replaced.
fn text(archive: &Archive, entry: &ArchiveMember, limit: u64) -> Result<String, ReadError> {
    let mut bytes = Vec::new();
    archive.copy(entry, &mut bytes, limit)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
