//! How often a release that the database does not know is judged rightly as the newest before it: `cargo lab guesses`.
//!
//! ```text
//! files ─ rows ─▶ parties ─ check with each release of a family and with the one before it ─▶ the same, or not ─▶ the page
//! ```
//!
//! Each release of the database was such a release once: as long as it was not in the database, its predecessor stood in for it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;

use anyhow::Result;
use unskew_core::{Outcome, Party, Phase, Verdict, check};
use unskew_lab_harness::{Page, WritePage, today};
use unskew_releases::{Family, Release};
use unskew_verbs::{RunPolicy, progress};

const PAGE: Page = Page("docs/reference/guessed-releases.md");

/// Where files of this repository lie that a framework or a converter wrote.
const FOLDERS: [&str; 3] = ["examples", "crates", "corpus"];

/// Counts verdicts of releases that their predecessors give, too.
#[derive(clap::Args)]
pub struct Guesses {
    /// Files and folders to judge; those of the repository without one.
    paths: Vec<OsString>,
    #[command(flatten)]
    write: WritePage,
}

/// What the guess was, beside the verdict with the release itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum GuessOutcome {
    Same,
    /// It was said to fail, and works.
    FalselyRefused,
    /// It was said to work, and fails.
    FalselyAccepted,
    /// Both fail, one of them earlier.
    OtherPhase,
}

impl GuessOutcome {
    fn new(guess: &Verdict, own: &Verdict) -> Self {
        let failure = |verdict: &Verdict| -> Option<Option<Phase>> {
            (verdict.outcome == Outcome::Incompatible).then(|| verdict.first_failure())
        };
        match (failure(guess), failure(own)) {
            (guess, own) if guess == own => Self::Same,
            (Some(_), None) => Self::FalselyRefused,
            (None, Some(_)) => Self::FalselyAccepted,
            _ => Self::OtherPhase,
        }
    }
}

type Counts = BTreeMap<GuessOutcome, usize>;

/// Judges, prints the table, and writes the page if that is wanted.
///
/// # Errors
/// If the page cannot be written.
pub fn run(asked: &Guesses) -> Result<()> {
    let root = unskew_peers::root();
    let paths: Vec<OsString> = match asked.paths.is_empty() {
        true => FOLDERS.iter().map(|folder| root.join(folder).into_os_string()).collect(),
        false => asked.paths.clone(),
    };
    let options = unskew_verbs::options(RunPolicy::Never, None);
    let rows = unskew_verbs::rows(&paths, &options, &progress::silent)?;
    let parties: Vec<_> = rows.into_iter().flatten().map(|row| row.party).collect();
    let mut counts: BTreeMap<Family, Counts> = BTreeMap::new();
    for family in Family::ALL {
        let releases: Vec<Release> =
            unskew_releases::all().filter(|release| release.family() == family).collect();
        for party in &parties {
            for outcome in guesses(party, &releases) {
                *counts.entry(family).or_default().entry(outcome).or_default() += 1;
            }
        }
    }
    let head = "<!-- made by `cargo lab guesses --write` -->\n\n";
    PAGE.publish(head, &page(parties.len(), &counts), &asked.write)
}

/// For each release but the first, what the one before it says of a file.
fn guesses(artifact: &Party, releases: &[Release]) -> Vec<GuessOutcome> {
    let judge = |release: &Release| check(artifact, &release.party(), &today());
    let verdicts: Vec<Verdict> = releases.iter().map(judge).collect();
    let pairs = verdicts.windows(2).filter_map(|pair| match pair {
        [guess, own] if own.outcome != Outcome::Unrelated => Some(GuessOutcome::new(guess, own)),
        _ => None,
    });
    pairs.collect()
}

fn page(files: usize, counts: &BTreeMap<Family, Counts>) -> String {
    let mut text = format!(
        "# Releases that are not in the database\n\n\
         A release that was published after the version of Unskew that judges is judged as the newest before it, and the verdict \
         says that this is a guess. How often was it right? For each release of the database, {files} files are judged with the \
         release itself and with the one before it. The files are those of this repository: examples, tests, packages of the \
         corpus. Many were made to stand at a boundary between releases, so that others differ less often.\n\n\
         | family | verdicts | the same | said to work, fails | said to fail, works | fails in another phase |\n\
         | --- | ---: | ---: | ---: | ---: | ---: |\n"
    );
    let mut total = Counts::new();
    for (family, counts) in counts {
        row(&format!("`{family}`"), counts, &mut text);
        for (outcome, count) in counts {
            *total.entry(*outcome).or_default() += count;
        }
    }
    row("**all**", &total, &mut text);
    text
}

fn row(name: &str, counts: &Counts, text: &mut String) {
    let all: usize = counts.values().sum();
    let count = |outcome| counts.get(&outcome).copied().unwrap_or_default();
    let same = count(GuessOutcome::Same);
    let [accepted, refused, phase] =
        [GuessOutcome::FalselyAccepted, GuessOutcome::FalselyRefused, GuessOutcome::OtherPhase]
            .map(count);
    // Counts of files are far below what a float has exactly.
    let share = if all == 0 { 0.0 } else { 100.0 * same as f64 / all as f64 };
    // Writing into a String cannot fail.
    let _ = writeln!(
        text,
        "| {name} | {all} | {same} ({share:.1} %) | {accepted} | {refused} | {phase} |"
    );
}
