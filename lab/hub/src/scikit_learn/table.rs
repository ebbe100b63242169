//! What was measured, as the rows of the database: names by release, and what went wrong by estimator, writer and reader.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use unskew_core::Version;
use unskew_definitions::Runs;
use unskew_lab_harness::run_command;
use unskew_scikit_learn::{SklearnFile, TroubleKind};
use unskew_source::{FileSource, Source};

use super::{Answer, BINARY, Loads, NAMES, RELEASES, is_of_others, version, written};

const TABLE: &str = "crates/judging/releases/data/scikit-learn/names.tsv";

/// The longest error that is kept, in letters.
const LONGEST: usize = 100;

/// What went wrong: an estimator, how, and the words.
type Trouble = (String, &'static str, String);

/// A writer and a reader.
type Cell = (Version, Version);

/// Measures everything, and writes the table.
pub(super) fn take(loads: &Loads, folder: &Path) -> anyhow::Result<()> {
    let files = loads.write(folder)?;
    let mut classes: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for path in &files {
        let source: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
        let used = SklearnFile::read(&source)?.map(|file| file.classes).unwrap_or_default();
        let used = used.into_iter().map(|class| format!("{}({})", class.name, class.module));
        classes.extend(written(path).map(|key| (key, used.collect())));
    }
    let all: Vec<Version> =
        RELEASES.iter().map(|(text, ..)| version(text)).collect::<anyhow::Result<_>>()?;
    let mut names: BTreeMap<String, BTreeSet<Version>> = BTreeMap::new();
    // What some release defines where it is: others may only import it there.
    let mut defined: BTreeSet<String> = BTreeSet::new();
    let mut cells: BTreeMap<Trouble, BTreeSet<Cell>> = BTreeMap::new();
    for (text, ..) in RELEASES {
        let reader = version(text)?;
        let listed = run_command(&mut loads.probe(text, NAMES)?)?;
        defined.extend(listed.lines().filter(|name| !name.starts_with('~')).map(str::to_owned));
        let listed: BTreeSet<String> =
            listed.lines().map(|name| name.trim_start_matches('~').to_owned()).collect();
        let answers = loads.read(text, folder)?;
        for answer in &answers {
            let writer = version(&answer.writer)?;
            let key = (answer.writer.clone(), answer.name.clone());
            let used = classes.get(&key).cloned().unwrap_or_default();
            // A class that is not there is known by its name.
            let is_named = used.iter().any(|class| !listed.contains(class));
            let Some((kind, what)) = trouble(answer).filter(|_| !is_named) else { continue };
            if is_of_others(&what) {
                continue;
            }
            let inner = |other: &&Answer| {
                other.writer == answer.writer
                    && other.name != answer.name
                    && other.class() != answer.class()
                    && used.iter().any(|class| class.split('(').next() == Some(other.class()))
            };
            // What is inside of another estimator fails by itself, too.
            let is_inner = answers.iter().filter(inner).any(|other| trouble(other).is_some());
            if writer != reader && !is_inner {
                let row = (answer.class().to_owned(), kind.as_str(), what);
                cells.entry(row).or_default().insert((writer, reader));
            }
        }
        listed.into_iter().for_each(|name| {
            names.entry(name).or_default().insert(reader);
        });
    }
    names.retain(|name, _| defined.contains(name));
    let path = unskew_peers::root().join(TABLE);
    fs::write(&path, text(&all, &names, &cells))?;
    println!("{}: {} names, {} troubles", path.display(), names.len(), cells.len());
    Ok(())
}

/// What went wrong first, in words without paths.
fn trouble(answer: &Answer) -> Option<(TroubleKind, String)> {
    let (kind, what) = match answer {
        Answer { load: Some(error), .. } => (TroubleKind::Load, error),
        Answer { raises: Some(error), .. } => (TroubleKind::Use, error),
        Answer { differs: Some((method, _)), .. } => (TroubleKind::Differs, method),
        _ => return None,
    };
    // Behind the method that raised.
    let what = what
        .split_once(": ")
        .filter(|_| kind == TroubleKind::Use)
        .map_or(&**what, |(_, error)| error);
    let what = what.lines().next().unwrap_or_default();
    let what = what.split(" from '/").next().unwrap_or(what);
    if kind == TroubleKind::Differs && answer.name.ends_with(BINARY) {
        return Some((kind, format!("{what} of two classes")));
    }
    Some((kind, what.chars().filter(|c| !c.is_control()).take(LONGEST).collect()))
}

/// The table: names and troubles in the order of their bytes.
fn text(
    all: &[Version],
    names: &BTreeMap<String, BTreeSet<Version>>,
    cells: &BTreeMap<Trouble, BTreeSet<Cell>>,
) -> String {
    let mut rows: BTreeSet<(String, String)> = BTreeSet::new();
    let runs =
        |has: &BTreeSet<Version>| Runs::from_releases(all, |one| has.contains(&one)).to_string();
    for (name, has) in names {
        rows.insert((name.clone(), runs(has)));
    }
    for ((name, kind, what), cells) in cells {
        // Writers with the same readers are one row.
        let mut readers: BTreeMap<Version, BTreeSet<Version>> = BTreeMap::new();
        for (writer, reader) in cells {
            readers.entry(*writer).or_default().insert(*reader);
        }
        let mut writers: BTreeMap<BTreeSet<Version>, BTreeSet<Version>> = BTreeMap::new();
        for (writer, readers) in readers {
            writers.entry(readers).or_default().insert(writer);
        }
        for (readers, writers) in writers {
            let row = format!("{name}(trouble {}; {kind}; {what})", runs(&writers));
            rows.insert((row, runs(&readers)));
        }
    }
    let all: Vec<String> = all.iter().map(Version::to_string).collect();
    let mut text = format!("#releases\t{}\n", all.join(" "));
    for (definition, runs) in rows {
        let _ = writeln!(text, "{definition}\t{runs}");
    }
    text
}
