//! The commands of the laboratory, as `lab/SUBJECT/experiments.toml` states them.
//!
//! They stand in files and not in code, so that `cargo lab` lists all of them, and finds the crate of one, without building
//! any. The crate of the subject reads the same file for its help ([`crate::Subject`]).

use std::fs;

use anyhow::{Context as _, ensure};
use serde::Deserialize;

/// The file of a subject, in its folder.
const FILE: &str = "experiments.toml";

/// A command of the laboratory.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Its name: `cargo lab NAME`.
    pub name: String,
    /// What it does, as a sentence: its help.
    pub summary: String,
    /// What answers come from: real releases, compilers, packages.
    #[serde(default)]
    pub oracle: String,
    /// The pages and data that it writes, as Markdown.
    #[serde(default)]
    pub makes: String,
    /// The arguments with which it makes them; `--write` if nothing else is stated.
    pub arguments: Option<String>,
    /// What holds them to the truth between two runs.
    #[serde(default)]
    pub checked: String,
    /// How long it takes at most, with the environments there; nothing if nobody measured it.
    pub minutes: Option<u32>,
    /// How much room it takes on the disk, in megabytes; nothing if nobody measured it.
    pub megabytes: Option<u32>,
    /// The scripts that it runs, from the folder `lab`.
    #[serde(default)]
    pub probes: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    experiment: Vec<Experiment>,
}

/// The commands that a file states.
///
/// # Errors
/// If it is not as it should be, with the line.
pub fn read(text: &str) -> anyhow::Result<Vec<Experiment>> {
    let file: File = toml::from_str(text).context(FILE)?;
    Ok(file.experiment)
}

/// The commands of all subjects, each with the name of its subject, in the order of subjects.
///
/// # Errors
/// If a file cannot be read, or two commands have one name.
pub fn all() -> anyhow::Result<Vec<(String, Experiment)>> {
    let folder = unskew_peers::root().join("lab");
    let mut subjects = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.join(FILE).is_file() {
            subjects.push(path);
        }
    }
    subjects.sort();
    let mut found: Vec<(String, Experiment)> = Vec::new();
    for subject in subjects {
        let path = subject.join(FILE);
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let name = subject.file_name().unwrap_or_default().to_string_lossy();
        for one in read(&text).with_context(|| path.display().to_string())? {
            let twin = found.iter().find(|(_, other)| other.name == one.name);
            ensure!(twin.is_none(), "{}: two commands {}", path.display(), one.name);
            found.push((name.clone().into_owned(), one));
        }
    }
    Ok(found)
}

impl Experiment {
    /// Minutes and room on the disk, in words; empty if neither was measured.
    pub fn cost(&self) -> String {
        let minutes = self.minutes.map(|minutes| match minutes {
            1 => "1 minute".to_owned(),
            minutes => format!("{minutes} minutes"),
        });
        let room = self.megabytes.map(|megabytes| match megabytes {
            ..1000 => format!("{megabytes} MB"),
            _ => format!("{} GB", megabytes / 1000),
        });
        minutes.into_iter().chain(room).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_probe_that_a_command_names_is_there() {
        let all = all().unwrap();
        let lab = unskew_peers::root().join("lab");
        for (subject, one) in &all {
            for probe in &one.probes {
                assert!(lab.join(probe).is_file(), "{subject}: {}: {probe}", one.name);
            }
        }
        assert!(all.len() > 35, "{}", all.len());
    }

    #[test]
    fn a_command_says_what_it_costs() {
        let text = "[[experiment]]\nname='a'\nsummary='b'\nminutes=1\nmegabytes=20000\n\
                    [[experiment]]\nname='c'\nsummary='d'";
        let costs: Vec<String> = read(text).unwrap().iter().map(Experiment::cost).collect();
        assert_eq!(costs, ["1 minute, 20 GB", ""]);
        assert!(read("[[experiment]]\nname='a'").is_err());
    }
}
