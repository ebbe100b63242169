//! `cargo lab drifted-environments`: environments as an installer made them on some day, and the same with one package of
//! another day, judged and imported.
//!
//! What is drawn does not look at any table: a package, a day, one of the packages that the installer brings, and a second
//! day. The second package is installed without asking the resolver, as `pip install -U` in an old environment, or an image
//! that pins half of its packages, does.

pub(crate) mod cells;
pub(crate) mod environment;
mod page;

use std::collections::BTreeMap;

use anyhow::ensure;
use unskew_lab_harness::{Page, WritePage};
use unskew_random::Random;

use environment::{DrawnEnvironment, Drift};

const PAGE: Page = Page("docs/reference/drifted-environments.md");

/// Packages for machine learning and data whose environments need neither PyTorch nor TensorFlow; half of them are in no table.
const PACKAGES: &str = include_str!("packages.txt");

/// The years and months of the days that are drawn.
const FIRST: (usize, usize) = (2022, 7);
const MONTHS: usize = 47;

/// The day of a package that was upgraded to the newest.
const NEWEST: &str = "2026-11-01";

/// Draws environments, changes one package of each without a resolver, imports both, and judges both.
#[derive(clap::Args)]
pub struct DriftedEnvironments {
    /// What draws the packages and the days
    #[arg(long, default_value_t = 11)]
    seed: u64,
    /// How many environments are drawn; each is judged before and after the change
    #[arg(long, default_value_t = 60)]
    count: usize,
    #[command(flatten)]
    write: WritePage,
}

/// What came of an environment.
struct Trial {
    /// The package that it was made for, with its version.
    package: String,
    /// The package that was changed, if one was: its name, and both versions.
    drift: Option<Drift>,
    /// The errors of the verdict: the code, and the packages.
    errors: Vec<(String, Vec<String>)>,
    /// The packages whose import fails, with what it says.
    failed: BTreeMap<String, String>,
    /// Whether `uv pip check` finds something.
    is_declared: bool,
    /// What is proposed instead, if anything is.
    proposed: Option<Proposal>,
}

/// A change that a verdict proposes.
pub(crate) struct Proposal {
    pub(crate) requirements: Vec<String>,
    /// What the import of a package that failed before says after it; none if all work.
    pub(crate) error: Option<String>,
}

impl Trial {
    fn is_broken(&self) -> bool {
        !self.failed.is_empty()
    }

    fn is_said_to_fail(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Whether an error names the package that was changed or one whose import fails.
    fn is_right_pair(&self) -> bool {
        let named = |name: &String| self.errors.iter().any(|(_, names)| names.contains(name));
        self.drift.as_ref().is_some_and(|drift| named(&drift.package))
            || self.failed.keys().any(named)
    }
}

/// Runs what was asked for.
///
/// # Errors
/// If uv or Python 3.11 is not here, or a page cannot be written.
pub fn run(arguments: &DriftedEnvironments) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let packages: Vec<&str> = PACKAGES.lines().collect();
    let (mut trials, mut refused) = (Vec::new(), 0);
    for nth in 0..arguments.count as u64 {
        let mut random = Random::nth(arguments.seed, nth);
        let (package, day) = (*random.choose(&packages), day(&mut random));
        let place = folder.path().join("environment");
        let Some(environment) = DrawnEnvironment::install(package, &day, &place)? else {
            println!("cannot be installed, or brings PyTorch or TensorFlow: {package} of {day}");
            refused += 1;
            continue;
        };
        let before = environment.trial(None)?;
        println!("{}", page::row(&before));
        let is_changed = before.proposed.is_some();
        trials.push(before);
        if is_changed {
            continue;
        }
        let other_day = match random.below(5) {
            0 | 1 => self::day(&mut random),
            _ => NEWEST.to_owned(),
        };
        if let Some(drift) = environment.change(&mut random, &other_day)? {
            let after = environment.trial(Some(drift))?;
            println!("{}", page::row(&after));
            trials.push(after);
        }
    }
    let text = page::page(arguments.seed, &trials, refused);
    let head = "<!-- made by `cargo lab drifted-environments --write` -->\n\n";
    PAGE.publish(head, &text, &arguments.write)?;
    let alarms = trials.iter().filter(|one| one.is_said_to_fail() && !one.is_broken()).count();
    ensure!(alarms == 0, "{alarms} environments work that are said to fail");
    Ok(())
}

fn day(random: &mut Random) -> String {
    let month = FIRST.1 - 1 + random.below(MONTHS);
    format!("{}-{:02}-{:02}", FIRST.0 + month / 12, month % 12 + 1, 1 + random.below(28))
}
