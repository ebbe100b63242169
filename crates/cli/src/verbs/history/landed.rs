//! Days of landing from elsewhere: from git, from the database, from another history.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use anyhow::Context as _;
use unskew_core::{Date, Version};
use unskew_history::{Chronicle, Landings};
use unskew_lint::{Repository, States};

use super::source::{NamedHistory, open};

/// Takes the days on which versions landed from `from`.
///
/// # Errors
/// If git knows nothing of the file, or `from` names no history.
pub fn add(named: &mut NamedHistory, from: &OsStr) -> anyhow::Result<()> {
    if from == "git" && !Path::new(from).exists() {
        let path =
            named.path.clone().context("git knows files only: this is an axis of the database")?;
        let landings = of_git(&named.chronicle, Path::new(&path))?;
        named.chronicle.land(|at, step| landings.day(at, step));
        return Ok(());
    }
    let other = open(from)?.chronicle;
    let mut days: BTreeMap<Version, Date> = BTreeMap::new();
    for step in &other.steps {
        if let Some(day) = step.day() {
            days.entry(step.version).or_insert(day);
        }
    }
    named.chronicle.land(|_, step| days.get(&step.version).copied());
    Ok(())
}

/// When the versions of a file came into it, up to the commit that is checked out.
fn of_git(chronicle: &Chronicle, path: &Path) -> anyhow::Result<Landings> {
    let unknown = || format!("git knows no days of {}", path.display());
    let file = path.file_name().with_context(unknown)?.to_string_lossy().into_owned();
    let folder = path.parent().unwrap_or(Path::new(""));
    let repository = Repository::open(folder).with_context(unknown)?;
    let states = States::until(&repository, repository.commit("HEAD").with_context(unknown)?)?;
    let landings = Landings::find(chronicle, &file, &states)?.with_context(unknown)?;
    Ok(landings)
}
