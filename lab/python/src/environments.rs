//! `cargo lab environments`: broken environments, many of them from public threads, and good ones, with what `unskew env`
//! says of each. What a machine without a GPU can import is imported for real. `--write` makes the page.
//!
//! PyTorch and TensorFlow are judged as in a lock, by the tables; what came of the import of their extensions stands in
//! `docs/reference/extension-imports.md`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde_json::json;
use unskew_core::Version;
use unskew_environments::{InstalledPackage, LockTarget, PackageLock, judge};
use unskew_extensions::{Machine, wheels::normal};
use unskew_lab_harness::environment::interpreter;
use unskew_lab_harness::{Page, WritePage, published_wheel, today};
use unskew_peers::run_probe;
use unskew_source::FileSource;

const PAGE: Page = Page("docs/reference/environments.md");

/// The page with real imports of extensions.
const IMPORTS: &str = "docs/reference/extension-imports.md";

/// Pins, the pair that breaks, modules to import, where the environment comes from, why its break is not named; `-` for none.
const TABLE: &str = include_str!("environments/table.tsv");

/// The wheels that are read and imported: the name of the file, and its digest.
const WHEELS: &str = include_str!("environments/wheels.txt");

/// How long one import may take.
const LIMIT: Duration = Duration::from_secs(120);

/// Judges environments, imports what can be, and holds the two against each other.
#[derive(clap::Args)]
pub struct Environments {
    #[command(flatten)]
    write: WritePage,
}

struct Row {
    pins: Vec<(String, String)>,
    broken: Option<(String, String)>,
    modules: Vec<String>,
    source: String,
    /// Why the break is not named, where that is known.
    missed: Option<String>,
    /// The pairs that were said to fail, with their rules.
    said: Vec<(String, String, String)>,
    /// What came of it, as far as it was imported.
    came: Came,
}

enum Came {
    Works,
    Fails(String),
    NotImported,
}

impl Row {
    /// Whether the right pair was named, or none of a good environment.
    fn is_right(&self) -> bool {
        match &self.broken {
            None => self.said.is_empty(),
            Some((one, other)) => {
                let is = |label: &str, name: &str| {
                    normal(label.split(' ').next().unwrap_or_default()) == *name
                };
                self.said.iter().any(|(a, b, _)| is(a, one) && is(b, other))
            }
        }
    }

    /// Whether the import, if there was one, did what the table says.
    fn is_confirmed(&self) -> bool {
        match &self.came {
            Came::Works => self.broken.is_none(),
            Came::Fails(_) => self.broken.is_some(),
            Came::NotImported => true,
        }
    }
}

/// Runs what was asked for.
///
/// # Errors
/// If a wheel cannot be had, a break is not named of which that was not known, or a good environment is said to fail.
pub fn run(arguments: &Environments) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let imports = fs::read_to_string(unskew_peers::root().join(IMPORTS))?;
    let mut rows = Vec::new();
    for line in TABLE.lines() {
        let mut row = row(line).with_context(|| format!("not a line of the table: {line}"))?;
        judged(&mut row)?;
        row.came = match row.modules.is_empty() {
            true => recorded(&row, &imports),
            false => imported(&row, folder.path())?,
        };
        if !row.is_right() || !row.is_confirmed() {
            let came = if let Came::Fails(error) = &row.came { error } else { "" };
            println!("  {line}\n    said {:?}, came {came:?}", row.said);
        }
        rows.push(row);
    }
    let page = page(&rows);
    PAGE.publish("", &page, &arguments.write)?;
    let is_as_known = |row: &Row| row.is_right() != row.missed.is_some();
    ensure!(
        rows.iter().all(is_as_known),
        "a break is not named, or a good environment is said to fail"
    );
    ensure!(rows.iter().all(Row::is_confirmed), "an import did what the table does not say");
    Ok(())
}

fn row(line: &str) -> Option<Row> {
    let [pins, broken, modules, source, missed] = *line.split('\t').collect::<Vec<_>>() else {
        return None;
    };
    let pair =
        |text: &str| Some((text.split_once(' ')?.0.to_owned(), text.split_once(' ')?.1.to_owned()));
    let pin = |text: &str| {
        Some((text.split_once("==")?.0.to_owned(), text.split_once("==")?.1.to_owned()))
    };
    Some(Row {
        pins: pins.split(' ').map(pin).collect::<Option<_>>()?,
        broken: pair(broken),
        modules: modules.split(' ').filter(|one| *one != "-").map(str::to_owned).collect(),
        source: source.to_owned(),
        missed: Some(missed.to_owned()).filter(|missed| missed != "-"),
        said: Vec::new(),
        came: Came::NotImported,
    })
}

/// The wheel of a pin, if it is one of those that are read.
fn wheel((name, version): &(String, String)) -> Option<(&'static str, &'static str)> {
    let mut all = WHEELS.lines().filter_map(|line| line.split_once(' '));
    all.find(|(file, _)| {
        let mut parts = file.split('-');
        parts.next().is_some_and(|one| normal(one) == *name) && parts.next() == Some(version)
    })
}

/// Judges an environment as a lock, with the wheels that are here in the place of what is known of them.
fn judged(row: &mut Row) -> anyhow::Result<()> {
    let text: String =
        row.pins.iter().map(|(name, version)| format!("{name}=={version}\n")).collect();
    let lock = PackageLock::of_text("requirements.txt", &text)?;
    let target = LockTarget { python: Some(Version::pair(3, 11)), machine: Machine::X86 };
    let (mut environment, _) = lock.environment(target, None);
    for package in &mut environment.packages {
        let pin = (package.key(), package.version.clone());
        if let Some((file, sha256)) = wheel(&pin) {
            let path = published_wheel::fetch(file, sha256)?;
            *package = InstalledPackage::of_wheel(Arc::new(FileSource::open(&path)?))?;
        }
    }
    let judged = judge(&environment, &today());
    let broken = judged.pairs.iter().filter(|pair| pair.is_broken());
    row.said = broken
        .map(|pair| {
            let rules = pair.verdict.findings.first().map_or("", |finding| finding.rule.code);
            (pair.one.name.clone(), pair.other.name.clone(), rules.to_owned())
        })
        .collect();
    Ok(())
}

/// Imports the modules of an environment with all of its wheels. A warning of jaxlib that it uses no plug-in is a failure.
fn imported(row: &Row, folder: &Path) -> anyhow::Result<Came> {
    let mut paths = Vec::new();
    for pin in &row.pins {
        let (file, sha256) = wheel(pin).with_context(|| format!("no wheel of {pin:?}"))?;
        paths.push(published_wheel::unpack(&published_wheel::fetch(file, sha256)?, folder)?);
    }
    let list = tempfile::NamedTempFile::new()?;
    let job = json!([{"name": "one", "paths": paths, "modules": row.modules, "bare": false}]);
    serde_json::to_writer(&list, &job)?;
    let mut command = Command::new(interpreter("3.11")?);
    command.arg("-S").arg(unskew_peers::root().join("lab/python/probes/environment_import.py"));
    let outcome = run_probe(command.env("JAX_PLATFORMS", "cpu").arg(list.path()), LIMIT)?;
    let step = outcome.steps.first().with_context(|| outcome.errors.clone())?;
    let came: Vec<(String, String, Vec<String>)> = serde_json::from_str(&step.detail)?;
    let refused = |text: &&String| text.contains("so it will not be used");
    let errors = came.iter().map(|(_, error, _)| error).filter(|error| !error.is_empty());
    let warnings = came.iter().flat_map(|(_, _, said)| said).filter(refused);
    Ok(errors.chain(warnings).next().map_or(Came::Works, |error| Came::Fails(error.clone())))
}

/// What the page of imports says of the two packages.
fn recorded(row: &Row, imports: &str) -> Came {
    let [(framework, release), (name, version)] = &*row.pins else { return Came::NotImported };
    let mut column = None;
    for line in imports.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if line.starts_with("| wheel |") {
            column = cells.iter().position(|cell| *cell == format!("{framework} {release}"));
        } else if cells.get(1) == Some(&&*format!("{name}=={version}")) {
            return match column.and_then(|column| cells.get(column)) {
                Some(&"works") => Came::Works,
                Some(&cell @ ("misses" | "later")) => Came::Fails(cell.to_owned()),
                _ => Came::NotImported,
            };
        }
    }
    Came::NotImported
}

fn page(rows: &[Row]) -> String {
    let broken = rows.iter().filter(|row| row.broken.is_some());
    let named = broken.clone().filter(|row| row.is_right()).count();
    let good = rows.iter().filter(|row| row.broken.is_none());
    let false_errors = good.clone().filter(|row| !row.is_right()).count();
    let from_threads = broken.clone().filter(|row| row.source.starts_with("https:")).count();
    let here = rows.iter().filter(|row| !row.modules.is_empty()).count();
    let not = rows.iter().filter(|row| matches!(row.came, Came::NotImported)).count();
    let mut text = format!(
        "<!-- made by `cargo lab environments --write` -->\n\n# Environments that break, and that do not\n\n\
         {} environments of Python 3.11 on x86-64: {} that break, {from_threads} of them from public \
         threads, and {} that \
         work. `unskew env` names the pair in {named} of those that break, and says a failure of {false_errors} that work. {here} were \
         imported for real by this command, of {} the import stands in [this table](extension-imports.md), and {not} were not \
         imported: their PyTorch or TensorFlow is none of those there, or the import does not find a library of CUDA, which comes \
         before symbols. Where a thread names no exact release, the environment has one of its day.\n\n\
         *fails* is an error of the import, or jaxlib's warning that it does not use a plug-in; *later*: what the import does \
         not load fails.\n\n\
         | environment | the pair | said | import | from |\n| --- | --- | --- | --- | --- |\n",
        rows.len(),
        broken.clone().count(),
        good.count(),
        rows.len() - here - not,
    );
    for row in rows {
        let pins: Vec<String> =
            row.pins.iter().map(|(name, version)| format!("{name} {version}")).collect();
        let pair = row.broken.as_ref().map_or("none".to_owned(), |(a, b)| format!("{a}, {b}"));
        let said: Vec<String> =
            row.said.iter().map(|(a, b, rule)| format!("{a}, {b}: {rule}")).collect();
        let said = if said.is_empty() { "nothing fails".to_owned() } else { said.join("; ") };
        let said = match &row.missed {
            Some(why) if !row.is_right() => format!("**missed**: {why}"),
            _ if !row.is_right() => format!("**wrong**: {said}"),
            _ => said,
        };
        let came = match &row.came {
            Came::Works => "works".to_owned(),
            Came::Fails(error) if error == "misses" || error == "later" => error.clone(),
            Came::Fails(error) => {
                format!("fails: {}", error.split(':').next().unwrap_or_default())
            }
            Came::NotImported => "not imported".to_owned(),
        };
        let source = match &*row.source {
            "import" => "this import".to_owned(),
            "tables" => "the tables of symbols".to_owned(),
            page if page.starts_with("docs/reference/") => {
                let name = page.trim_start_matches("docs/reference/");
                format!("[{}]({name})", name.trim_end_matches(".md"))
            }
            link => format!("<{link}>"),
        };
        // Writing into a String cannot fail.
        let _ = writeln!(text, "| {} | {pair} | {said} | {came} | {source} |", pins.join(", "));
    }
    text
}
