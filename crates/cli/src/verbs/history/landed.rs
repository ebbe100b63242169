//! Days of landing from elsewhere: from git, from the database, from another history.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, bail};
use unskew_core::{Date, Version};

use super::source::{Named, open};

/// Takes the days on which versions landed from `from`.
///
/// # Errors
/// If git knows nothing of the file, or `from` names no history.
pub fn add(named: &mut Named, from: &OsStr) -> anyhow::Result<()> {
    if from == "git" && !Path::new(from).exists() {
        let path =
            named.path.clone().context("git knows files only: this is an axis of the database")?;
        let days = of_git(Path::new(&path))?;
        named.chronicle.land(|step| days.get(&step.line).copied());
        return Ok(());
    }
    let other = open(from)?.chronicle;
    let mut days: BTreeMap<Version, Date> = BTreeMap::new();
    for step in &other.steps {
        if let Some(day) = step.day() {
            days.entry(step.version).or_insert(day);
        }
    }
    named.chronicle.land(|step| days.get(&step.version).copied());
    Ok(())
}

/// The day on which each line of a file was committed as it is now.
fn of_git(path: &Path) -> anyhow::Result<BTreeMap<usize, Date>> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let file = path.file_name().with_context(|| format!("no file: {}", path.display()))?;
    let output = Command::new("git")
        .arg("-C")
        .arg(folder.unwrap_or(Path::new(".")))
        .args(["blame", "--line-porcelain", "-w", "--"])
        .arg(file)
        .output()
        .context("cannot run git")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("git knows no days of {}: {}", path.display(), said.trim());
    }
    Ok(days(&String::from_utf8_lossy(&output.stdout)))
}

/// The days of what `git blame --line-porcelain` prints: for each line a head of `HASH OLD NEW`, then fields, then
/// the line itself behind a tab. What is not committed yet has no day.
fn days(blame: &str) -> BTreeMap<usize, Date> {
    let mut days = BTreeMap::new();
    let (mut at, mut committed) = (0, false);
    for line in blame.lines() {
        if line.starts_with('\t') {
            at = 0;
        } else if at == 0 {
            let mut words = line.split(' ');
            committed = words.next().is_some_and(|hash| hash.bytes().any(|b| b != b'0'));
            at = words.nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        } else if let Some(seconds) = line.strip_prefix("committer-time ")
            && let (true, Some(day)) = (committed, seconds.parse().ok().and_then(day))
        {
            days.insert(at, day);
        }
    }
    days
}

/// The day of a moment, in universal time.
fn day(seconds: i64) -> Option<Date> {
    Some(jiff::Timestamp::from_second(seconds).ok()?.to_zoned(jiff::tz::TimeZone::UTC).date())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_committed_line_has_the_day_of_its_commit() {
        let blame = "1111 4 1 1\nauthor A\ncommitter-time 1731283200\nfilename f\n\tone\n\
                     0000 1 2\nauthor B\ncommitter-time 1731369600\n\ttwo\n";
        let days = days(blame);
        assert_eq!(days.get(&1), Some(&Date::constant(2024, 11, 11)));
        assert_eq!(days.get(&2), None);
    }
}
