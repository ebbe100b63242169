//! Edits real headers at random, asks a C compiler what each edit breaks, and holds `unskew diff` against it.
//!
//! A disagreement is made as small as it gets, and written into the tests of `lint`, which judge it from then on.

mod edit;
mod history;
mod truth;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use unskew_c_headers::Headers;
use unskew_c_headers::header::Header;
use unskew_core::Severity;
use unskew_kinds::{CompareOptions, InterfaceKind};
use unskew_lab_harness::{Comparison, Tally};
use unskew_random::Random;
use unskew_source::Files;

use edit::Edit;
use truth::Truth;

/// Rules about numbers and announcements, which no compiler knows.
const OF_NUMBERS: &[&str] =
    &["HD001", "HD002", "HD004", "HD005", "HD006", "HD009", "HD010", "HD011", "HD401", "HD602"];

/// Edits headers at random, and holds the verdicts against a C compiler.
#[derive(clap::Args)]
pub struct HeadersDifferential {
    /// The headers to edit. Each has to compile by itself, but for what `--include` adds.
    #[arg(required = true)]
    headers: Vec<PathBuf>,
    /// A folder with a folder for each release, in which the one named header lies: each release is compared with the one
    /// before it, in the place of edits.
    #[arg(long)]
    history: Option<PathBuf>,
    /// How many edits of each header.
    #[arg(long, default_value_t = 100)]
    edits: u64,
    /// Another number makes other edits.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Writes disagreements into this folder.
    #[arg(long, default_value = "crates/lint/c-headers/tests/differential")]
    file: PathBuf,
}

/// How often a verdict agreed for one kind of edit.
pub fn run(arguments: &HeadersDifferential) -> Result<()> {
    truth::compiler()?;
    if let Some(folder) = &arguments.history {
        let [header] = &arguments.headers[..] else { bail!("one header for --history") };
        return history::run(folder, &header.to_string_lossy());
    }
    let mut counts: BTreeMap<&'static str, Tally> = BTreeMap::new();
    let mut faults = 0_u32;
    for path in &arguments.headers {
        let text = std::fs::read(path).with_context(|| path.display().to_string())?;
        let header = Header::read(&text);
        let old: Vec<String> = String::from_utf8_lossy(&text).lines().map(str::to_owned).collect();
        let folder = tempfile::tempdir()?;
        beside(path, folder.path())?;
        let mut random = Random::new(arguments.seed);
        let (mut made, mut tried) = (0, 0);
        while made < arguments.edits && tried < 50 * arguments.edits {
            tried += 1;
            let Some(edit) = edit::choose(&header, &old, &mut random) else { continue };
            let Some((truth, found)) = judge(folder.path(), &old, &edit)? else { continue };
            made += 1;
            let wanted = comparison(truth, found);
            counts.entry(edit.what).or_default().add(&wanted);
            if wanted != Comparison::Right {
                faults += 1;
                let (small, edit) = shrink(folder.path(), old.clone(), edit, &wanted)?;
                let name = format!("{}-{faults}", edit.what.replace([' ', '#'], "-"));
                write(&arguments.file.join(&name), &small, &edit, truth)?;
                println!(
                    "{}: {} is {truth:?}, and was judged {found:?}: {name}",
                    path.display(),
                    edit.what
                );
            }
        }
        println!("{}: {made} edits", path.display());
    }
    println!("| edit | agreed | missed | false error |\n| --- | --- | --- | --- |");
    for (what, Tally { right, false_compatible, false_refused, .. }) in &counts {
        println!("| {what} | {right} | {false_compatible} | {false_refused} |");
    }
    if faults > 0 {
        bail!("{faults} verdicts disagree with the compiler");
    }
    Ok(())
}

/// What a verdict is to the truth. Missed is a break without an error, or a change of source without a word.
fn comparison(truth: Truth, found: Option<Severity>) -> Comparison {
    match (truth, found) {
        (Truth::Binary, Some(Severity::Error))
        | (Truth::Source, Some(_))
        | (Truth::Nothing, None | Some(Severity::Note | Severity::Warning)) => Comparison::Right,
        (Truth::Binary | Truth::Source, _) => Comparison::FalseCompatible("missed".to_owned()),
        (Truth::Nothing, Some(_)) => Comparison::FalseRefused("a false error".to_owned()),
    }
}

/// The truth about an edit, and the gravest finding; none where the compiler takes one side not.
fn judge(folder: &Path, old: &[String], edit: &Edit) -> Result<Option<(Truth, Option<Severity>)>> {
    let new = edit.apply(old);
    let (old, new) = (old.join("\n") + "\n", new.join("\n") + "\n");
    std::fs::write(folder.join("old.h"), &old)?;
    std::fs::write(folder.join("new.h"), &new)?;
    let Some(truth) = truth::of(folder, edit)? else { return Ok(None) };
    let side = |text: &str| {
        let mut files = Files::default();
        files.insert("api.h".to_owned(), text.as_bytes().to_vec());
        files
    };
    let compared = Headers.compare(&side(&old), &side(&new), &CompareOptions::default());
    let compared = compared.map_err(|error| anyhow::anyhow!("{error}"))?;
    let said = compared.changes.iter().map(|change| &change.finding);
    let said = said.filter(|finding| !OF_NUMBERS.contains(&finding.rule.code));
    Ok(Some((truth, said.map(|finding| finding.severity).max())))
}

/// Takes lines away as long as the verdict stays as wrong as it is.
fn shrink(
    folder: &Path,
    mut old: Vec<String>,
    mut edit: Edit,
    wanted: &Comparison,
) -> Result<(Vec<String>, Edit)> {
    let mut step = old.len() / 2;
    while step > 0 {
        let mut at = 0;
        while at < old.len() {
            let end = (at + step).min(old.len());
            let touched = at < edit.at + edit.remove.max(1) && edit.at < end;
            let mut less = edit.clone();
            if end <= edit.at {
                less.at -= end - at;
            }
            let mut fewer = old.clone();
            fewer.drain(at..end);
            let same = !touched
                && judge(folder, &fewer, &less)?
                    .is_some_and(|(truth, found)| comparison(truth, found) == *wanted);
            match same {
                true => (old, edit) = (fewer, less),
                false => at = end,
            }
        }
        step /= 2;
    }
    Ok((old, edit))
}

fn write(folder: &Path, old: &[String], edit: &Edit, truth: Truth) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("old.h"), old.join("\n") + "\n")?;
    std::fs::write(folder.join("new.h"), edit.apply(old).join("\n") + "\n")?;
    std::fs::write(folder.join("truth"), format!("{truth:?}\n").to_lowercase())?;
    Ok(())
}

/// Puts the other headers of a folder beside the probes, which include them.
fn beside(path: &Path, folder: &Path) -> Result<()> {
    let Some(parent) = path.parent() else { return Ok(()) };
    for entry in std::fs::read_dir(parent)? {
        let other = entry?.path();
        let header = other.extension().is_some_and(|ending| ending == "h");
        if let (true, Some(name)) = (header && other != path, other.file_name()) {
            std::fs::copy(&other, folder.join(name))?;
        }
    }
    Ok(())
}
