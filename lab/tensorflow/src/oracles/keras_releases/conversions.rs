//! What a release does not load, converted for it and loaded.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use unskew_keras::{KerasConvertOptions, KerasRelease, convert};
use unskew_source::{FileSource, Source};

use super::files::{FileOnRelease, loaded};
use super::python::KerasPython;

/// How conversions for a release ended.
#[derive(Clone, Copy, Default)]
pub(super) struct ConversionTally {
    /// Files that the release does not load, or that fail at their first call.
    pub(super) failing: usize,
    /// Of those, the files that were written anew.
    pub(super) converted: usize,
    /// Of those, the files that load and compute what the writer computed.
    pub(super) same: usize,
}

impl std::ops::AddAssign for ConversionTally {
    fn add_assign(&mut self, other: Self) {
        self.failing += other.failing;
        self.converted += other.converted;
        self.same += other.same;
    }
}

/// Converts what failed for a release, and has it loaded; with a line for each that is not the same.
pub(super) fn converted(
    python: &KerasPython,
    folder: &Path,
    keras: &KerasRelease,
    name: &str,
    files: &[FileOnRelease],
) -> anyhow::Result<(ConversionTally, Vec<String>)> {
    let reader = keras.version.to_string();
    let place = folder.join(format!("converted-{name}-{reader}"));
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place)?;
    let mut tally = ConversionTally::default();
    let mut written = Vec::new();
    for file in files {
        if !file.came.starts_with("fails") || file.ending == ".weights.h5" {
            continue;
        }
        tally.failing += 1;
        let source: Arc<dyn Source> = Arc::new(FileSource::open(&file.path)?);
        // What answers is compared, and that needs no optimizer.
        let options = KerasConvertOptions { uncompiled: true };
        let Some((plan, output)) = convert(&source, keras, options)? else { continue };
        if !plan.is_possible() || plan.changes_nothing() {
            continue;
        }
        let number = written.len();
        let new = place.join(format!("{number:04}{}", file.ending));
        output.write(&new)?;
        fs::copy(beside(&file.path, file.ending), beside(&new, file.ending))?;
        written.push((new, file.path.clone()));
    }
    tally.converted = written.len();
    if written.is_empty() {
        return Ok((tally, Vec::new()));
    }
    let paths: Vec<PathBuf> = written.iter().map(|(new, _)| new.clone()).collect();
    let list = format!("converted-{name}-for-{reader}");
    // The files of an earlier run had the same names.
    let _ = fs::remove_file(folder.join(format!("{list}.txt")));
    let answers = loaded(python, folder, &reader, &list, &paths)?;
    let mut wrong = Vec::new();
    for (new, old) in &written {
        let Some((came, error)) = answers.get(&new.display().to_string()) else { continue };
        if came == "ok" {
            tally.same += 1;
        } else {
            wrong.push(format!("converted for {reader}\t{}\t{came}\t{error}", old.display()));
        }
    }
    Ok((tally, wrong))
}

/// The answer that stands beside a file.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let name = path.display().to_string();
    PathBuf::from(format!("{}.npy", name.strip_suffix(ending).unwrap_or(&name)))
}
