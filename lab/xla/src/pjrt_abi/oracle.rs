//! The size oracle: the ABI data against what plug-ins themselves say of the sizes of their arguments.
//!
//! A plug-in is asked in a child process, which writes its answers line by line: a word, then fields, with
//! tabs between them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};
use unskew_pjrt::conform::{SizeAnnouncement, SizePolicy, size_oracle};

/// What the child's own lines begin with; plug-ins write to the same output.
const MARK: &str = "@unskew-sizes";

/// The plug-ins of the corpus: what they are called, and their files.
const CORPUS: [(&str, &str); 3] = [
    ("xla-cpu-pjrt 0.0.1", "xla-cpu-pjrt-0.0.1.so"),
    ("fastatomstruct-xla-cpu 2026.6.23", "fastatomstruct-xla-cpu-2026.6.23.so"),
    ("lammps-jax-pjrt-cpu 0.11.2", "lammps-jax-pjrt-cpu-0.11.2.so"),
];

/// What one plug-in says.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Oracle {
    pub label: String,
    pub minor: i32,
    /// Functions that name the size which they want.
    pub told: usize,
    /// Of those, the ones that take larger arguments, and that take nothing else.
    pub at_least: usize,
    pub exactly: usize,
    /// Functions that do not look at the size.
    pub nothing: usize,
    pub unsupported: usize,
    /// Functions that end the process, with how.
    pub died: Vec<String>,
    /// Sizes that are not those of the minor, for a reason that the data know.
    pub explained: Vec<String>,
    /// Sizes that the data do not have.
    pub deviations: Vec<String>,
}

impl fmt::Display for Oracle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: 0.{}: {} sizes told, {} explained; {} deviations",
            self.label,
            self.minor,
            self.told,
            self.explained.len(),
            self.deviations.len()
        )
    }
}

/// The plug-ins of the corpus that are there.
pub fn corpus() -> Vec<(String, PathBuf)> {
    let at = |file: &str| unskew_peers::root().join("corpus").join(file);
    let all = CORPUS.iter().map(|(label, file)| ((*label).to_owned(), at(file)));
    all.filter(|(label, path)| {
        if !path.exists() {
            println!("SKIPPED: {label} is not in the corpus; `cargo xtask corpus` fetches it");
        }
        path.exists()
    })
    .collect()
}

/// Asks the plug-in at `path`, in a child process.
///
/// # Errors
/// If it cannot be loaded, or ends the child.
pub fn ask(label: &str, path: &Path) -> anyhow::Result<Oracle> {
    let program = std::env::current_exe().context("cannot find this program")?;
    let mut command = Command::new(program);
    read(label, command.arg("__sizes").arg(path))
}

fn read(label: &str, command: &mut Command) -> anyhow::Result<Oracle> {
    let output = command.stdin(Stdio::null()).output().with_context(|| label.to_owned())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{label}: {}: {}", output.status, said.trim());
    let mut oracle = Oracle { label: label.to_owned(), ..Oracle::default() };
    for line in text.lines().filter_map(|line| line.strip_prefix(MARK)) {
        let fields: Vec<&str> = line.split('\t').skip(1).collect();
        let [word, value, rest @ ..] = &*fields else { continue };
        let entry = || format!("{value}: {}", rest.join(", "));
        match *word {
            "minor" => oracle.minor = value.parse()?,
            "told" => oracle.told = value.parse()?,
            "at least" => oracle.at_least = value.parse()?,
            "exactly" => oracle.exactly = value.parse()?,
            "nothing" => oracle.nothing = value.parse()?,
            "unsupported" => oracle.unsupported = value.parse()?,
            "died" => oracle.died.push(entry()),
            "explained" => oracle.explained.push(entry()),
            "deviation" => oracle.deviations.push(entry()),
            _ => {}
        }
    }
    ensure!(oracle.minor > 0, "{label}: the child said nothing");
    Ok(oracle)
}

/// What the child does: loads the plug-in and writes what it says.
///
/// # Errors
/// If it cannot be loaded.
pub fn child(path: &Path) -> anyhow::Result<()> {
    let oracle = size_oracle(path).map_err(anyhow::Error::msg)?;
    let say = |word: &str, value: String| println!("\n{MARK}\t{word}\t{value}");
    let nothing = oracle
        .sizes
        .iter()
        .filter(|size| matches!(size.told, SizeAnnouncement::Nothing { .. }))
        .count();
    say("minor", oracle.minor.to_string());
    say("told", oracle.told().to_string());
    say("at least", oracle.count(SizePolicy::AtLeast).to_string());
    say("exactly", oracle.count(SizePolicy::Exactly).to_string());
    say("nothing", nothing.to_string());
    say("unsupported", oracle.unsupported.to_string());
    for (function, how) in &oracle.died {
        say("died", format!("{function}\t{how}"));
    }
    for size in &oracle.sizes {
        if let (SizeAnnouncement::Size { bytes, .. }, Some(Ok(why))) = (&size.told, &size.agreement)
            && let Some(why) = why.strip_prefix(", ")
        {
            say("explained", format!("{}\t{bytes}\t{why}", size.function));
        }
    }
    for (function, wanted, known) in oracle.deviations() {
        say("deviation", format!("{function}\tplug-in: {wanted}; data: {known:?}"));
    }
    // What the plug-in has registered for the end of the process is not run.
    std::process::exit(0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answers_of_a_child_are_read_among_the_lines_of_a_plug_in() {
        let lines = "noise\n@unskew-sizes\tminor\t81\n@unskew-sizes\ttold\t2\nmore noise\n\
                     @unskew-sizes\tdied\tPJRT_X\tabort\n@unskew-sizes\tdeviation\tPJRT_Y\tplug-in: 3";
        let oracle = read("x", Command::new("printf").args(["%s", lines])).unwrap();
        assert_eq!((oracle.minor, oracle.told), (81, 2));
        assert_eq!(oracle.died, ["PJRT_X: abort"]);
        assert_eq!(oracle.deviations, ["PJRT_Y: plug-in: 3"]);
        assert!(read("x", Command::new("printf").arg("nothing")).is_err());
    }
}
